"""What every command prints alike: JSON, names, progress."""

from __future__ import annotations

import io
import json
import sys
from datetime import date
from pathlib import Path

import pytest

from manole.cli.output import print_json, printable, shortened
from manole.cli.progress import ProgressBars
from manole.index.sync.report import Progress


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_json_is_utf8_and_keeps_every_name_whatever_the_locale(monkeypatch, encoding):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    name = b"caf\xe9 \xf0\x9f\x8e\x89.txt".decode("utf-8", "surrogateescape")
    print_json({"file": name, "city": "Köln", "date": date(2024, 3, 5), "path": Path("a/b")})
    text = raw.getvalue().decode("utf-8")
    assert "Köln" in text
    assert json.loads(text) == {
        "file": name, "city": "Köln", "date": "2024-03-05", "path": "a/b",
    }  # fmt: skip


def test_json_has_no_control_characters_and_reads_as_the_same(capsysbinary):
    name = "".join(map(chr, range(0x20))) + "".join(map(chr, range(0x7F, 0xA1))) + "ü"
    print_json({"file": name})
    text = capsysbinary.readouterr().out.decode("utf-8")
    assert "\\u009b" in text and "ü" in text
    assert not [char for char in text if not char.isprintable() and char not in "\n\xa0"]
    assert json.loads(text) == {"file": name}


def test_json_of_every_command_is_indented_alike(program, indexed):
    for command in (
        ("config",), ("models",), ("library",), ("status", indexed), ("search", "rent", indexed),
    ):  # fmt: skip
        out = program(*command, "--json").stdout
        again = json.dumps(json.loads(out), indent=2, ensure_ascii=False) + "\n"
        # Bytes of a name that are no text stay escaped.
        assert out == again.encode("utf-8", "backslashreplace").decode(), command


def test_a_name_is_shown_on_one_line_without_commands_to_the_terminal():
    assert printable("a\nb\x1b[2J\u202ec ä") == r"a\nb\x1b[2J\u202ec ä"
    assert shortened("x" * 30 + "[b].txt", 10) == r"…xx\[b].txt"


def test_nothing_is_shown_before_the_first_step(capfd):
    with ProgressBars(quiet=False):
        pass
    assert capfd.readouterr().err == ""
    with ProgressBars(quiet=False) as bars:
        bars.sync(Progress("read", 1, 2, current="a.txt"))
    assert "Reading files" in capfd.readouterr().err


@pytest.mark.parametrize(
    "command", [("index", "nowhere"), ("models", "fetch", "nothing"), ("models", "fetch", "x.gguf")]
)
def test_a_mistake_gives_its_message_and_nothing_else(program, command):
    done = program(*command)
    assert done.returncode in {1, 2}
    assert done.stdout == ""
    assert done.stderr.startswith("manole: ")
    assert "\n\n" not in done.stderr
