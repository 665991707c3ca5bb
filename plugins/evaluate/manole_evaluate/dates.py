"""Reads the dates in a reply, at any precision.

`03/04/2023` counts as both readings, and a year alone is a date too. A month without a day or a
year is none, nor is `3.5.`, which may be a decimal at a sentence's end.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from manole.text.dates import mentions

_YEAR = re.compile(r"(?<![0-9])(?:1[0-9]|20)[0-9]{2}(?![0-9])")
_DECIMAL = re.compile(r"[0-9]+\.(?:[0-9]+\.)?")
_FILLER = re.compile(r"\b(?:on|in|the|of|at)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A date as written: any part may be missing."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def inside(self, first: date, last: date) -> bool:
        """Return whether all of it is in `first`..`last`; without a year, in any of those years."""
        years = [self.year] if self.year else range(first.year, last.year + 1)
        for year in years:
            span = _span(year, self.month, self.day)
            if span and first <= span[0] and span[1] <= last:
                return True
        return False

    def answers(self, gold: PartialDate) -> bool:
        """Return whether it says what `gold` says. The year may be missing if the day is there."""
        if gold.month is not None and self.month != gold.month:
            return False
        if gold.day is not None and self.day != gold.day:
            return False
        if gold.year is None or self.year == gold.year:
            return True
        return self.year is None and gold.day is not None


def read(text: str) -> list[PartialDate]:
    """Return every date in `text`."""
    return [found for _, _, found in _spans(text)]


def split(text: str) -> tuple[list[PartialDate], str]:
    """Return the dates of `text` that name a month, and the text without them and filler words."""
    dates: list[PartialDate] = []
    rest = list(text)
    for start, end, found in _spans(text):
        if found.month is not None:
            dates.append(found)
            rest[start:end] = " " * (end - start)
    return dates, _FILLER.sub(" ", "".join(rest)).strip() if dates else text


def _spans(text: str) -> Iterator[tuple[int, int, PartialDate]]:
    years = text
    for mention in mentions(text):
        written = text[mention.start : mention.end]
        if not re.search(r"[0-9]", written) or _DECIMAL.fullmatch(written):
            continue
        years = years[: mention.start] + " " * len(written) + years[mention.end :]
        for day in mention.readings:
            exists = _span(day.year or 2000, day.month, day.day) is not None
            found = PartialDate(day.year, day.month, day.day if exists else None)
            yield mention.start, mention.end, found
    for match in _YEAR.finditer(years):
        yield match.start(), match.end(), PartialDate(int(match[0]))


def _span(year: int, month: int | None, day: int | None) -> tuple[date, date] | None:
    try:
        if month is None:
            return date(year, 1, 1), date(year, 12, 31)
        if day is None:
            return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])
        return date(year, month, day), date(year, month, day)
    except ValueError:
        return None
