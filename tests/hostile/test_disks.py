"""Disks that are full or closed. `trials/hostile.py --live` tries more."""

from __future__ import annotations

import os

import pytest

from hostile_live import Live


@pytest.fixture
def live(tmp_path) -> Live:
    environment = os.environ | {
        "MANOLE_INDEX__OCR": "false", "MANOLE_INDEX__PAGES": "off", "MANOLE_VISION__NAME": "off",
    }  # fmt: skip
    return Live(tmp_path, environment, files=20, seed=1)


def test_a_full_disk_says_so_and_loses_nothing(live):
    assert live.full_disk().faults == []


def test_an_index_that_cannot_be_written_is_still_searched(live):
    assert live.read_only().faults == []
