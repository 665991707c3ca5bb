"""The figures of texts, compared by their meaning and not by their notation.

`1.234,50`, `1,234.50`, `1 234,50` and `1'234.50` are one number; `5. Mai 2024`, `May 5, 2024` and
`05.05.2024` one day. What can be read in two ways (`1.234`, `03/04/2024`) has both *readings*, and
the text's other figures decide between them if they can; its language says which is likelier. A
text holds a figure of an answer

* certainly, if it is spelled the same there, or its only reading is there;
* perhaps, if it takes one of two readings, or a day has to be composed ("May 2024", "the 5th");
* otherwise not.

Digits may be of any script. Signs, units and currencies beside a number are not part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import lru_cache

from manole.text.dates import Day, mentions
from manole.text.language import certain_language
from manole.text.numbers import (
    NUMBER,
    SPACES,
    Notation,
    decimal_of,
    decimals,
    plain_digits,
    spelled,
    without_zeros,
)

# A German "am" after a number is no time of day: "Zimmer 12 am Ende".
_HALF = r"\s?(?P<{}>[ap])\.?m\b(?!(?-i:(?<= am))\s+(?!(?:on|to|and|until|or)\b)\w)"
_TIME = re.compile(  # 8:30, 8:30 pm, 08 h 30, 8.30 Uhr, 14 Uhr, 2 pm; also 1:58:41
    rf"(?<![\d:])(?P<h1>\d{{1,2}}):(?P<m1>\d\d)(?::(?P<s>\d\d))?(?![\d:])(?:{_HALF.format('p1')})?"
    r"|(?<![\d.,])(?P<h2>\d{1,2})\s?(?:h|uhr)\s?(?P<m2>\d\d)(?!\d)"
    r"|(?<![\d.,])(?P<h3>\d{1,2})\.(?P<m3>\d\d)(?=\s?(?:uhr|h)\b)"
    r"|(?<![\d.,:])(?P<h5>0?\d|1[0-2])(?=\s?(?:[-–—]|(?:to|and|until|or)\s)\s?"
    r"(?P<end>0?\d|1[0-2])(?::\d\d)?\s?(?P<p5>[ap])\.?m\b)"
    rf"|(?<![\d.,:])(?P<h4>[01]?\d|2[0-4])(?:\s?(?P<uhr>uhr)\b|{_HALF.format('p4')})",
    re.IGNORECASE,
)
_IBAN = re.compile(
    r"\b[A-Z]{2}\d\d(?: ?[\dA-Z]{4}){2,7}(?: ?(?=[A-Z]{0,2}\d)[\dA-Z]{1,3})?(?![\dA-Za-z])"
)
_UNIT_BEFORE = re.compile(r"[$€£¥₹]\s?$")
_UNIT_AFTER = re.compile(r"\s?(?:[$€£¥₹%‰°]|[A-Z]{3}\b)|[^\W\d_]")
_BESIDE = 2  # characters between a currency sign and its number, at most


class Held(IntEnum):
    """How surely texts hold a figure."""

    NO = 0
    PERHAPS = 1
    YES = 2


_MODERN = 1900  # an earlier year is as likely to be an amount


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, day or time as it is written from `start` to `end` of a text, digits in ASCII.

    `readings` are its possible values, the likeliest first; `certain` says whether that one is
    reliable. `parts` are other values that it certainly includes: a day its year, a time its hour,
    a decimal its zeros; `hints` are parts of only some readings.
    """

    text: str
    start: int
    end: int
    readings: tuple[str, ...]
    certain: bool = True
    parts: frozenset[str] = frozenset()
    hints: frozenset[str] = frozenset()
    day: Day | None = None

    @property
    def spelling(self) -> str:
        """Its text in lower case, with plain spaces."""
        return re.sub(rf"[{SPACES}]", " ", self.text).lower()

    @property
    def zeros(self) -> frozenset[str]:
        """The number with all its zeros: `12.50`."""
        return frozenset(part for part in self.parts if "." in part)


