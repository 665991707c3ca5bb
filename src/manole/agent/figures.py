"""The figures of a text, compared by what they mean and not by how they are written.

`1.234,50`, `1,234.50`, `1 234,50` and `1'234.50` are one number; `5. Mai 2024`, `May 5, 2024` and
`05.05.2024` one day. What can be read in two ways (`1.234`, `03/04/2024`) has both *readings*, and
the text's own other figures decide between them where they can; its language says which is the
likelier. A figure of an answer is held by a text

* for certain, where it is spelled as there, or its one reading is there;
* perhaps, where it takes one of two readings, or a day is put together ("May 2024", "the 5th");
* else not at all.

Digits may be of any script. Signs, units and currencies beside a number are not part of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import lru_cache

from manole.agent.languages import words_of
from manole.documents.dates import Day, mentions
from manole.index.language import certain_language

_SPACES = " \u00a0\u202f\u2009"
_NUMBER = re.compile(
    rf"(?<!\d)(?<!\d[{_SPACES}])\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?![{_SPACES}]?\d)(?:[.,]\d+(?!\d))?"
    r"|\d{1,2}(?:,\d{2})+,\d{3}(?!\d)(?:\.\d+)?"  # 1,23,456.50
    r"|\d+(?:[.,'’]\d{3}(?!\d))*(?:[.,]\d+)?"
)
_TIME = re.compile(  # 8:30, 08 h 30, 8.30 Uhr; also 1:58:41
    r"(?<![\d:])(\d{1,2}):(\d\d)(?::(\d\d))?(?![\d:])(?:\s?([ap])\.?m\b)?"
    r"|(?<![\d.,])(\d{1,2})\s?(?:h|uhr)\s?(\d\d)(?!\d)"
    r"|(?<![\d.,])(\d{1,2})\.(\d\d)(?=\s?(?:uhr|h)\b)",
    re.IGNORECASE,
)
_ARABIC = str.maketrans({"٬": "’", "٫": ".", "،": ","})


class Held(IntEnum):
    """Whether texts hold a figure."""

    NO = 0
    PERHAPS = 1
    YES = 2


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, day or time as it is written from `start` to `end` of a text, digits in ASCII.

    `readings` are the values that it may have, the likeliest first; `certain` says whether that
    one can be relied on. `parts` are what else it tells: a day its year, a time its hour.
    """

    text: str
    start: int
    end: int
    readings: tuple[str, ...]
    certain: bool = True
    parts: frozenset[str] = frozenset()
    day: Day | None = None

    @property
    def spelling(self) -> str:
        """How it is written, but for spaces."""
        return re.sub(rf"[{_SPACES}]", " ", self.text).lower()


@lru_cache(maxsize=1024)  # sentences are compared with each other, and so read again and again
def figures(text: str, decimal: str | None = None) -> tuple[Figure, ...]:
    """The figures of a text in their order.

    `decimal` is the sign that its decimals likely stand behind, where it does not show that itself.
    """
    text = plain_digits(text)
    if not re.search(r"\d", text):
        return ()
    dated = [(m.start, m.end) for m in mentions(text)]
    found = [*_days(text), *_times(text, dated)]
    taken = [(figure.start, figure.end) for figure in found]
    written = list(_written(text, taken))
    notation = _Notation.of([raw[0] for raw in written], decimal)
    found += [Figure(raw[0], raw.start(), raw.end(), *notation.readings(raw[0])) for raw in written]
    return tuple(sorted(found, key=lambda figure: figure.start))


def numbers(text: str) -> set[str]:
    """All that the figures of a text may mean, days also in parts: to see what texts share."""
    return {value for figure in figures(text) for value in (*figure.readings, *figure.parts)}


