"""Whoever imports Manole has the reports of its dependencies switched off, whatever was set."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from manole.quiet import SWITCHES

WAYS = [
    "manole",
    "manole.cli.app",
    "manole.documents.worker",
    "manole_cluster.work",
    "manole.models.weights.hub",
]
TELL = "import ctypes; getenv = ctypes.CDLL(None).getenv; getenv.restype = ctypes.c_char_p"


@pytest.mark.parametrize("module", WAYS)
def test_by_any_way_in_c_libraries_are_told_before_they_are_loaded(module):
    """`getenv` of C is what they ask."""
    program = (
        f"import sys, {module}; {TELL}\n"
        f"print([getenv(name.encode()).decode() for name in {list(SWITCHES)}])"
    )
    against = {name: "1" if value == "0" else "0" for name, value in SWITCHES.items()}
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | against, capture_output=True, text=True
    )
    assert done.stdout.strip() == str(list(SWITCHES.values())), done.stderr
