"""Ranges of days in words: "March 2024", "Easter 2023", "vor zwei Wochen".

The forms are a closed grammar; `dateutil` does the calendar (Easter, steps of months). General date
parsers were tried and rejected: they return a moment, not a range, and take "may", "march", "a",
"now", "so" and "die" for dates.

There are two kinds of forms. `_FREE` ones are a period anywhere. `_BARE` ones ("March", "on
Tuesday", "over Christmas") are one only behind a preposition, because the words also mean other
things. Without a year, the latest one that has begun is meant.
"""

from __future__ import annotations

import re
from calendar import isleap
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache, partial

from dateutil.easter import easter
from dateutil.relativedelta import relativedelta

from manole.text.date_words import (
    AFTER,
    AND,
    DAYS_BACK,
    FEAST_NAMES,
    MONTHS,
    ORDINALS,
    SEASONS,
    THIRDS,
    TO,
    UNIT_OF,
    WEEKDAYS,
    WHICH,
    any_of,
)
from manole.text.numbers import COUNTS, count_of


@dataclass(frozen=True, slots=True)
class Span:
    """First and last day, both inclusive. `dated`: the words include the year.

    `core` is the day that "before" and "after" count from, if not `first`: Easter's days begin on
    Good Friday, but the week before Easter ends on the Saturday. `bound`: the words are a period
    only behind a preposition.
    """

    first: date
    last: date
    dated: bool = True
    core: date | None = None
    bound: bool = False


_M = rf"(?P<m>{any_of(MONTHS)})\.?"
_D = r"(?P<d>[0-3]?\d)(?:st|nd|rd|th|er|º|\.)?"
_YEAR = r"(?:19|20)\d{2}"
_W = rf"(?P<w>{any_of(WHICH)})"
_Y = (  # a year in figures or in words
    rf"(?P<y>{_YEAR}|(?:the )?(?:{any_of(WHICH)}) (?:year|jahr(?:es)?)(?:['’]s)?)"
)
_OF = r"(?:,? of|,? in|,| des jahres| im jahre?| de| del| van)?[ ]"
_AFTER_UNIT = rf"(?P<w>{any_of(AFTER)})"
_N = rf"(?P<n>\d{{1,5}}|{any_of(COUNTS)})"
_U = rf"(?P<u>{any_of(UNIT_OF)})"
_SEASON = rf"(?P<season>{any_of(SEASONS)})"
_FEAST = f"(?P<feast>{FEAST_NAMES})"
_WEEKDAY = rf"(?P<day>{any_of(WEEKDAYS)})"
_ORD = rf"(?P<o>{any_of(ORDINALS)})[nsr]?"
# A feast or weekday names a thing as well ("the Christmas tree", "Sunday school").
_ALONE = (  # German writes such things as one word
    r"(?:(?<=ostern)|(?<=pfingsten)|(?<=weihnachten)|(?<=heiligabend)|(?<=silvester)|(?<=tag)|"
    r"(?<=sommer)|(?<=herbst)|(?<=ling)|(?=\s*(?:$|[^\w\s]|(?:and|or|with|by|at|in|on|for|to|from|of|was|were|is|are|did|do|does|"
    r"has|have|i|we|he|she|they|you|und|oder|mit|bei|in|war|waren|ist|hat|wir|ich|er|sie|es|der|"
    r"die|das|den|the|about)\b)))"
)


# Feasts by the days from Easter Sunday to their first and last day.
_EASTER_DAYS = {
    "good friday": (-2, -2), "karfreitag": (-2, -2), "easter sunday": (0, 0),
    "ostersonntag": (0, 0), "easter monday": (1, 1), "ostermontag": (1, 1), "easter": (-2, 1),
    "ostern": (-2, 1), "pentecost": (49, 50), "whitsun": (49, 50), "pfingsten": (49, 50),
}  # fmt: skip


def _months(first: date, count: int) -> Span:
    return Span(first, first + relativedelta(months=count, days=-1))


def _year(text: str, today: date) -> int:
    """Read a year that `_Y` matched."""
    if text.isdigit():
        return int(text)
    return today.year + next(step for word, step in WHICH.items() if word in text.split())


