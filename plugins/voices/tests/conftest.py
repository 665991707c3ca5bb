"""Recordings that tests write lie in `tests/sounds.py`, and what a tier is in `tests/tiers.py`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "tests"))

import tiers


def pytest_configure(config: pytest.Config) -> None:
    for tier, meaning in tiers.TIERS.items():
        config.addinivalue_line("markers", f"{tier}: {meaning}")
