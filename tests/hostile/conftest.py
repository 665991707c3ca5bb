"""The hostile inputs and trials are programs in `trials/`; their short forms run here."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

TRIALS = Path(__file__).parent / "trials"
sys.path.insert(0, str(TRIALS))


@pytest.fixture
def trial() -> Callable[..., str]:
    """Run a program of `trials/` that must find no fault; gives what it prints."""

    def run(name: str, *arguments: str) -> str:
        command = [sys.executable, str(TRIALS / f"{name}.py"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout

    return run