def _named_year(match: re.Match[str], today: date, make: Callable[[int], Span]) -> Span:
    """Return the span that `make` gives for the named year, or the latest that has begun."""
    written = match.groupdict().get("y")
    if written:
        return make(_year(written, today))
    which = match.groupdict().get("w")
    if which:
        return _which(WHICH[which], today, make)
    begun = next(s for y in (1, 0, -1, -2) if (s := make(today.year + y)).first <= today)
    return Span(begun.first, begun.last, dated=False, core=begun.core)


def _which(step: int, today: date, make: Callable[[int], Span]) -> Span:
    """Return the current span (`this`), the latest past one (`last`) or the next (`next`)."""
    years = [make(today.year + offset) for offset in (-2, -1, 0, 1, 2)]
    if step == 0:
        running = [s for s in years if s.first <= today <= s.last]
        return running[0] if running else years[2]
    if step < 0:
        return [s for s in years if s.last < today][-1]
    return next(s for s in years if s.first > today)


def _day(match: re.Match[str], today: date) -> Span:
    month, day = _month_number(match["m"]), int(match["d"])
    last = int(match.groupdict().get("d2") or day)

    def make(year: int) -> Span:
        return Span(date(year, month, day), date(year, month, last))

    if match.groupdict().get("y") is None and (month, day) == (2, 29):
        leap_days = (date(y, 2, 29) for y in range(today.year, 0, -1) if isleap(y))
        past = next(leap_day for leap_day in leap_days if leap_day <= today)
        return Span(past, past, dated=False)
    return _named_year(match, today, make)


def _month(match: re.Match[str], today: date) -> Span:
    number = _month_number(match["m"])
    return _named_year(match, today, lambda y: _months(date(y, number, 1), 1))


def _month_number(text: str) -> int:
    return int(text) if text.isdigit() else MONTHS[text.rstrip(".")]


def _part(match: re.Match[str], today: date, length: int) -> Span:
    """Read a quarter (`length` 3) or a half (6) of a year."""
    written = match["o"]
    number = int(written) if written.isdigit() else ORDINALS[written]
    if number > 12 // length:
        raise ValueError(written)
    first = (number - 1) * length + 1
    return _named_year(match, today, lambda y: _months(date(y, first, 1), length))


_quarter, _half = partial(_part, length=3), partial(_part, length=6)


def _third(match: re.Match[str], today: date) -> Span:
    first = THIRDS[match["o"]]
    return _months(date(_year(match["y"], today), first, 1), 4)


def _season(match: re.Match[str], today: date) -> Span:
    first = SEASONS[match["season"]]
    return _named_year(match, today, lambda y: _months(date(y, first, 1), 3))


def _feast(match: re.Match[str], today: date) -> Span:
    name = match["feast"]
    return _named_year(match, today, lambda year: _feast_in(name, year))


def _feast_in(name: str, year: int) -> Span:
    def days(month: int, first: int, last: int | None = None) -> Span:
        return Span(date(year, month, first), date(year, month, last or first))

    if name in {"christmas eve", "heiligabend"}:
        return days(12, 24)
    if name in {"christmas day", "xmas day"}:
        return days(12, 25)
    if name.startswith(("christmas", "xmas", "weihnachten")):
        return days(12, 24, 26)
    if "eve" in name or name == "silvester":
        return days(12, 31)
    if ("day" in name and name.startswith("new")) or name == "neujahr":
        return days(1, 1)
    if name.startswith("new year") or name == "jahreswechsel":
        return Span(date(year - 1, 12, 31), date(year, 1, 1))
    if name == "halloween":
        return days(10, 31)
    if name == "thanksgiving":  # the fourth Thursday of November
        return days(11, 22 + (3 - date(year, 11, 1).weekday()) % 7)
    first, last = _EASTER_DAYS.get(name, (39, 39))  # else Ascension Day
    sunday = easter(year)
    core = sunday if first < 0 < last else None
    return Span(sunday + timedelta(days=first), sunday + timedelta(days=last), core=core)


def _weekday(match: re.Match[str], today: date) -> Span:
    number = WEEKDAYS[match["day"]] - 1
    back = (today.weekday() - number) % 7
    which = match.groupdict().get("w")
    step = WHICH[which] if which else None
    if step == 1:
        day = today + timedelta(days=7 - back)
    elif step == 0:
        day = today - timedelta(days=today.weekday() - number)
    else:
        day = today - timedelta(days=back or (7 if step == -1 else 0))
    return Span(day, day, dated=which is not None)


