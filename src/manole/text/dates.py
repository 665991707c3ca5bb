"""Days in a text: `5. Mai 2024`, `May 5, 2024`, `05/05/2024`, also incomplete ones.

`03/02/2024` is ambiguous: it is read as 3 February, as in most of the world, unless the text has
amounts in dollars, or its other days show the order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from manole.text.date_words import MONTHS, SHORT_MONTHS, any_of
from manole.text.lists import listed

_MONTH = "(?P<month>" + any_of(MONTHS) + r")\b\.?"
_SHORT_MONTH = "(?P<month>" + any_of(SHORT_MONTHS) + r")\b\.?"
_YEAR = r"(?P<year>(?:1\d|20)\d\d)"
_START = r"(?<!\d)(?<!\d[.,])"  # not inside a version or an amount
_END = r"(?!\d)(?![.,]\d)"
_TO_YEAR = r"[ \t\u00a0\u202f_,-]{0,8}(?:de[ \t]{1,8})?"
_LED = "|".join(rf"(?<=\b{word} )" for word in sorted(listed("before_dates")))
_GAP = r"[ \t\u00a0\u202f_-]{0,8}"  # bounded: a line of blanks must not be tried in every way

_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_START}{_YEAR}(?P<s>[-_./])(?P<m>\d\d?)(?P=s)(?P<d>\d\d?)(?!\d|\.\d)",  # or a cell
        rf"{_START}{_YEAR}年(?P<m>\d\d?)月(?P<d>\d\d?)日",
        rf"{_START}(?P<d>\d\d?)(?:st|nd|rd|th|er|º|\.)?{_GAP}(?:of|de)?{_GAP}{_MONTH}"
        rf"{_TO_YEAR}{_YEAR}{_END}",
        rf"{_START}(?P<d>\d\d?)(?:er|º|\.)?{_GAP}(?:de)?{_GAP}(?<=[ \t\u00a0\u202f_.-])"
        rf"{_SHORT_MONTH}{_TO_YEAR}{_YEAR}{_END}",
        rf"\b{_MONTH}{_GAP}(?P<d>\d\d?)(?:st|nd|rd|th)?[ \t\u00a0\u202f_,-]{{1,8}}{_YEAR}{_END}",
        rf"{_START}(?P<a>\d\d?)(?P<s>[-_./])(?P<b>\d\d?)(?P=s){_YEAR}{_END}",
        _START + r"(?P<a>\d\d?)(?P<s>[./])(?P<b>\d\d?)(?P=s)(?P<yy>\d\d)(?!\d|[.,/]\d)",
        # 18-11-18 alone may be anything; led to as a day is, or beside a time of day, as tills
        # print it, it is a day.
        rf"(?:{_LED})(?P<a>\d\d?)(?P<s>-)(?P<b>\d\d?)-(?P<yy>\d\d)(?![-\d])",
        _START + r"(?P<a>\d\d)(?P<s>-)(?P<b>\d\d)-(?P<yy>\d\d)(?=[ ]{1,4}\d\d:\d\d(?!\d))",
        r"(?<!\d)\d\d:\d\d ?[AP][MH]?\b[ \d]{0,14} "
        r"(?P<a>\d\d)(?P<s>-)(?P<b>\d\d)-(?P<yy>\d\d)(?![-\d])",
    )
)
_NAMED_DAY = re.compile(rf"{_START}{_YEAR}(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01]){_END}")
_NAMED_MONTH = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![a-z]){_MONTH}[ _-]{{0,8}}{_YEAR}{_END}",
        rf"{_START}{_YEAR}[ _-]{{0,8}}{_MONTH}(?![a-z])",
        rf"{_START}{_YEAR}[-_.](?P<m>0[1-9]|1[0-2])(?![\d]|[-_.]\d)",
    )
)
_ABOUT = tuple(  # incomplete days and months; the patterns above go first
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_START}(?P<d>\d\d?)(?:st|nd|rd|th|er|º|\.)?[ \t\u00a0]{{0,8}}(?:of|de)?"
        rf"[ \t\u00a0]{{0,8}}\b{_MONTH}",
        rf"\b{_MONTH}[ \t\u00a0]{{1,8}}(?P<d>\d\d?)(?:st|nd|rd|th)?{_END}",
        rf"\b{_MONTH}[ \t\u00a0,]{{0,8}}(?:of|de)?[ \t\u00a0]{{0,8}}{_YEAR}{_END}",
        rf"{_START}{_YEAR}-(?P<m>0[1-9]|1[0-2])(?![-\d])",
        rf"{_START}{_YEAR}年(?P<m>\d\d?)月",
        r"(?<!\d)(?P<m>\d\d?)月(?P<d>\d\d?)日",
        rf"{_START}(?P<d>\d\d?)\.(?P<m>\d\d?)\.(?!\d)",
        rf"\b{_MONTH}",
    )
)
# "5. bis 23. August", "5, 12 and 19 May": a day takes its month from the next one.
_AND_DAY = re.compile(
    r"(?<![\d.,])(?P<d>\d\d?)(?:st|nd|rd|th|er|º|\.)?(?:\s*[-–—/&,]\s*"
    r"|\s+(?:to|until|and|or|bis|und|oder|au|et|y|e|a|al|tot|en)\s+)"
    r"(?:(?:the|den|dem|le|el|il|de)\s+)?$",
    re.IGNORECASE,
)
_VERB = re.compile(r"(?:\d+\W*)?may(?:\W*\d+)?")  # "under 12 may travel": the month has a capital
_AHEAD = 20  # years that a two-digit year may be in the future
_DOLLARS = re.compile(r"\$ ?\d|\d ?\$|\bUSD\b")


def counts_in_dollars(text: str) -> bool:
    """Return whether amounts are in dollars: then days are written with the month first."""
    return bool(_DOLLARS.search(text))


def find_dates(text: str, us: bool = False) -> list[tuple[int, int, date]]:
    """Return every date in `text` as (start, end, date), in order of place.

    `us`: in `03/02/2024` the month comes first.
    """
    matches = (match for pattern in _PATTERNS for match in pattern.finditer(text))
    return sorted(
        (match.start(), match.end(), day) for match in matches if (day := _value(match, us))
    )


def named_days(name: str) -> Iterator[date]:
    """Yield the days in a file's name, the likeliest first."""
    yield from (value for _, _, value in find_dates(name))
    yield from filter(None, (_value(match, us=False) for match in _NAMED_DAY.finditer(name)))


