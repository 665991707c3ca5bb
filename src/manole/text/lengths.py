"""Lengths of time in a text: "3 months", "a fortnight", "zwei Wochen".

Texts are in small letters without accents.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from manole.text.date_words import UNIT_OF, any_of
from manole.text.lists import lines
from manole.text.numbers import COUNTS
from manole.text.spans import step
from manole.text.words import fold

_COUNTS = {fold(word): n for word, n in COUNTS.items()} | {"eines": 1}
_UNITS = {fold(word): (unit, 1) for word, unit in UNIT_OF.items()} | {
    word: (unit, int(count)) for unit, count, *words in lines("longer_units") for word in words
}
_LENGTH = re.compile(
    rf"(?<![\w.,-])(\d{{1,3}}|{any_of(_COUNTS)})(?: ?\([^)]{{1,12}}\))?(?: | ?- ?)"
    rf"(?:full |working |calendar |volle )?({any_of(_UNITS)})\b"
)


@dataclass(frozen=True, slots=True)
class Length:
    """A length of time: 3 months."""

    count: int
    unit: str

    def after(self, day: date) -> date:
        """Return the day so long after another one. Raises `OverflowError`."""
        return step(day, self.unit, self.count)

    def before(self, end: date) -> date:
        """Return the last day from which so long a time runs out by `end`.

        A month before 30 April is 31 March, as "a month from 31 March" ends with April.
        """
        day = step(end, self.unit, -self.count)
        while (later := day + timedelta(days=1)) and self.after(later) <= end:
            day = later
        return day


def lengths(text: str) -> list[tuple[int, Length]]:
    """Return the lengths of time in a text, each with its end there."""
    return [(end, length) for _, end, length in lengths_with_places(text)]


def lengths_with_places(text: str) -> list[tuple[int, int, Length]]:
    """Return the lengths of time in a text, each behind its start and end there."""
    return [(m.start(), m.end(), _length(m)) for m in _LENGTH.finditer(text)]


def _length(found: re.Match[str]) -> Length:
    count = int(found[1]) if found[1].isdigit() else _COUNTS[found[1]]
    unit, times = _UNITS[found[2]]
    return Length(count * times, unit)