@lru_cache(maxsize=1024)  # sentences are compared with each other, so they are read often
def figures(text: str, decimal: str | None = None) -> tuple[Figure, ...]:
    """Return the figures of a text in order.

    `decimal` is the likely decimal sign, which counts if the text does not show its own.
    """
    text = plain_digits(text)
    if not re.search(r"\d", text):
        return ()
    found = [
        Figure(m[0], m.start(), m.end(), (m[0].replace(" ", ""),)) for m in _IBAN.finditer(text)
    ]
    for some in (_days(text, decimal), _times(text)):
        taken = [(figure.start, figure.end) for figure in found]
        found += [one for one in some if not _overlaps(one, taken)]
    written = list(_written(text, [(figure.start, figure.end) for figure in found]))
    notation = Notation.of([raw[0] for raw in written], decimal)
    found += [_number(text, raw, notation) for raw in written]
    return tuple(sorted(found, key=lambda figure: figure.start))


def numbers(text: str) -> set[str]:
    """Return all possible values of a text's figures and of their parts, to compare texts."""
    return {
        value
        for figure in figures(text)
        for value in (*figure.readings, *figure.parts - figure.zeros, *figure.hints)
    }


@dataclass(frozen=True, slots=True)
class Known:
    """The figures of texts."""

    sure: set[str] = field(default_factory=set)
    perhaps: set[str] = field(default_factory=set)
    spelled: set[str] = field(default_factory=set)
    months: set[str] = field(default_factory=set)  # named without a day: `--05`, `2024-05`
    loose: set[str] = field(default_factory=set)  # outside of whole days: `--05-03`, `3`

    @classmethod
    def of(cls, texts: Iterable[str]) -> Known:
        """Return the figures of several texts, each in its own notation."""
        known = cls()
        for text in texts:
            known.add(text)
        return known

    def add(self, text: str) -> None:
        """Add the figures of a text."""
        language = certain_language(text)
        for figure in figures(text, decimal_of(language)):
            self.take(figure)
        for mention in mentions(plain_digits(text)):
            self.months.update(str(day) for day in mention.readings if day.day is None)

    def take(self, figure: Figure) -> None:
        """Add one figure."""
        self.spelled.add(figure.spelling)
        self.sure.update(figure.readings[:1] if figure.certain else (), figure.parts)
        self.perhaps.update(figure.readings, figure.hints)
        if figure.day is None or figure.day.year is None or figure.day.day is None:
            self.loose.update(figure.readings, figure.parts, figure.hints)
        for one in _apart(figure):
            self.perhaps.update(one.readings)
            self.loose.update(one.readings)

    def holds(self, figure: Figure) -> Held:
        """Return how surely a figure is among them."""
        if figure.spelling in self.spelled:
            return Held.YES
        if figure.certain and not self.sure.isdisjoint((figure.readings[0], *figure.zeros)):
            return Held.YES
        if any(value in self.sure or value in self.perhaps for value in figure.readings):
            return Held.PERHAPS
        if figure.day is not None:
            stands = self._composes(figure.day) or self._beside(figure.day)
            return Held.PERHAPS if stands else Held.NO
        apart = _apart(figure)
        return min(map(self.holds, apart)) if len(apart) > 1 else Held.NO

    def _beside(self, day: Day) -> bool:
        """Return whether its year may be a number behind a month: "in May 1500 EUR were paid"."""
        every = self.sure | self.perhaps
        if day.year is None or day.year >= _MODERN or str(day.year) not in every:
            return False
        return day.day is None or str(replace(day, year=None)) in every

    def _composes(self, day: Day) -> bool:
        """Return whether a day is given in pieces: without its year, or its month by name.

        Parts of two whole days do not make a third one.
        """
        if day.year is not None and not (
            str(day.year) in self.sure or str(day.year) in self.perhaps
        ):
            return False
        if str(replace(day, year=None)) in self.loose:
            return True
        named = {str(replace(day, day=None)), str(replace(day, year=None, day=None))}
        return bool(named & self.months) and (day.day is None or str(day.day) in self.loose)


def missing(text: str, known: Known, least: Held = Held.PERHAPS) -> list[Figure]:
    """Return the figures of a text that are held less surely than `least`."""
    return [figure for figure in figures(text) if known.holds(figure) < least]


def _apart(figure: Figure) -> list[Figure]:
    """Return the numbers that a grouped one may be instead: `101 202` side by side."""
    if not re.fullmatch(rf"[\d.,]+(?:[{SPACES}][\d.,]+)+", figure.text):
        return []
    return [one for part in re.split(rf"[{SPACES}]", figure.text) for one in figures(part)]


