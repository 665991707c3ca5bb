"""The package can be imported, and helps, where there is no POSIX."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from manole.cli import app

OTHERS: dict[str, str] = {}  # modules that may fail, and why


def test_no_module_needs_posix_to_be_imported() -> None:
    program = Path(__file__).with_name("elsewhere.py")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=300)
    found = json.loads(done.stdout)
    assert found["modules"] > 300, done.stderr
    assert set(found["failed"]) == set(OTHERS), found["failed"]


def test_windows_is_told_where_it_runs(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(sys, "argv", ["manole", "status"])
    with pytest.raises(SystemExit) as end:
        app.main()
    assert end.value.code == 2
    assert "Linux and macOS" in capsys.readouterr().err
