"""How the values of the catalog compare: texts by their words, long numbers by value."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from functools import lru_cache

from manole.catalog.sandbox import Value
from manole.text.words import fold

LONG_SUM = "long_sum"  # the aggregate that adds LONG numbers
_BEGINNING = 200  # characters of a text that are compared before the others
_REMEMBERED = 1 << 16  # beginnings: those of a large sheet's column, which sorting compares often


def by_word(one: str, other: str) -> int:
    """Compare texts without regard to case and accents."""
    if one == other:
        return 0
    a, b = _folded(one[:_BEGINNING]), _folded(other[:_BEGINNING])
    if a == b and max(len(one), len(other)) > _BEGINNING:
        a, b = fold(one), fold(other)
    return (a > b) - (a < b)


@lru_cache(maxsize=_REMEMBERED)
def _folded(text: str) -> str:
    return fold(text)


def like(pattern: str | None, value: Value) -> bool | None:
    """Match as SQL's LIKE does, without case and accents; `_` matches only itself."""
    if pattern is None or value is None:
        return None
    first, *rest = fold(pattern).split("%")
    text = fold(str(value))
    if not rest:
        return text == first
    *middle, last = rest
    at = len(first)
    for part in middle:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return text.startswith(first) and text.endswith(last) and at <= len(text) - len(last)


class LongSum:
    """An aggregate that adds whole numbers of any length."""

    def __init__(self) -> None:
        self._sum: int | None = None

    def step(self, value: Value) -> None:
        """Add a value; texts are left out."""
        if str(value).lstrip("-").isdecimal():
            self._sum = (self._sum or 0) + int(str(value))

    def finalize(self) -> str | None:
        """Return the sum, in digits."""
        return None if self._sum is None else str(self._sum)


def by_number(one: str, other: str) -> int:
    """Compare numbers by value; other texts come after them."""
    a, b = _sorted_as(one), _sorted_as(other)
    return (a > b) - (a < b)


def _sorted_as(text: str) -> tuple[bool, Decimal, str]:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return True, Decimal(), text
    return (False, number, "") if number.is_finite() else (True, Decimal(), text)
