"""Days that are counted from the day of a text: "tomorrow", "Tuesday week", "oggi a otto".

A weekday is the next one; "next Friday" that is yet to come in the same week may be either, and is
not sure, nor is "the end of the month", which may be any. Texts are in small letters without
accents (`fold`); the words are in `lists/`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta

from manole.text.date_words import AFTER, DAYS_BACK, UNIT_OF, WEEKDAYS, WHICH, any_of
from manole.text.lengths import lengths_with_places
from manole.text.lists import lines, listed, numbered
from manole.text.spans import calendar_unit, step
from manole.text.words import fold


@dataclass(frozen=True, slots=True)
class Named:
    """A day and its place in a text; not `sure` where another one may be meant."""

    start: int
    end: int
    day: date
    sure: bool = True


_SHORTEST = 5  # letters of a weekday that is no other word: "mon", "tue"
_WEEKDAYS = {fold(name): n for name, n in WEEKDAYS.items() if len(name) >= _SHORTEST}
_AHEAD = {fold(word): -n for word, n in DAYS_BACK.items() if n <= 0}
_TODAY = frozenset(word for word, n in _AHEAD.items() if n == 0) | listed("this_day")
_MORNINGS = {word: before for word, *before in lines("tomorrow")}
_SHIFTS = numbered("shifts")
_STEPS = {fold(word): n for word, n in (WHICH | AFTER).items()}
_COMING = listed("coming")
_UNITS = {fold(word): unit for word, unit in UNIT_OF.items()}
_WEEK = any_of(word for word, unit in _UNITS.items() if unit == "weeks")
_LONG = any_of(word for word, unit in _UNITS.items() if unit in {"months", "quarters", "years"})
_UNIT_ENDS = {word: unit for unit, *words in lines("unit_ends") for word in words}
_ENDS, _LEADING = any_of(listed("ends_of")), any_of(listed("leading_days"))

_STEP = rf"(?P<step>{any_of(map(fold, WHICH))})"
_BEHIND = rf"(?P<behind>{any_of(map(fold, AFTER))})"
_JOINED = rf"(?:(?:{any_of(listed('between_days'))})(?: |(?<=')|(?<=l’)))"
_PART = rf"(?:{any_of(listed('dayparts'))})?"  # "Freitagabend", "morgenochtend"
_DAY = rf"(?P<weekday>{any_of(_WEEKDAYS)}){_PART}"
_NEAR = (
    rf"(?:(?P<near>{any_of((*_AHEAD, *_TODAY))})|(?P<morning>{any_of(_MORNINGS)}){_PART}|{_DAY})"
)
_SHIFT = rf"(?P<shift>{any_of(_SHIFTS)})"
_THAT_WEEK = rf"(?:{_STEP} (?:{_WEEK})|(?:{_WEEK}) {_BEHIND})"
_UNIT = rf"(?P<unit>{_LONG})"


def relative_days(text: str, today: date) -> list[Named]:
    """Return the days from `today` on that a text of that day names so, in order of place."""
    found: list[Named] = []
    taken = bytearray(len(text))
    for start, end, day, sure in _readings(text, today):
        if not any(taken[start:end]):
            taken[start:end] = b"\1" * (end - start)
            if day >= today:
                found.append(Named(start, end, day, sure))
    return sorted(found, key=lambda one: one.start)


def _readings(text: str, today: date) -> Iterator[tuple[int, int, date, bool]]:
    """Yield place, day and sureness of each phrase, the longest forms first."""
    for start, end, length in lengths_with_places(text):
        match = _COUNTED.match(text, end)
        if match and (near := _near(match, today)):
            with suppress(OverflowError, ValueError):  # of lengths that lead past the year 9999
                yield start, match.end(), length.after(near), True
    for pattern, read in _FORMS:
        for match in pattern.finditer(text):
            if told := read(match, today):
                yield match.start(), match.end(), *told


_Told = tuple[date, bool] | None


def _near(match: re.Match[str], today: date) -> date | None:
    """Return the day of today, tomorrow or a weekday."""
    if match["weekday"]:
        return _next(_WEEKDAYS[match["weekday"]], today)
    if match["near"]:
        return today + timedelta(days=0 if match["near"] in _TODAY else _AHEAD[match["near"]])
    before = match.string[: match.start("morning")].split()[-1:]
    weekdays = [word for word in before if word.strip(",.") in _WEEKDAYS]
    if weekdays or {*before} & {*_MORNINGS[match["morning"]]}:
        return None
    return today + timedelta(days=1)


def _next(weekday: int, today: date) -> date:
    return today + timedelta(days=(weekday - today.isoweekday() - 1) % 7 + 1)


def _read_near(match: re.Match[str], today: date) -> _Told:
    day = _near(match, today)
    return (day, True) if day else None


def _read_shifted(match: re.Match[str], today: date) -> _Told:
    day = _near(match, today)
    return (day + timedelta(days=_SHIFTS[match["shift"]]), True) if day else None


def _steps(match: re.Match[str]) -> tuple[str, int | None]:
    """Return the word for this, last or next that a phrase has, and what it says."""
    word = match["step"] or match["behind"] or ""
    return word, _STEPS.get(word)


def _read_weekday(match: re.Match[str], today: date) -> _Told:
    number, (word, steps) = _WEEKDAYS[match["weekday"]], _steps(match)
    day, later = _next(number, today), number > today.isoweekday()
    if steps is not None and steps < 0:
        return day - timedelta(weeks=1), True
    if steps is None or word in _COMING:
        return day, True
    return day, later if steps == 0 else not later


def _read_week(match: re.Match[str], today: date) -> _Told:
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=_steps(match)[1] or 0)
    number = _WEEKDAYS[match["weekday"]] if match["weekday"] else today.isoweekday()
    return monday + timedelta(days=number - 1), True


def _read_end(match: re.Match[str], today: date) -> _Told:
    unit, (_, steps) = _UNITS[match["unit"]], _steps(match)
    return calendar_unit(unit, step(today, unit, steps or 0)).last, steps is not None


def _read_unit_end(match: re.Match[str], today: date) -> _Told:
    return calendar_unit(_UNIT_ENDS[match["unit"]], today).last, False


_COUNTED = re.compile(rf" (?:(?:{_LEADING}) )?{_NEAR}\b")
_DAY_OR_THIS = rf"(?:{_DAY}|{any_of(listed('this_day'))})"
_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], _Told]], ...] = tuple(
    (re.compile(rf"(?<![\w-]){form}\b"), read)
    for form, read in (
        (rf"{_DAY_OR_THIS},? {_JOINED}{{0,3}}{_THAT_WEEK}", _read_week),
        (rf"{_THAT_WEEK},? {_JOINED}{{0,2}}{_DAY_OR_THIS}", _read_week),
        (rf"{_NEAR} {_SHIFT}", _read_shifted),
        (rf"(?:{_STEP} )?{_DAY}(?: {_BEHIND})?", _read_weekday),
        (_NEAR, _read_near),
        (rf"(?:{_ENDS}) {_JOINED}{{0,2}}(?:{_STEP} )?{_UNIT}(?: {_BEHIND})?", _read_end),
        (rf"(?P<unit>{any_of(_UNIT_ENDS)})", _read_unit_end),
    )
)