def calendar_unit(unit: str, day: date) -> Span:
    """Return the calendar day, week (from Monday), month, quarter or year that has `day`."""
    if unit == "days":
        return Span(day, day)
    if unit == "weeks":
        monday = day - timedelta(days=day.weekday())
        return Span(monday, monday + timedelta(days=6))
    if unit == "months":
        return _months(day.replace(day=1), 1)
    if unit == "quarters":
        return _months(date(day.year, (day.month - 1) // 3 * 3 + 1, 1), 3)
    return Span(date(day.year, 1, 1), date(day.year, 12, 31))


def step(day: date, unit: str, count: int) -> date:
    """Move `day` by `count` units (`days` to `years`); months are clipped to their last day."""
    if unit == "quarters":
        unit, count = "months", 3 * count
    return day + relativedelta(**{unit: count})  # type: ignore[arg-type]  # a unit's name


def _which_unit(match: re.Match[str], today: date) -> Span:
    unit = UNIT_OF[match["u"]]
    return calendar_unit(unit, step(today, unit, (WHICH | AFTER)[match["w"]]))


def _weekend(match: re.Match[str], today: date) -> Span:
    saturday = today + timedelta(days=5 - today.weekday())
    which = match.groupdict().get("w")
    shift = WHICH[which] if which else 0 if today >= saturday else -1
    saturday += timedelta(weeks=shift)
    return Span(saturday, saturday + timedelta(days=1))


def _near_day(match: re.Match[str], today: date) -> Span:
    day = today - timedelta(days=DAYS_BACK[match[0]])
    return Span(day, day)


def _ago(match: re.Match[str], today: date) -> Span:
    unit = UNIT_OF[match["u"]]
    return calendar_unit(unit, step(today, unit, -count_of(match["n"])))


def _last_n(match: re.Match[str], today: date) -> Span:
    unit = UNIT_OF[match["u"]]
    count = count_of(match.groupdict().get("n") or "one")
    if WHICH.get(match.groupdict().get("w") or "", -1) == 1:
        return Span(today, step(today, unit, count))
    return Span(step(today, unit, -count), today)


def _years(match: re.Match[str], today: date) -> Span:
    first, written = int(match["a"]), match["b"]
    last = int(written) if len(written) == 4 else first // 100 * 100 + int(written)
    if not first < last <= first + 200:
        raise ValueError(match[0])
    return Span(date(first, 1, 1), date(last, 12, 31))


def _decade(match: re.Match[str], today: date) -> Span:
    return Span(date(int(match["a"]), 1, 1), date(int(match["a"]) + 9, 12, 31))


def _one_year(match: re.Match[str], today: date) -> Span:
    return _months(date(_year(match["y"], today), 1, 1), 12)


_Form = tuple[str, Callable[[re.Match[str], date], Span]]
_TO = rf"(?:{any_of((*TO, *AND))})"
_FREE: tuple[_Form, ...] = (
    (r"(?P<y>\d{4})[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})", _day),
    (rf"(?P<d>\d{{1,2}})[./](?P<m>\d{{1,2}})[./](?P<y>{_YEAR})", _day),
    (rf"{_D} ?{_TO} ?(?:the )?(?P<d2>[0-3]?\d)(?:st|nd|rd|th|\.)? (?:of |de )?{_M}{_OF}{_Y}", _day),
    (rf"{_D} (?:of |de )?{_M}{_OF}{_Y}", _day),
    (rf"{_M} (?:the )?{_D}{_OF}{_Y}", _day),
    (rf"(?P<o>early|mid|late|anfang|mitte|ende)[ -]{_Y}", _third),
    (rf"(?:the )?(?P<o>beginning|start|middle|end) of {_Y}", _third),
    (rf"{_M}{_OF}{_Y}", _month),
    (r"(?P<y>\d{4})-(?P<m>\d{2})", _month),
    (rf"(?P<m>\d{{1,2}})/(?P<y>{_YEAR})", _month),
    (rf"q(?P<o>[1-4])(?:[/-]|{_OF}){_Y}", _quarter),
    (rf"(?P<y>{_YEAR})[ -]?q(?P<o>[1-4])", _quarter),
    (rf"(?:the )?{_ORD} (?:quarter|quartal){_OF}(?:the year )?{_Y}", _quarter),
    (rf"h(?P<o>[12]){_OF}{_Y}", _half),
    (rf"(?:the )?{_ORD} (?:half|hälfte|halbjahr){_OF}(?:the year )?{_Y}", _half),
    (rf"{_SEASON}{_OF}{_Y}(?:[/–-]\d\d)?", _season),
    (rf"{_FEAST}{_OF}{_Y}", _feast),
    (rf"(?!this (?:may|march)\s+\w){_W} {_M}", _month),
    (rf"{_W} {_SEASON}", _season),
    (rf"{_W} {_FEAST}", _feast),
    (rf"{_W} {_WEEKDAY}", _weekday),
    (rf"{_W} (?:weekend|wochenende)", _weekend),
    (rf"(?:past|{_W}) {_N} {_U}", _last_n),
    (rf"past {_U}", _last_n),
    (rf"{_W} {_U}", _which_unit),
    (rf"{_U} {_AFTER_UNIT}", _which_unit),
    (rf"(?:{any_of(DAYS_BACK)})", _near_day),
    (rf"{_N} {_U} ago", _ago),
    (rf"(?:vor|il y a|hace|há) {_N} {_U}", _ago),
    (rf"{_N} {_U} (?:fa|geleden|atrás)", _ago),
    (r"(?:the )?(?P<a>(?:19|20)\d0)s", _decade),
    (rf"(?P<a>{_YEAR})(?:[/–]|-)(?P<b>{_YEAR}|\d\d)", _years),
    (rf"(?P<y>{_YEAR})", _one_year),
)
_BARE: tuple[_Form, ...] = (
    (rf"{_D} ?{_TO} ?(?:the )?(?P<d2>[0-3]?\d)(?:st|nd|rd|th|\.)? (?:of |de )?{_M}", _day),
    (rf"{_D} (?:of |de )?{_M}", _day),
    (rf"{_M} (?:the )?{_D}{_ALONE}", _day),
    (rf"{_M}", _month),
    (r"q(?P<o>[1-4])", _quarter),
    (rf"(?!fall of){_SEASON}{_ALONE}", _season),
    (rf"{_FEAST}{_ALONE}", _feast),
    (rf"{_WEEKDAY}{_ALONE}", _weekday),
    (r"(?:weekend|wochenende)", _weekend),
)
# Not inside a number, an amount or an identifier such as RB-2022-0117.
_BEFORE = r"(?<![\w/.,€$£#@–-])"
_AFTER = (
    r"(?![\w/@–]|[.,:-]\d|-\w|[ ]?(?:%|€|\$|£|(?:eur|euros?|dollars?|k?g|grams?|m?l|k?m|k?wh|kw|"
    r"pages?|words?|people|files?|points?|calories|kcal)\b))"
)
# Without one of these no form can match, and the large pattern is not needed.
_HINT = re.compile(
    rf"\d{{2}}|q[1-4]\b|ago\b|day|night|morning|{FEAST_NAMES}|"
    + any_of((*UNIT_OF, *DAYS_BACK, *MONTHS, *SEASONS, *WEEKDAYS))
)


@cache
def _points() -> re.Pattern[str]:
    """Return all forms as one pattern, without named groups. It takes 0.1 s to compile."""
    forms = "|".join(re.sub(r"\(\?P<\w+>", "(?:", pattern) for pattern, _ in (*_FREE, *_BARE))
    return re.compile(f"{_BEFORE}(?:{forms}){_AFTER}")


def find(text: str) -> list[re.Match[str]]:
    """Find the phrases of `text` (lower case) that may name days, in order, for `read`."""
    return list(_points().finditer(text)) if _HINT.search(text) else []


def read(text: str, today: date) -> Span | None:
    """Return the days that a phrase in lower case means; `None` if it is not in the grammar."""
    for pattern, make in (*_FREE, *_BARE):
        match = _form(pattern).fullmatch(text)
        if match is None:
            continue
        try:
            span = make(match, today)
        except (ValueError, OverflowError, StopIteration, IndexError):
            continue  # such as 31 February, or 1900-13
        return replace(span, bound=(pattern, make) in _BARE)
    return None


@cache
def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