@dataclass(frozen=True, slots=True)
class Known:
    """What texts hold of figures."""

    sure: set[str] = field(default_factory=set)
    perhaps: set[str] = field(default_factory=set)
    spelled: set[str] = field(default_factory=set)
    months: set[str] = field(default_factory=set)  # named without a day: `--05`, `2024-05`

    @classmethod
    def of(cls, texts: Iterable[str]) -> Known:
        """What several texts hold, each in its own notation."""
        known = cls()
        for text in texts:
            known.add(text)
        return known

    def add(self, text: str) -> None:
        """Take in a text."""
        language = certain_language(text)
        for figure in figures(text, words_of(language).decimal if language else None):
            self.take(figure)
        for mention in mentions(plain_digits(text)):
            self.months.update(str(day) for day in mention.readings if day.day is None)

    def take(self, figure: Figure) -> None:
        """Take in one figure."""
        self.spelled.add(figure.spelling)
        self.sure.update(figure.readings[:1] if figure.certain else (), figure.parts)
        self.perhaps.update(figure.readings)
        if len(apart := _apart(figure)) > 1:
            self.perhaps.update(value for one in apart for value in one.readings)

    def holds(self, figure: Figure) -> Held:
        """Whether a figure is among them."""
        if figure.spelling in self.spelled:
            return Held.YES
        if figure.certain and figure.readings[0] in self.sure:
            return Held.YES
        if any(value in self.sure or value in self.perhaps for value in figure.readings):
            return Held.PERHAPS
        if figure.day is not None:
            return Held.PERHAPS if self._composes(figure.day) else Held.NO
        apart = _apart(figure)
        return min(map(self.holds, apart)) if len(apart) > 1 else Held.NO

    def _composes(self, day: Day) -> bool:
        """Whether a day is told in pieces: its month by name without it, or without its year."""
        known = self.sure | self.perhaps
        if day.year is not None and str(day.year) not in known:
            return False
        if str(replace(day, year=None)) in known:
            return True
        named = {str(replace(day, day=None)), str(replace(day, year=None, day=None))}
        return bool(named & self.months) and (day.day is None or str(day.day) in known)


def missing(text: str, known: Known, least: Held = Held.PERHAPS) -> list[Figure]:
    """The figures of a text that are held less than asked."""
    return [figure for figure in figures(text) if known.holds(figure) < least]


def plain_digits(text: str) -> str:
    """`text` with ASCII digits in place of those of other scripts, one for one."""
    if text.isascii():
        return text
    text = text.translate(_ARABIC)
    return re.sub(r"(?![0-9])\d", lambda digit: str(unicodedata.decimal(digit[0])), text)


def _apart(figure: Figure) -> list[Figure]:
    """The numbers that a grouped one may be instead: `101 202` side by side."""
    if figure.day is not None or not re.search(rf"[{_SPACES}]", figure.text):
        return []
    return [one for part in re.split(rf"[{_SPACES}]", figure.text) for one in figures(part)]


def _days(text: str) -> Iterator[Figure]:
    """The days; a month by its name alone is no figure."""
    for mention in mentions(text):
        written = text[mention.start : mention.end]
        first = mention.readings[0]
        if not re.search(r"\d", written):
            continue
        readings = [str(day) for day in mention.readings]
        if re.fullmatch(r"\d+\.?\d*\.?", written):  # "5." of "5. bis 23. August", "5.3."
            readings.append(_reading(written.rstrip("."), "."))
        yield Figure(
            written,
            mention.start,
            mention.end,
            tuple(readings),
            len(mention.readings) == 1,
            frozenset(part for day in mention.readings for part in _parts(day)),
            first,
        )


def _parts(day: Day) -> Iterator[str]:
    """A day in less: its year, month and day as numbers, and any two of them."""
    yield from (str(n) for n in (day.year, day.month, day.day) if n is not None)
    yield str(replace(day, day=None))
    if day.year is not None and day.day is not None:
        yield str(replace(day, year=None))


