"""Quantities of a unit, added up: "two hours and 15 minutes" are 135 minutes."""

from __future__ import annotations

import re

from manole.text.date_words import any_of
from manole.text.numbers import NUMBERS
from manole.text.numbers import value as number

# The units that can be added up, each with its base unit and its size in it.
UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("minute", "minutes", "min", "mins", "minuten"), ("minutes", 1.0)),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h", "stunde", "stunden"), ("minutes", 60.0)),
    **dict.fromkeys(("kilometre", "kilometres", "kilometer", "kilometers", "km"), ("km", 1.0)),
    **dict.fromkeys(("mile", "miles"), ("miles", 1.0)),
    **dict.fromkeys(("page", "pages", "seite", "seiten"), ("pages", 1.0)),
    **dict.fromkeys(("step", "steps", "schritte"), ("steps", 1.0)),
    **dict.fromkeys(("euro", "euros", "eur", "€"), ("EUR", 1.0)),
    **dict.fromkeys(("dollar", "dollars", "usd", "$"), ("USD", 1.0)),
    **dict.fromkeys(("litre", "litres", "liter", "liters"), ("litres", 1.0)),
    **dict.fromkeys(("glass", "glasses", "cup", "cups"), ("cups", 1.0)),
}
_NUMBER = r"\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?(?![\d.,]\d)|\d+(?:[.,]\d+)?"
_COUNTS = {word: float(n) for word, n in NUMBERS.items()} | {"half an": 0.5, "half a": 0.5}
_QUANTITY = re.compile(
    rf"(?<![\w.,])({_NUMBER}|(?:{any_of(_COUNTS)})(?=[\s-]))[\s-]*([a-z€$]+)"
    rf"|([€$])\s?({_NUMBER})",
    re.IGNORECASE,
)
_WHOLE = frozenset({"EUR", "USD", "steps", "pages", "cups"})  # units without thousandths


def quantity(text: str | None, unit: str | None) -> float | None:
    """Return the sum of the quantities of a unit in a text; `None` if it has none."""
    wanted, size = UNITS.get((unit or "").lower(), ("", 1.0))
    total, named = 0.0, False
    for match in _QUANTITY.finditer(text or ""):
        written, word = (match[1], match[2].lower()) if match[1] else (match[4], match[3])
        base, factor = UNITS.get(word, (None, 0.0))
        if base == wanted:
            total += _value(written, wanted) * factor
            named = True
    return total / size if named else None


def _value(written: str, unit: str) -> float:
    """Read a number: `10,000` steps are ten thousand, as `10.000` EUR; `21.097` km are not."""
    if (count := _COUNTS.get(written.lower())) is not None:
        return count
    return float(number(written, None if unit in _WHOLE else "."))
