"""What is due, over the protocol: its own folder, as the days in it matter."""

from __future__ import annotations

import subprocess
import sys

import pytest
from talk import Program


@pytest.fixture(scope="module")
def program(environment, tmp_path_factory):
    folder = tmp_path_factory.mktemp("due") / "papers"
    folder.mkdir()
    (folder / "todo.md").write_text("- [ ] return keys (due 2024-12-10)\n")
    command = [sys.executable, "-m", "manole.cli.app", "index", str(folder)]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    program = Program(environment, "stdio", str(folder), "--reuse")
    program.wait(lambda m: m["type"] == "ready", "the beginning")
    yield program
    program.hang_up()
    assert program.end() == 0


def test_what_is_due_is_given_with_its_source(program):
    got = program.answer(program.ask("due", days=30, today="2024-12-05"))["data"]
    assert (got["today"], got["days"], got["counts"]["soon"]) == ("2024-12-05", 30, 1)
    (one,) = got["due"]
    assert (one["day"], one["kind"], one["text"]) == ("2024-12-10", "task", "return keys")
    assert (one["file"], one["line"], one["when"]) == ("todo.md", 1, "soon")
    nothing = program.answer(program.ask("due", today="2023-01-01", days=1))["data"]
    assert nothing["due"] == []