def _times(text: str, taken: list[tuple[int, int]]) -> Iterator[Figure]:
    for match in _TIME.finditer(text):
        if _overlaps(match, taken):
            continue
        hour, minute = (int(next(filter(None, match.group(*of)))) for of in ((1, 5, 7), (2, 6, 8)))
        rest = f":{match[3]}" if match[3] else ""
        written = f"{hour}:{minute:02}{rest}"
        readings = [written]
        if match[4]:
            readings = [f"{hour % 12 + 12 * (match[4].lower() == 'p')}:{minute:02}{rest}", written]
        parts = {str(hour), str(minute), *([str(int(match[3]))] if match[3] else [])}
        dotted = [f"{hour}.{minute:02}".rstrip("0").rstrip(".")] if match[7] else []
        yield Figure(
            match[0], match.start(), match.end(), (*readings, *dotted), True, frozenset(parts)
        )


def _written(text: str, taken: list[tuple[int, int]]) -> Iterator[re.Match[str]]:
    """The numbers between what is taken already."""
    start = 0
    for begin, end in (*sorted(taken), (len(text), len(text))):
        yield from _NUMBER.finditer(text, start, begin)
        start = end


def _overlaps(match: re.Match[str], taken: list[tuple[int, int]]) -> bool:
    return any(match.start() < end and match.end() > start for start, end in taken)


def _readings(raw: str) -> tuple[str, ...]:
    """What a written number may mean: `1.234` in two ways, thousands first."""
    return tuple(dict.fromkeys(_reading(raw, sign) for sign in _decimals(raw)))


def _decimals(raw: str) -> tuple[str, ...]:
    """The signs that decimals may stand behind in a written number; `none` where there are none."""
    signs = [c for c in raw if c in ".,"]
    grouped = re.search(rf"[{_SPACES}'’]", raw)
    if not signs:
        return ("none",)
    if len(set(signs)) == 2 or grouped:
        return (signs[-1],)
    if len(signs) > 1:
        return ("none",)
    head, _, tail = raw.partition(signs[0])
    may_group = len(tail) == 3 and len(head) <= 3 and not head.startswith("0")
    return ("none", signs[0]) if may_group else (signs[0],)


def _shows(raw: str) -> str | None:
    """The sign that a text's decimals stand behind, if a number of it shows that."""
    signs = [c for c in raw if c in ".,"]
    first = _decimals(raw)
    if not signs or len(first) > 1:
        return None
    return first[0] if first[0] != "none" else "," if signs[0] == "." else "."


@dataclass(frozen=True, slots=True)
class _Notation:
    """The sign that a text's decimals likely stand behind; `decided` where nothing else fits."""

    decimal: str | None
    decided: bool = False

    @classmethod
    def of(cls, written: Iterable[str], likely: str | None) -> _Notation:
        """As most of the numbers show it, or else as its language has it.

        Two numbers decide, or one with the language: one alone may be a version or a paragraph.
        """
        shown = [sign for raw in written if (sign := _shows(raw))]
        if len(set(shown)) == 1:
            return cls(shown[0], len(shown) > 1 or shown[0] == likely)
        return cls(None if shown else likely)

    def readings(self, raw: str) -> tuple[tuple[str, ...], bool]:
        """What a number may mean, the likeliest first, and whether that can be relied on."""
        readings = _readings(raw)
        if len(readings) == 1 or self.decimal is None:
            return readings, len(readings) == 1
        likely = _reading(raw, self.decimal)
        rest = () if self.decided else tuple(r for r in readings if r != likely)
        return (likely, *rest), True


def _reading(raw: str, decimal: str) -> str:
    """A written number as plain digits with a point, without needless zeros."""
    head, sign, tail = raw.rpartition(decimal) if decimal in raw else (raw, "", "")
    whole = re.sub(r"\D", "", head).lstrip("0") or "0"
    cents = re.sub(r"\D", "", tail).rstrip("0") if sign else ""
    return f"{whole}.{cents}" if cents else whole
