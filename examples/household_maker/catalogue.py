"""Every file of the household and the day it was last changed.

This module imports nothing heavy: `make_household.py --dates-only` needs it alone. The days stand
in `dates.json`, which Manole's own copy of the example goes by as well. No two files share a day,
so "the newest" and "the oldest" have one answer.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

DATES: dict[str, str] = json.loads(Path(__file__).with_name("dates.json").read_text("utf-8"))


def when(path: str) -> datetime:
    """The moment `path` was last changed: noon UTC, the same calendar day nearly everywhere."""
    return datetime.fromisoformat(DATES[path]).replace(hour=12, tzinfo=UTC)


def set_dates(folder: Path) -> None:
    """Set the modification time of every file of the catalogue that lies in `folder`.

    Git does not keep these times, so they are set again after a checkout.

    Raises:
        FileNotFoundError: a file of the catalogue is missing.

    """
    for path in DATES:
        stamp = when(path).timestamp()
        os.utime(folder / path, (stamp, stamp))
