"""What a machine lacks is said before tests run, with the line that helps."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from browsers import allowing

PROGRAM = Path(__file__).with_name("browsers.py")
NODE_20 = "echo v20.1.0"
REFUSES = "echo 'unshare: unshare failed: Operation not permitted' >&2; exit 1"
EVERYTHING = {
    "node": NODE_20, "npm": "", "chromium": "", "unshare": 'echo "$@" > "$0.args"', "apt-get": "",
}  # fmt: skip


class Machine:
    """A machine with none but these programs, which are fake."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def has(self, programs: Mapping[str, str]) -> None:
        for name, script in programs.items():
            program = self.folder / name
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)

    def says(self, *needs: str, system: str = "Linux") -> tuple[int, list[str]]:
        """The exit code and the lines of the program, as on this `system`."""
        script = (
            "import platform, runpy, sys; from pathlib import Path; "
            f"platform.system = lambda: {system!r}; "
            "Path.is_file = lambda path: False; "  # no browser in /Applications
            "sys.argv.pop(0); runpy.run_path(sys.argv[0], run_name='__main__')"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, str(PROGRAM), *needs],
            env={**os.environ, "PATH": str(self.folder)},
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stderr.splitlines()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_where_nothing_is_missing_nothing_is_said(machine):
    machine.has(EVERYTHING)
    assert machine.says() == (0, [])
    asked = (machine.folder / "unshare.args").read_text()
    assert asked == "--user --map-root-user --net --mount true\n"


@pytest.mark.parametrize(
    ("missing", "line"),
    [
        ("node", "  Node 20 or later with npm: sudo apt-get install nodejs npm"),
        ("npm", "  Node 20 or later with npm: sudo apt-get install nodejs npm"),
        ("chromium", "  Chromium, Chrome or Edge: sudo apt-get install chromium"),
        ("unshare", "  unshare of util-linux: sudo apt-get install util-linux"),
    ],
)
def test_what_is_missing_is_said_with_the_line_that_installs_it(machine, missing, line):
    machine.has({name: script for name, script in EVERYTHING.items() if name != missing})
    assert machine.says() == (1, ["The tests need what this machine lacks:", line])


def test_an_old_node_is_missing(machine):
    machine.has(EVERYTHING | {"node": "echo v18.19.0"})
    code, lines = machine.says()
    assert (code, len(lines)) == (1, 2)
    assert "Node 20" in lines[1]


def test_name_spaces_that_are_refused_are_said_with_the_systems_reason(machine):
    machine.has(EVERYTHING | {"unshare": REFUSES})
    code, (_, line) = machine.says()
    assert code == 1
    assert "refused here (unshare: unshare failed: Operation not permitted): " in line


def test_on_macos_name_spaces_are_not_asked_for(machine):
    machine.has(EVERYTHING | {"unshare": REFUSES})
    assert machine.says(system="Darwin") == (0, [])


def test_only_what_is_asked_for_is_looked_at(machine):
    machine.has({"node": NODE_20, "npm": ""})
    assert machine.says("node") == (0, [])
    code, lines = machine.says("browser", "spaces")
    assert (code, len(lines)) == (1, 3)


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        ("user/max_user_namespaces", "0", "user.max_user_namespaces=10000"),
    ],
)
def test_the_setting_that_refuses_name_spaces_is_told_with_the_value_that_allows_them(
    tmp_path, name, value, line
):
    assert allowing(tmp_path) == ""
    file = tmp_path / name
    file.parent.mkdir()
    file.write_text(f"{value}\n")
    assert allowing(tmp_path) == f"sudo sysctl {line}"
    file.write_text("2\n" if value == "0" else "0\n")
    assert allowing(tmp_path) == ""
