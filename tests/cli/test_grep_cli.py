"""`manole grep` and `manole check`, run as a user runs them."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from manole.cli.app import app
from manole.errors import UsageError


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("MANOLE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "120")
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "lease.txt").write_text(
        "The rent is 900 euros a month.\nDogs are not allowed in the flat.\n\x1b[31mrent\x1b[0m\n"
    )
    monkeypatch.chdir(folder)

    def call(*args, **more):
        return CliRunner().invoke(app, [str(arg) for arg in args], **more)

    assert call("index", folder).exit_code == 0
    return call


def test_lines_are_shown_with_their_places_and_number(run):
    shown = run("grep", "RENT").stdout
    assert "line 1: The rent is 900 euros a month." in shown
    assert "2 lines in 1 of 1 file." in shown
    assert "\x1b" not in shown
    assert "2  lease.txt" in run("grep", "rent", "--count").stdout
    assert "--offset 1" in run("grep", "rent", "--limit", 1).stdout


def test_json_has_marks_and_counts(run):
    found = json.loads(run("grep", "-e", r"\d+ euros", "--json").stdout)
    assert (found["total"], found["files"]) == (1, 1)
    ((start, end),) = found["lines"][0]["marks"]
    assert found["lines"][0]["text"][start:end] == "900 euros"


def test_nothing_found_ends_with_one(run):
    result = run("grep", "--case", "RENT")
    assert result.exit_code == 1
    assert "No line of 1 file has “RENT”." in result.stderr
    assert json.loads(run("grep", "--case", "RENT", "--json").stdout)["total"] == 0


@pytest.mark.parametrize("wrong", [["(a", "-e"], ["a", "-i", "--case"], [" "], ["a", "--in", "no"]])
def test_wrong_use_is_told(run, wrong):
    assert isinstance(run("grep", *wrong).exception, UsageError)


def test_sentences_are_checked_from_anywhere(run, tmp_path):
    text = "The rent is 900 euros a month. The rent is 800 euros a month."
    shown = run("check", text).stdout
    assert "stated: The rent is 900 euros a month." in shown
    assert "contradicted: The rent is 800 euros a month." in shown
    assert "It says 800 euros, the source 900 euros." in shown
    assert "Checked: 2 sentences, 1 stated, 1 contradicted." in shown
    (tmp_path / "letter.txt").write_text(text)
    by_file = run("check", "--file", tmp_path / "letter.txt", "--json").stdout
    assert [one["verdict"] for one in json.loads(by_file)["sentences"]] == [
        "stated", "contradicted",
    ]  # fmt: skip
    assert run("check", "-", "--json", input=text).stdout == by_file


def test_a_text_that_is_none_is_told(run, tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    for wrong in (["check"], ["check", "--file", "none"], ["check", "--file", tmp_path / "bytes"]):
        assert isinstance(run(*wrong).exception, UsageError)
