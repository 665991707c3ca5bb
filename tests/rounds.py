"""How often what is left to chance is tried: few times in `make test`, many in `make soak`."""

from __future__ import annotations

import os

SOAK = bool(os.environ.get("SOAK"))


def rounds(few: int, many: int) -> int:
    """As many as this run takes."""
    return many if SOAK else few
