"""The `manole` program as it is typed: in this process for speed, or as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from manole.cli import app as cli
from manole.library import Library
from manole.settings import Settings

Program = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def environment(session_settings: Settings, tmp_path: Path) -> dict[str, str]:
    """The variables of a user who has set nothing, but for where indexes and weights lie."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MANOLE_")}
    return kept | {
        "MANOLE_DATA_DIR": str(session_settings.data_dir),
        "MANOLE_CACHE_DIR": str(session_settings.cache_dir),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "COLUMNS": "100",
        "TERM": "xterm-256color",
    }


@pytest.fixture
def program(environment: dict[str, str], tmp_path: Path) -> Program:
    """`program("ask", ...)` runs `manole` as a process of its own, in an empty folder."""

    def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "manole.cli.app", *arguments],
            env=environment | more,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


@pytest.fixture
def manole(
    environment: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Program:
    """The same in this process: `main()` with these arguments, exit code and output caught."""

    def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        for name in [n for n in os.environ if n.startswith("MANOLE_")]:
            monkeypatch.delenv(name)
        for name, value in (environment | more).items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["manole", *arguments])
        capfd.readouterr()
        code = 0
        try:
            cli.main()
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = capfd.readouterr()
        return subprocess.CompletedProcess(arguments, code, out, err)

    return run


@pytest.fixture(scope="session")
def indexed(household: Library, household_folder: Path) -> str:
    """The household's folder, once it is indexed."""
    assert household.indexed
    return str(household_folder)