def named_months(name: str) -> Iterator[date]:
    """Yield the first days of the months in a file's name, which may be numbers: `FA-2023-01`."""
    for pattern in _NAMED_MONTH:
        yield from filter(None, (_value(match, us=False) for match in pattern.finditer(name)))


@dataclass(frozen=True, slots=True)
class Day:
    """A day as it is written: it may lack year or day, and need not exist.

    Its text is ISO 8601 with the known parts: `2024-05-03`, `2024-05`, `--05-03`, `--05`.
    """

    year: int | None
    month: int
    day: int | None

    def __str__(self) -> str:
        head = "-" if self.year is None else str(self.year)
        tail = "" if self.day is None else f"-{self.day:02}"
        return f"{head}-{self.month:02}{tail}"


@dataclass(frozen=True, slots=True)
class Mention:
    """The place of a day in a text, and its possible readings: `03/04/2024` has two."""

    start: int
    end: int
    readings: tuple[Day, ...]


@lru_cache(maxsize=1024)  # sentences are compared with each other, so they are read often
def mentions(text: str) -> tuple[Mention, ...]:
    """Return every day in `text`, also incomplete ones (`May 2024`, `5. Mai`), in order.

    The text's other days decide the order of day and month, if they show it.
    """
    found: list[Mention] = []
    taken = bytearray(len(text))
    for pattern in (*_PATTERNS, *_ABOUT):
        for match in pattern.finditer(text):
            readings = _readings(match)
            if readings and not any(taken[match.start() : match.end()]):
                taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
                found.append(Mention(match.start(), match.end(), readings))
    found.sort(key=lambda mention: mention.start)
    return tuple(_settled(text, _with_days_before(text, found)))


