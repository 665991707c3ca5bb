"""Periods in a question: "2023", "last March", "between May and July 2023", "seit 2022".

A period is a range of days (`spans`), or a relation to one: since, before, between, the week
before. Both ends are inclusive, and `today` is always a parameter.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta

from manole.text.date_words import (
    AND,
    BETWEEN,
    EARLIER,
    FROM,
    LATER,
    MONTHS,
    SINCE,
    TO,
    UNIT_OF,
    UNTIL,
    any_of,
)
from manole.text.numbers import NUMBERS, count_of
from manole.text.sentences import spans
from manole.text.spans import Span, find, read, step


@dataclass(frozen=True, slots=True)
class Period:
    """A range of days, both ends inclusive; `None` is open. `text` is the phrase that named it."""

    text: str
    start: date | None = None
    end: date | None = None

    def __contains__(self, day: date) -> bool:
        return (self.start is None or day >= self.start) and (self.end is None or day <= self.end)

    def outside(self, text: str) -> str:
        """Return a text without the phrase of this period, or unchanged if it lacks it."""
        at = text.lower().find(self.text.lower()) if self.text else -1
        return text if at < 0 else f"{text[:at]} {text[at + len(self.text) :]}"


def find_period(text: str, today: date) -> Period | None:
    """Return the first period that `text` names, or `None`."""
    if (months := _months(text.lower(), today)) is not None:
        return months
    marked = _Marked(text.lower())
    for pattern, build in _RULES:
        for match in pattern.finditer(marked.text):
            try:
                found = build(match, marked, today)
            except (ValueError, OverflowError):
                continue
            if found is not None:
                return found
    return None


def iso_dated(text: str) -> str:
    """Return `text` with its days in ISO form, as tables and file names write them.

    "on 30 June 2024" becomes "on 2024-06-30"; everything else stays.
    """
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter such as İ, which has no lower case of one letter
        return text
    for match in reversed(find(lowered)):
        span = read(match[0], date(2000, 1, 1)) if re.search(r"\d{4}", match[0]) else None
        if span and span.first == span.last:
            text = text[: match.start()] + span.first.isoformat() + text[match.end() :]
    return text


class _Marked:
    """A text whose phrases for days are replaced by marks (⟨0⟩, ⟨1⟩), which the rules match."""

    def __init__(self, text: str) -> None:
        self._points = find(text)
        self.text = text.replace("⟨", " ")
        for n, point in reversed(list(enumerate(self._points))):
            self.text = f"{self.text[: point.start()]}⟨{n}⟩{self.text[point.end() :]}"

    def read(self, mark: str, today: date) -> Span:
        """Return the days of a mark. Raises `ValueError` if it names none."""
        span = read(self.written(mark), today)
        if span is None:
            raise ValueError(mark)
        return span

    def written(self, text: str) -> str:
        """Return `text` with the phrases in place of its marks."""
        return re.sub(r"⟨(\d+)⟩", lambda m: self._points[int(m[1])][0], text)


def explained(text: str, today: date) -> str:
    """Return `text` with plain dates behind a period that counts from today.

    "What came in last March?" becomes "What came in last March (March 2024)?". A period with its
    own year stays as it is, and so does "recently".
    """
    period = find_period(text, today)
    if period is None or re.search(r"\d{4}", period.text) or period.text.startswith("recent"):
        return text
    at = text.lower().find(period.text)
    if at < 0 or len(text.lower()) != len(text):
        return text
    end = at + len(period.text)
    return f"{text[:end]} ({spelled(period)}){text[end:]}"


def with_plain_dates(text: str, day: date) -> str:
    """Return a text that was written on `day` with plain dates in each of its sentences."""
    for start, end in reversed([*spans(text, small=True)]):
        text = text[:start] + explained(text[start:end], day) + text[end:]
    return text


def spelled(period: Period) -> str:
    """Write a period in plain dates, as documents do: "March 2024", "2023", "5 June 2024".

    Longer or open ones: "6 January 2025 to 12 January 2025", "since 1 June 2024".
    """
    start = None if period.start == date.min else period.start
    end = None if period.end == date.max else period.end
    if start is None or end is None:
        if start:
            return f"since {written(start)}"
        return f"until {written(end)}" if end else ""
    if start == end:
        return written(start)
    whole = start.day == 1 and (end + timedelta(days=1)).day == 1
    if whole and (start.year, start.month) == (end.year, end.month):
        return f"{start:%B %Y}"
    if whole and start.month == 1 and end.month == 12:
        return str(start.year) if start.year == end.year else f"{start.year} to {end.year}"
    if whole:
        return f"{start:%B %Y} to {end:%B %Y}"
    return f"{written(start)} to {written(end)}"


def written(day: date) -> str:
    """Write a day in words: "5 June 2024"."""
    return f"{day.day} {day:%B %Y}"


def _months(text: str, today: date) -> Period | None:
    """Read months in a row as one period: "July, August and September 24"."""
    for match in _LISTED.finditer(text):
        named = [MONTHS[word] for word in re.findall(_MONTH, match["months"])]
        if named == [*range(named[0], named[0] + len(named))]:
            year = f"20{match['year']}"[-4:] if match["year"] else ""
            ends = f"from {month_name[named[0]]} to {month_name[named[-1]]} {year}".lower()
            found = find_period(ends, today)
            return found and replace(found, text=match[0])
    return None


def _between(match: re.Match[str], marked: _Marked, today: date) -> Period | None:
    """Read a range; a year that only one end names counts for both."""
    first, last = marked.read(match[1], today), marked.read(match[2], today)
    if first.dated and not last.dated:
        last = marked.read(match[2], step(first.first, "years", 1) - timedelta(days=1))
    elif not first.dated:
        first = marked.read(match[1], last.last)
    if last.last < first.first:
        return None
    return Period(marked.written(match[0]), first.first, last.last)


def _since(match: re.Match[str], marked: _Marked, today: date) -> Period:
    span = marked.read(match[2], today)
    after = match[1] in LATER
    first = span.last + timedelta(days=1) if after else span.first
    return Period(marked.written(match[0]), first, None)


def _before(match: re.Match[str], marked: _Marked, today: date) -> Period:
    span = marked.read(match[2], today)
    before = match[1] in EARLIER
    last = (span.core or span.first) - timedelta(days=1) if before else span.last
    return Period(marked.written(match[0]), None, last)


def _beside(match: re.Match[str], marked: _Marked, today: date) -> Period:
    """Read `the week before Easter` or `two days after Christmas`: days next to the span."""
    span = marked.read(match[4], today)
    count, unit = count_of(match[1] or "one"), UNIT_OF[match[2]]
    text = marked.written(match[0])
    if match[3] in {"before", "vor"}:
        core = span.core or span.first
        return Period(text, step(core, unit, -count), core - timedelta(days=1))
    core = span.core or span.last
    return Period(text, core + timedelta(days=1), step(core, unit, count))


def _week_of(match: re.Match[str], marked: _Marked, today: date) -> Period:
    span = marked.read(match[1], today)
    monday = span.first - timedelta(days=span.first.weekday())
    return Period(marked.written(match[0]), monday, monday + timedelta(days=6))


def _free(match: re.Match[str], marked: _Marked, today: date) -> Period | None:
    span = marked.read(match[0], today)
    return None if span.bound else Period(marked.written(match[0]), span.first, span.last)


def _bound(match: re.Match[str], marked: _Marked, today: date) -> Period:
    span = marked.read(match[1], today)
    return Period(marked.written(match[0]), span.first, span.last)


def _recent(match: re.Match[str], marked: _Marked, today: date) -> Period:
    return Period(match[0], today - timedelta(days=30), today)


_MONTH = rf"(?<!\w)(?:{any_of(MONTHS)})(?!\w)"
_LISTED = re.compile(
    rf"(?P<months>{_MONTH}(?:(?:\s*[,&]\s*|\s+)(?:(?:{any_of(AND)})\s+)?{_MONTH})+)"
    r"(?:\s+(?:of\s+|de\s+)?['’]?(?P<year>(?:20)?\d\d)(?!\d))?"
)
_Rule = Callable[[re.Match[str], _Marked, date], Period | None]
_COUNT = rf"(\d{{1,5}}|{any_of(NUMBERS)})"
_UNIT = rf"({any_of(UNIT_OF)})"
_THE = r"(?:the end of |the |ende |dem |den |der |le |la |el |il |o |de |l['’])?"
_P = rf"{_THE}(⟨\d+⟩)"
_PREPOSITION = (
    r"(?:in|on|at|over|during|for|from|of|around|im|am|an|zu|zum|vom|von|über|während|en|au|du|de|"
    r"del|el|le|nel|di|op|van|em)(?: the| mois de| mes de)?"
)
_RULES: tuple[tuple[re.Pattern[str], _Rule], ...] = tuple(
    (re.compile(rf"(?<!\w)(?:{pattern})(?!\w)"), build)
    for pattern, build in (
        (rf"(?:{any_of(BETWEEN)}) {_P} (?:{any_of(AND)}) {_P}", _between),
        (rf"(?:{any_of(FROM)}) {_P} ?(?:{any_of(TO)}) ?{_P}", _between),
        (rf"(⟨\d+⟩) ?(?:{any_of(TO)}) ?(⟨\d+⟩)", _between),
        (rf"(?:the |die |den )?(?:{_COUNT} )?{_UNIT} (before|after|vor|nach) {_P}", _beside),
        (rf"(?:the |die |der )?(?:week|woche) (?:of|von|vom) {_P}", _week_of),
        (rf"(since|after|from|ab|seit) {_P} (?:on|onwards?|an)", _since),
        (rf"({any_of({*SINCE, *LATER} - {'from'})}) {_P}", _since),
        (rf"({any_of((*EARLIER, *UNTIL))}) ?{_P}", _before),
        (r"⟨\d+⟩", _free),
        (rf"{_PREPOSITION} (⟨\d+⟩)", _bound),
        (r"recent(?:ly)?", _recent),
    )
)
