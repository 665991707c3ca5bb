"""Reads the dates in a reply, to whatever precision they are written.

Kept apart from the reading of dates in documents on purpose: a scorer that shares code with what
it scores would share its mistakes too. English month names; `03/04/2023` counts as both readings.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

_MONTHS = {
    name.lower(): number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(names)
    if name
} | {"sept": 9}
_MONTH = r"(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:1[0-9]|20)[0-9]{2})(?![0-9])"
_N = r"(?<![0-9])"

# In this order; what one has read, the next no longer sees.
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        _N + _YEAR + r"(?P<mark>[-/.])(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})(?![0-9])",
        _N + r"(?P<day>[0-9]{1,2})(?P<mark>[-/.])(?P<month>[0-9]{1,2})(?P=mark)"
        r"(?P<year>(?:19|20)[0-9]{2}|[0-9]{2})(?![0-9])",
        _N + _DAY + r"(?:\s+of)?\s+" + _MONTH + r"(?:,?\s+" + _YEAR + ")?",
        r"\b" + _MONTH + r"\s+" + _DAY + r"(?![0-9])(?:,?\s+" + _YEAR + ")?",
        r"\b" + _MONTH + r"(?:\s+of)?,?\s+" + _YEAR,
        _N + _YEAR + r"-(?P<month>[0-9]{2})(?![-0-9])",
        _N + _YEAR,
    )
)
_FILLER = re.compile(r"\b(?:on|in|the|of|at)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A date as written: any part may be missing."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def inside(self, first: date, last: date) -> bool:
        """Whether all of it lies in `first`..`last`; without a year, in any year of those."""
        years = [self.year] if self.year else range(first.year, last.year + 1)
        for year in years:
            span = _span(year, self.month, self.day)
            if span and first <= span[0] and span[1] <= last:
                return True
        return False

    def answers(self, gold: PartialDate) -> bool:
        """Whether it says what `gold` says. The year may be missing where the day is there."""
        if gold.month is not None and self.month != gold.month:
            return False
        if gold.day is not None and self.day != gold.day:
            return False
        if gold.year is None or self.year == gold.year:
            return True
        return self.year is None and gold.day is not None


def read(text: str) -> list[PartialDate]:
    """Every date in `text`."""
    return [found for _, _, found in _spans(text)]


def split(text: str) -> tuple[list[PartialDate], str]:
    """The dates of `text` that name a month, and the text without them and filler words."""
    dates: list[PartialDate] = []
    rest = list(text)
    for start, end, found in _spans(text):
        if found.month is not None:
            dates.append(found)
            rest[start:end] = " " * (end - start)
    return dates, _FILLER.sub(" ", "".join(rest)).strip() if dates else text


def _spans(text: str) -> Iterator[tuple[int, int, PartialDate]]:
    for pattern in _PATTERNS:
        masked = list(text)
        for match in pattern.finditer(text):
            readings = list(_readings(match))
            for found in readings:
                yield match.start(), match.end(), found
            if readings:
                masked[match.start() : match.end()] = "\0" * (match.end() - match.start())
        text = "".join(masked)


def _readings(match: re.Match[str]) -> Iterator[PartialDate]:
    groups = match.groupdict()
    year = int(groups["year"]) if groups.get("year") else None
    if year is not None and year < 100:
        year += 2000 if year < 70 else 1900
    day = int(groups["day"]) if groups.get("day") else None
    written = groups.get("month")
    if written is None:
        yield PartialDate(year)
        return
    if not written.isdigit():
        pairs = [(_MONTHS[written.lower()], day)]
    else:
        pairs = [(int(written), day)]
        day_first = match.start("day") < match.start("month") if day is not None else False
        if day_first and groups.get("mark") in {"/", "-"} and day != int(written):
            pairs.append((day or 0, int(written)))
    for month, number in pairs:
        if _span(year or 2000, month, number):
            yield PartialDate(year, month, number)


def _span(year: int, month: int | None, day: int | None) -> tuple[date, date] | None:
    try:
        if month is None:
            return date(year, 1, 1), date(year, 12, 31)
        if day is None:
            return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])
        return date(year, month, day), date(year, month, day)
    except ValueError:
        return None
