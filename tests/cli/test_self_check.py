"""`manole doctor --try`, run as a user runs it, with what works and with what does not."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from manole.cli import self_check
from manole.sentences import speak
from manole.serve.http import page

NOT_ASKED = {"MANOLE_MODEL__NAME": "openai:none@http://127.0.0.1:9"}
UNREADABLE = "raise ImportError('libgomp.so.1: cannot open shared object file: No such file')"


@pytest.fixture
def checked(manole):
    def run(**more: str) -> tuple[int, dict[str, dict[str, str]]]:
        done = manole("doctor", "--try", "--json", **(NOT_ASKED | more))
        report = json.loads(done.stdout)
        assert report["good"] is (done.returncode == 0)
        return done.returncode, {finding["text"]: finding for finding in report["findings"]}

    return run


def worst(found: dict[str, dict[str, str]]) -> dict[str, str]:
    (bad,) = (finding for finding in found.values() if finding["level"] == "problem")
    return bad


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, environment):
    """A library that ends in some way while it is loaded."""

    def make(code: str) -> None:
        (tmp_path / "broken_library.py").write_text(code)
        monkeypatch.setattr(self_check, "ENGINES", ("json", "broken_library", "numpy"))
        before = environment.get("PYTHONPATH", "")
        environment["PYTHONPATH"] = f"{tmp_path}{os.pathsep}{before}"

    return make


def test_whole_installation_is_good_and_leaves_nothing(checked, environment) -> None:
    indexes = Path(environment["MANOLE_DATA_DIR"], "libraries")
    before = sorted(indexes.glob("*"))
    code, found = checked()
    assert code == 0, found
    assert "2 files were read, embedded by manole-e5-small, and found" in found
    assert sorted(indexes.glob("*")) == before


@pytest.mark.model
def test_model_answers(manole) -> None:
    done = manole("doctor", "--try")
    assert "answered a question" in done.stdout
    assert done.returncode == 0


def test_library_that_lacks_another_is_named(checked, broken) -> None:
    broken(UNREADABLE)
    code, found = checked()
    assert code == 1
    assert worst(found)["where"] == "broken_library"
    assert worst(found)["remedy"] == "Install libgomp.so.1 by your system's packages."


def test_library_that_this_processor_cannot_run_ends_nothing_else(checked, broken) -> None:
    broken("import os, signal; os.kill(os.getpid(), signal.SIGILL)")
    code, found = checked()
    assert code == 1
    assert "broken_library does not run on this processor: SIGILL" in found


def test_page_that_lacks_a_file_is_found(checked, monkeypatch, tmp_path) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "web/index.html").write_text('<script src="/assets/gone.js"></script>')
    monkeypatch.setattr(page.read_page, "__defaults__", (tmp_path / "web",))
    code, found = checked()
    assert code == 1
    assert worst(found)["text"] == "the page lacks gone.js"


def test_without_models_it_says_how_to_get_them(checked, tmp_path) -> None:
    code, found = checked(MANOLE_CACHE_DIR=str(tmp_path / "empty"))
    assert code == 1
    assert worst(found)["text"].startswith("the embedder manole-e5-small is not at hand")
    assert worst(found)["remedy"] == "`manole models fetch`"


def test_speaks_german(manole) -> None:
    try:
        done = manole("doctor", "--try", MANOLE_LANGUAGE="de", **NOT_ASKED)
    finally:
        speak("en")
    assert "13 übersetzte Bibliotheken lassen sich laden" in done.stdout
    assert "2 Dateien wurden gelesen, von manole-e5-small eingebettet und gefunden" in done.stdout