def _readings(match: re.Match[str]) -> tuple[Day, ...]:
    """Return the readings of a match; day before month comes first."""
    parts = match.groupdict()
    years: tuple[int | None, ...] = (int(parts.get("year") or 0) or None,)
    if parts.get("yy"):
        years = _centuries(int(parts["yy"]))
    either: list[tuple[int, int | None]]
    if parts.get("a"):
        one, other = int(parts["a"]), int(parts["b"])
        dotted = parts["s"] == "." and other <= 12
        either = [(other, one)] if dotted else [(other, one), (one, other)]
    else:
        either = [(_month(parts), int(parts["d"]) if parts.get("d") else None)]
        if years == (None,) and _VERB.fullmatch(match[0]):
            return ()
    days = (
        Day(year, m, d)
        for year in years
        for m, d in either
        if 1 <= m <= 12 and (d is None or 1 <= d <= 31)
    )
    return tuple(dict.fromkeys(days))


def _month(parts: Mapping[str, str | None]) -> int:
    """Return the month of a match; 0 if its name has a letter that only looks right."""
    name = parts.get("month")
    if not name:
        return int(parts["m"] or 0)
    return month_of(name) or SHORT_MONTHS.get(name.lower(), 0)


def _centuries(year: int) -> tuple[int, int]:
    """Return the years of two digits, the likelier first: papers are rarely about the future."""
    either = (2000 + year, 1900 + year)
    return either if either[0] <= date.today().year + _AHEAD else either[::-1]


def _with_days_before(text: str, found: list[Mention]) -> list[Mention]:
    """Add the days that share the month of the next one: `5. bis 23. August`."""
    out: list[Mention] = []
    for mention in reversed(found):
        out.append(mention)
        last = mention
        while last.readings[0].day is not None and len(last.readings) == 1:
            before = _AND_DAY.search(text, max(0, last.start - 24), last.start)
            if before is None or not 1 <= int(before["d"]) <= 31:
                break
            if any(other.end > before.start("d") and other.end <= last.start for other in found):
                break
            day = replace(last.readings[0], day=int(before["d"]))
            last = Mention(before.start("d"), before.end("d"), (day,))
            out.append(last)
    return out[::-1]


def _settled(text: str, found: list[Mention]) -> list[Mention]:
    """Read ambiguous mentions in the order of the text's unambiguous ones of that form."""
    shown = set()  # whether the day stands first
    open_ones: dict[int, int] = {}  # by index: the first number of an ambiguous day
    for at, mention in enumerate(found):
        written = re.match(r"(\d\d?)[-/](\d\d?)[-/]", text[mention.start : mention.end])
        if written and int(written[1]) != int(written[2]):
            orders = {day.day == int(written[1]) for day in mention.readings}
            if len(orders) == 1:
                shown |= orders
            else:
                open_ones[at] = int(written[1])
    if len(shown) != 1:
        return found
    for at, first in open_ones.items():
        kept = (day for day in found[at].readings if (day.day == first) in shown)
        found[at] = replace(found[at], readings=tuple(kept))
    return found


def _value(match: re.Match[str], us: bool) -> date | None:
    """Return the likeliest day of a match; for a month alone, its first day."""
    readings = _readings(match)
    if us and match.groupdict().get("a"):
        readings = tuple(d for d in readings if d.month == int(match["a"])) or readings
    if not readings or readings[0].year is None:
        return None
    return date_of(readings[0].year, readings[0].month, readings[0].day or 1)


def month_of(word: str) -> int | None:
    """Return the number of a month by its name in any language of `MONTHS`, else `None`."""
    return MONTHS.get(word.upper().lower())  # folds ſ and ı, which match s and i


def date_of(year: int, month: int, day: int) -> date | None:
    """Return that day, if it exists and a paper may have it."""
    try:
        value = date(year, month, day)
    except ValueError:
        return None
    return value if value >= date(1900, 1, 1) else None
