"""Time filters: "2023", "March 2024", "last 7 days", "since 2024-06-01" become date ranges.

Calendar arithmetic is `dateutil`'s; both ends of a range are inclusive.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from dateutil import parser
from dateutil.relativedelta import relativedelta

_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
)
_DAY = (
    rf"\d{{4}}-\d{{1,2}}-\d{{1,2}}|\d{{1,2}}\.? (?:{_MONTHS})\.? \d{{4}}"
    rf"|(?:{_MONTHS})\.? \d{{1,2}},? \d{{4}}"
)
_MONTH = rf"(?:{_MONTHS})\.? \d{{4}}|\d{{4}}-\d{{2}}"
_YEAR = r"(?:19|20)\d{2}"
_POINT = rf"{_DAY}|{_MONTH}|{_YEAR}"
_UNITS = {"day": "days", "week": "weeks", "month": "months", "year": "years"}
_NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "couple of": 2}


@dataclass(frozen=True, slots=True)
class Period:
    """A range of days, both ends inclusive; `None` is open. `text` is how it was written."""

    text: str
    start: date | None = None
    end: date | None = None

    def __contains__(self, day: date) -> bool:
        return (self.start is None or day >= self.start) and (self.end is None or day <= self.end)


def find_period(text: str, today: date) -> Period | None:
    """The first period that `text` names, or `None`."""
    lowered = text.lower()
    for pattern, build in _RULES:
        match = re.search(pattern, lowered)
        if match:
            found = build(match, today)
            if found is not None:
                return found
    return None


def iso_dated(text: str) -> str:
    """`text` with the days it names in ISO form, as tables and file names write them.

    "on 30 June 2024" becomes "on 2024-06-30"; everything else stays.
    """

    def iso(match: re.Match[str]) -> str:
        span = _span(match[0].lower())
        return span[0].isoformat() if span else match[0]

    return re.sub(rf"\b(?:{_DAY})\b", iso, text, flags=re.IGNORECASE)


def _span(text: str) -> tuple[date, date] | None:
    """First and last day of a day, month or year as written."""
    text = text.strip()
    try:
        if re.fullmatch(_YEAR, text):
            return date(int(text), 1, 1), date(int(text), 12, 31)
        first = parser.parse(text, default=parser.parse("2000-01-01")).date()
    except (ValueError, OverflowError):
        return None
    if re.fullmatch(_MONTH, text):
        return first, first + relativedelta(months=1, days=-1)
    return first, first


def _between(match: re.Match[str], today: date) -> Period | None:
    first, last = _span(match[1]), _span(match[2])
    if first is None or last is None:
        return None
    return Period(match[0], first[0], last[1])


def _since(match: re.Match[str], today: date) -> Period | None:
    span = _span(match[2])
    if span is None:
        return None
    after = match[1] == "after"
    return Period(match[0], span[1] + timedelta(days=1) if after else span[0], None)


def _before(match: re.Match[str], today: date) -> Period | None:
    span = _span(match[2])
    if span is None:
        return None
    until = match[1] in {"until", "till", "up to", "through"}
    return Period(match[0], None, span[1] if until else span[0] - timedelta(days=1))


def _last_n(match: re.Match[str], today: date) -> Period | None:
    written = match[1] or "one"
    count = int(written) if written.isdigit() else _NUMBERS.get(written, 1)
    unit = _UNITS[match[2]]
    if count > 10_000:
        return None
    return Period(match[0], today - relativedelta(**{unit: count}), today)  # type: ignore[arg-type]  # unit names


def _calendar(match: re.Match[str], today: date) -> Period | None:
    which, unit = match[1], match[2]
    shift = {"this": 0, "current": 0, "last": -1, "previous": -1}[which]
    if unit == "week":
        start = today - timedelta(days=today.weekday()) + timedelta(weeks=shift)
        return Period(match[0], start, start + timedelta(days=6))
    if unit == "month":
        start = today.replace(day=1) + relativedelta(months=shift)
        return Period(match[0], start, start + relativedelta(months=1, days=-1))
    year = today.year + shift
    return Period(match[0], date(year, 1, 1), date(year, 12, 31))


def _named_day(match: re.Match[str], today: date) -> Period | None:
    day = today - timedelta(days={"today": 0, "yesterday": 1}[match[0]])
    return Period(match[0], day, day)


def _recent(match: re.Match[str], today: date) -> Period | None:
    return Period(match[0], today - timedelta(days=30), today)


def _point(match: re.Match[str], today: date) -> Period | None:
    span = _span(match[0])
    return Period(match[0], *span) if span else None


def _bare_month(match: re.Match[str], today: date) -> Period | None:
    """`in March`: the latest March that has begun."""
    month = parser.parse(match[1], default=parser.parse("2000-01-01")).month
    year = today.year if month <= today.month else today.year - 1
    start = date(year, month, 1)
    return Period(match[0], start, start + relativedelta(months=1, days=-1))


_RULES = (
    (rf"(?:between|from) ({_POINT}) (?:and|to|until|till|-) ({_POINT})", _between),
    (rf"\b(since|after|from) ({_POINT})(?: on(?:wards)?)\b", _since),
    (rf"\b(since|after) ({_POINT})", _since),
    (rf"\b(before|until|till|up to|through) ({_POINT})", _before),
    (
        rf"\b(?:(?:last|past|previous) (\d+|{'|'.join(_NUMBERS)})|past) (day|week|month|year)s?\b",
        _last_n,
    ),
    (r"\b(this|current|last|previous) (week|month|year)\b", _calendar),
    (r"\b(?:today|yesterday)\b", _named_day),
    (rf"\b(?:{_POINT})\b", _point),
    (rf"\b(?:in|from|of|since) ({_MONTHS})\b", _bare_month),
    (r"\brecent(?:ly)?\b", _recent),
)
