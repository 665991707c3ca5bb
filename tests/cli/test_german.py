"""Commands speak German where the setting or the locale says so; programs read English."""

from __future__ import annotations

import json

import pytest

from manole.sentences import speak


@pytest.fixture(autouse=True)
def english_again():
    yield
    speak("en")


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "akten"
    folder.mkdir()
    (folder / "miete.txt").write_text("The rent is 820 euros a month.")
    (folder / "kaputt.pdf").write_text("%PDF-1.4 and no more")
    return str(folder)


@pytest.fixture
def german(manole, tmp_path):
    def run(*arguments: str, **more: str):
        mine = {"MANOLE_DATA_DIR": str(tmp_path / "data"), "MANOLE_LANGUAGE": "de"}
        return manole(*arguments, **(mine | more))

    return run


def test_an_index_and_its_state_are_told_in_german(german, folder):
    done = german("index", folder)
    assert done.returncode == 0, done.stderr
    assert "2 neu; 1 Textstelle gelesen, " in done.stdout
    shown = german("status", folder).stdout
    assert "2 Dateien (1 gescheitert, 1 indexiert), 1 Textstelle." in shown
    assert "beschädigtes PDF: es lässt sich" in shown
    assert "Nichts gefunden." in german("search", "Miete", folder, "--in", "nirgends").stdout
    checked = german("doctor", folder)
    assert "der Ordner ist lesbar" in checked.stdout
    assert checked.stdout.rstrip().endswith("in Ordnung.")


def test_json_and_exit_codes_are_the_same_in_german(german, folder):
    german("index", folder)
    files = json.loads(german("status", folder, "--json").stdout)["files"]
    assert {(file["status"], file["reason"]) for file in files} == {
        ("failed", "broken PDF: it cannot be opened"), ("indexed", None),
    }  # fmt: skip
    assert german("status", "/nowhere").returncode == 2


def test_an_error_is_told_in_german(german):
    got = german("status", "/nowhere")
    assert got.stderr == "manole: Den Ordner /nowhere gibt es nicht.\n        Den Namen prüfen.\n"


@pytest.mark.parametrize(
    ("arguments", "environment", "first"),
    [
        ((), {"LC_ALL": "de_DE.UTF-8", "MANOLE_LANGUAGE": "auto"}, "Den Ordner"),
        ((), {"LC_ALL": "de_DE.UTF-8", "MANOLE_LANGUAGE": "en"}, "There is no"),
        (("--set", "language=de"), {"MANOLE_LANGUAGE": "en"}, "Den Ordner"),
    ],
)
def test_the_nearest_says_which_language(german, arguments, environment, first):
    got = german(*arguments, "status", "/nowhere", **environment)
    assert got.stderr.startswith(f"manole: {first}")


def test_a_language_that_there_is_not_is_refused(german):
    got = german("status", MANOLE_LANGUAGE="xx")
    assert got.returncode == 2
    assert "MANOLE_LANGUAGE" in got.stderr