def _days(text: str, decimal: str | None) -> Iterator[Figure]:
    """Yield the days; the name of a month alone is no figure.

    "5." of "5. bis 23. August" may be a number, and "3.5." a decimal at a sentence's end.
    """
    for mention in mentions(text):
        written = text[mention.start : mention.end]
        if not re.search(r"\d", written):
            continue
        first: Day | None = mention.readings[0]
        readings = [str(day) for day in mention.readings]
        parts = [frozenset(_parts(day, written)) for day in mention.readings]
        sure = frozenset.intersection(*parts)
        hints = frozenset.union(*parts) - sure
        if re.fullmatch(r"\d+\.?", written):
            readings.append(without_zeros(spelled(written.rstrip("."), ".")))
            sure, hints = frozenset(readings[-1:]), sure | hints
        elif re.fullmatch(r"\d+\.\d+\.", written):
            readings.append(without_zeros(spelled(written.rstrip("."), ".")))
            sure = hints = frozenset()
            if decimal != ",":
                readings, first = readings[::-1], None
        certain = len(readings) == 1
        yield Figure(
            written, mention.start, mention.end, tuple(readings), certain, sure, hints, first
        )


def _parts(day: Day, written: str) -> Iterator[str]:
    """Yield the parts of a day: its year, month and day as numbers, and any two of them.

    A month written as a word is no number.
    """
    month = None if re.search(r"[^\W\d_]{3}", written) else day.month
    yield from (str(n) for n in (day.year, month, day.day) if n is not None)
    yield str(replace(day, day=None))
    if day.year is not None and day.day is not None:
        yield str(replace(day, year=None))


def _times(text: str) -> Iterator[Figure]:
    """Yield the times, in hours from 0 to 24.

    Without "am" or "pm", `8:30` may be either of them, but 8:30 am is not 8:30 pm.
    """
    for match in _TIME.finditer(text):
        given = {name[0]: value for name, value in match.groupdict().items() if value}
        hour, minute = int(given["h"]), int(given.get("m", 0))
        if hour > 12:
            given.pop("p", None)
        rest = f"{minute:02}" + (f":{given['s']}" if "s" in given else "")
        parts = {str(hour), str(minute), *([str(int(given["s"]))] if "s" in given else [])}
        certain = "e" not in given  # "2" of "2-4 pm", or of "10-2 pm"
        of_half = f"{hour % 12}:{rest} of 12"
        if "p" in given:
            late = (given["p"].lower() == "p") is (certain or hour % 12 <= int(given["e"]) % 12)
            readings = [f"{hour % 12 + 12 * late}:{rest}", *([] if certain else [str(hour)])]
            parts |= {of_half}
        else:
            readings = [f"{hour}:{rest}", *([of_half] if hour <= 12 else [])]
            readings += [str(hour)] if "u" in given else []
            readings += [without_zeros(f"{hour}.{rest}")] if match["h3"] else []
        yield Figure(
            match[0], match.start(), match.end(), tuple(readings), certain, frozenset(parts)
        )


def _number(text: str, raw: re.Match[str], notation: Notation) -> Figure:
    """Read a number; its last zeros may count (version 3.10) if it has no unit beside it."""
    readings, certain = notation.readings(raw[0])
    if " " in raw[0]:  # two cells of a table, or one number
        certain = False
    figure = Figure(raw[0], raw.start(), raw.end(), readings, certain)
    exact = spelled(raw[0]) if len(decimals(raw[0])) == 1 else readings[0]
    if exact == readings[0]:
        return figure
    before = _UNIT_BEFORE.search(text, max(0, raw.start() - _BESIDE), raw.start())
    if not (before or _UNIT_AFTER.match(text, raw.end())) and re.fullmatch(r"\d*\.\d+", raw[0]):
        return replace(figure, readings=(exact, *readings))
    if certain:
        return replace(figure, parts=frozenset((exact,)))
    return replace(figure, hints=frozenset((exact,)))


def _written(text: str, taken: list[tuple[int, int]]) -> Iterator[re.Match[str]]:
    """Yield the numbers outside of the places that are taken."""
    start = 0
    for begin, end in (*sorted(taken), (len(text), len(text))):
        yield from NUMBER.finditer(text, start, begin)
        start = end


def _overlaps(figure: Figure, taken: list[tuple[int, int]]) -> bool:
    return any(figure.start < end and figure.end > start for start, end in taken)
