"""The days of bookings, of which many statements leave out the year.

The year is that of the last such day before the statement ends, which its head tells, or its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from pathlib import PurePosixPath

from manole.text.date_words import MONTHS
from manole.text.dates import counts_in_dollars, date_of, mentions, named_days, named_months
from manole.text.words import fold

_DAY = re.compile(
    r"(?P<iso>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?=\s|$)"
    r"|(?P<a>\d{1,2})(?P<s>[./-])(?P<b>\d{1,2})(?:(?P=s)(?P<year>\d{4}|\d\d)|(?P<dot>\.)|)(?=\s|$)"
    r"|(?P<day>\d{1,2})(?:\.|er|st|nd|rd|th)?[ -]?(?P<month>[^\W\d_]{3,10})\.?"
    r"(?:[ -](?P<of>\d{4}|\d\d(?=\s\s|$)))?(?=\s|$)"
    r"|(?P<name>[^\W\d_]{3,10})\.? (?P<n>\d{1,2})(?:,? (?P<in>\d{4}))?(?=\s|$)"
)
_BEFORE = tuple(  # nothing, a number, a day of the week
    re.compile(lead) for lead in (r"\s*", r"\s*\d{1,4}\s{2,}", r"\s*[^\W\d_]{2,3}[.,]{0,2}\s(?=\d)")
)
_LATER = timedelta(days=3)  # that a booking may be behind the day of its statement


@dataclass(frozen=True, slots=True)
class Written:
    """A day as a statement writes it: two numbers, of which `month_known` is the second a month."""

    first: int
    second: int
    year: int | None
    month_known: bool = True

    def dated(self, year: int, month_first: bool) -> date | None:
        """Return the day in a year; `None` if there is none."""
        turned = month_first and not self.month_known
        day, month = (self.second, self.first) if turned else (self.first, self.second)
        return date_of(year, month, day)


def day_at(text: str) -> tuple[Written, int] | None:
    """Return the day that a line begins with, and where it ends; `None` for any other line."""
    for lead in _BEFORE:
        start = lead.match(text)
        match = _DAY.match(text, start.end()) if start else None
        if match and (written := _written(match)):
            return written, match.end()
    return None


def _written(match: re.Match[str]) -> Written | None:
    if match["iso"]:
        return _known(match["d"], int(match["m"]), match["iso"])
    if match["a"]:
        bare = not (match["year"] or match["dot"])  # 1.50 is a number
        if bare and match["s"] == "." and len(match["a"] + match["b"]) < len("0101"):
            return None
        first, second = int(match["a"]), int(match["b"])
        if not (1 <= first <= 31 and 1 <= second <= 31 and min(first, second) <= 12):
            return None
        return Written(first, second, _year(match["year"]), match["s"] == ".")
    name, day, year = match["month"], match["day"], match["of"]
    if match["name"]:
        name, day, year = match["name"], match["n"], match["in"]
    return _known(day, _month(fold(name)), year)


def _known(day: str, month: int, year: str | None) -> Written | None:
    plausible = 1 <= int(day) <= 31 and 1 <= month <= 12
    return Written(int(day), month, _year(year)) if plausible else None


def _year(digits: str | None) -> int | None:
    return None if digits is None else int(digits) + (2000 if len(digits) < len("1999") else 0)


@lru_cache(maxsize=512)
def _month(name: str) -> int:
    """Return the month with a name that may be cut; 0 if there is none, or several."""
    found = {number for month, number in MONTHS.items() if fold(month).startswith(name)}
    return found.pop() if len(found) == 1 else 0


def dated(days: Sequence[Written], head: Sequence[str], path: str) -> list[date] | None:
    """Return the days of bookings; `None` if one does not exist, or no year is known.

    `head` are the lines that are no bookings, those above the bookings first.
    """
    shown = [day for day in days if not day.month_known]
    dollars = any(map(counts_in_dollars, head)) and all(day.first <= 12 for day in shown)
    month_first = any(day.second > 12 for day in shown) or dollars
    month_first &= not any(day.first > 12 for day in shown)
    last = None
    if any(day.year is None for day in days):
        last = _end(head) or next(_named(path), None)
        if last is None:
            return None
    found = [_dated(day, last, month_first) for day in days]
    kept = [day for day in found if day]
    return kept if len(kept) == len(days) else None


def _dated(day: Written, last: date | None, month_first: bool) -> date | None:
    if day.year is not None:
        return day.dated(day.year, month_first)
    if last is None:
        return None
    years = (last + _LATER).year, (last + _LATER).year - 1
    each = (day.dated(year, month_first) for year in years)
    return next((one for one in each if one and one <= last + _LATER), None)


def _end(head: Iterable[str]) -> date | None:
    """Return the last day of the period that a head tells: the first with two days, else a day."""
    first = None
    for text in head:
        found = [day.readings[0] for day in mentions(text[:200])]
        days = [_last(day.year, day.month, day.day) for day in found if day.year]
        known = [day for day in days if day]
        if len(known) > 1 and known[0] < known[-1] <= known[0] + timedelta(days=400):
            return known[-1]
        first = max(filter(None, [first, *known]), default=None)
    return first


def _named(path: str) -> Iterator[date]:
    name = PurePosixPath(path).stem
    months = (_last(day.year, day.month, None) for day in named_months(name))
    yield from named_days(name)
    yield from filter(None, months)


def _last(year: int, month: int, day: int | None) -> date | None:
    """Return that day, or the last one of a month."""
    if day:
        return date_of(year, month, day)
    following = date_of(year + month // 12, month % 12 + 1, 1)
    return following - timedelta(days=1) if following else None
