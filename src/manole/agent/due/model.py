"""What is due: a day, what for, and the place in a file that says so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from manole.documents.notes.terms import From

Kind = Literal["pay", "get", "ends", "renews", "cancel", "task", "event"]
When = Literal["past", "soon", "later", "unsure"]
SOON, USUAL, MOST = 30, 90, 3660  # days of what is due soon; days ahead as usual, and at most


@dataclass(frozen=True, slots=True)
class How:
    """How a day was computed: by `count` of `unit` from or before `day`, of which `of` tells what.

    `yearly`: it comes each year.
    """

    of: From
    day: date
    count: int | None = None
    unit: str | None = None
    yearly: bool = False


@dataclass(frozen=True, slots=True)
class Due:
    """Something that is due on `day`.

    `text` says what, or who is to be paid or pays `amount`. `sure` is false where the text leaves
    out the year, or what its day is for. `said`: a sentence tells it. `how` says what a day was
    computed from.
    """

    day: date
    kind: Kind
    text: str
    file: str
    page: int | None = None
    line: int | None = None
    quote: str = ""
    time: str = ""
    amount: float | None = None
    currency: str | None = None
    how: How | None = None
    sure: bool = True
    said: bool = False


def lists(found: Iterable[Due], today: date) -> dict[When, list[Due]]:
    """Return what is `past`, `soon` (within 30 days) and `later`, and what is `unsure`."""
    told: dict[When, list[Due]] = {"past": [], "soon": [], "later": [], "unsure": []}
    soon = today + timedelta(days=SOON)
    for one in found:
        when: When = "past" if one.day < today else "soon" if one.day <= soon else "later"
        told[when if one.sure else "unsure"].append(one)
    return told
