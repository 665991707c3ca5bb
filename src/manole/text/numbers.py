"""Written numbers: `1.234,50`, `1,234.50`, `1 234,50`, `1'234.50`, "twelve"; quantities of a unit.

A single mark before three digits (`1.234`) may group thousands or be the decimal sign. The other
numbers of the text (`Notation`), its language, or the other cells of a column may decide. Else it
groups.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from manole.text.date_words import any_of
from manole.text.lists import lines, numbered

SPACES = " \u00a0\u202f\u2009"
WHOLE = "none"  # instead of a decimal sign: the number has no decimals
_GROUPED = re.compile(rf"[{SPACES}'’]")
NUMBER = re.compile(
    rf"(?<!\d)(?<!\d[{SPACES}])\d{{1,3}}(?:[{SPACES}]\d{{3}})+(?![{SPACES}]?\d)(?:[.,]\d+(?!\d))?"
    r"|\d{1,2}(?:,\d{2}){1,6},\d{3}(?!\d)(?:\.\d+)?"  # 1,23,456.50
    r"|(?<![\w.,)])\.\d+(?![.,]?\d)"  # .5
    r"|\d+(?:[.,'’]\d{3}(?!\d))*(?:[.,]\d+)?"
)
_ARABIC = str.maketrans({"٬": "’", "٫": ".", "،": ","})

_ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_UP_TO_NINETEEN = [
    "zero", *_ONES, "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen",
    "seventeen", "eighteen", "nineteen",
]  # fmt: skip
TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
ENGLISH = {word: n for n, word in enumerate(_UP_TO_NINETEEN)} | TENS
NUMBERS = (
    ENGLISH
    | {"a couple of": 2, "couple of": 2, "a few": 3, "few": 3, "ein paar": 3, "an": 1, "a": 1}
    | numbered("numbers", "de")
)
# Only beside a unit: elsewhere "due" and "sei" are other words.
COUNTS = NUMBERS | numbered("numbers")

UNITS = {name: (base, float(size)) for base, size, *names in lines("measures") for name in names}
_PLAIN = r"\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?(?![\d.,]\d)|\d+(?:[.,]\d+)?"
_COUNTS = {word: float(n) for word, n in NUMBERS.items()} | {"half an": 0.5, "half a": 0.5}
_QUANTITY = re.compile(
    rf"(?<![\w.,])({_PLAIN}|(?:{any_of(_COUNTS)})(?=[\s-]))[\s-]*([a-z€$]+)"
    rf"|([€$])\s?({_PLAIN})",
    re.IGNORECASE,
)
_WHOLE = frozenset({"EUR", "USD", "steps", "pages", "cups"})  # units without thousandths


def count_of(text: str) -> int:
    """Read a count in figures or words. Raises `ValueError` above 10,000: that is no period."""
    number = int(text) if text.isdigit() else COUNTS[text]
    if number > 10_000:
        raise ValueError(text)
    return number


def value(written: str, decimal: str | None = None) -> Decimal:
    """Return the value of a written number; `decimal` is its decimal sign if that is known.

    Zeros behind the decimal sign are kept: `1.50` has two places.
    """
    return Decimal(spelled(written, decimal))


def first_number(text: str) -> Decimal | None:
    """Return the first number in a text: "1.000,50 €" gives 1000.50; `None` if there is none."""
    match = NUMBER.search(text)
    return value(match[0]) if match else None


def spelled(written: str, decimal: str | None = None) -> str:
    """Return a written number as plain digits with a point: `1.234,50` gives `1234.50`."""
    signs = decimals(written)
    sign = signs[0] if len(signs) == 1 else decimal or WHOLE
    head, mark, tail = written.rpartition(sign) if sign in written else (written, "", "")
    whole = re.sub(r"\D", "", head).lstrip("0") or "0"
    return f"{whole}.{digits}" if mark and (digits := re.sub(r"\D", "", tail)) else whole


def without_zeros(number: str) -> str:
    """Return a number of plain digits without needless zeros: `1.50` gives `1.5`."""
    return number.rstrip("0").rstrip(".") if "." in number else number


def decimals(written: str) -> tuple[str, ...]:
    """Return the possible decimal signs of a written number; `WHOLE` stands for none."""
    signs = [c for c in written if c in ".,"]
    if not signs:
        return (WHOLE,)
    if len(set(signs)) == 2 or _GROUPED.search(written):
        return (signs[-1],)
    if len(signs) > 1:
        return (WHOLE,)
    head, _, tail = written.partition(signs[0])
    may_group = len(tail) == 3 and 1 <= len(head) <= 3 and not head.startswith("0")
    return (WHOLE, signs[0]) if may_group else (signs[0],)


def decimal_of(language: str | None) -> str | None:
    """Return the decimal sign of a language (`language.LANGUAGES`); `None` for an unknown one."""
    return None if language is None else "." if language == "en" else ","


def plain_digits(text: str) -> str:
    """Replace the digits of other scripts by ASCII digits, one for one."""
    if text.isascii():
        return text
    text = text.translate(_ARABIC)
    return re.sub(r"(?![0-9])\d", lambda digit: str(unicodedata.decimal(digit[0])), text)


@dataclass(frozen=True, slots=True)
class Notation:
    """The likely decimal sign of a text; `decided` if nothing else fits."""

    decimal: str | None
    decided: bool = False

    @classmethod
    def of(cls, written: Iterable[str], likely: str | None) -> Notation:
        """Return the notation that the numbers show, or else that of the language (`likely`).

        A number with both signs decides, or one that agrees with the language. Others may be a
        version or a paragraph: they do not overrule the language, but leave it undecided.
        """
        shown = [(sign, {".", ","} <= set(raw)) for raw in written if (sign := _shows(raw))]
        signs = {sign for sign, _ in shown}
        if not signs:
            return cls(likely)
        sure = any(both for _, both in shown)
        if len(signs) > 1 or not (sure or likely in (None, *signs)):
            return cls(None)
        return cls(shown[0][0], sure or shown[0][0] == likely)

    def readings(self, written: str) -> tuple[tuple[str, ...], bool]:
        """Return the readings of a number, the likeliest first, and whether it is reliable."""
        every = (without_zeros(spelled(written, sign)) for sign in decimals(written))
        readings = tuple(dict.fromkeys(every))
        if len(readings) == 1 or self.decimal is None:
            return readings, len(readings) == 1
        likely = without_zeros(spelled(written, self.decimal))
        rest = () if self.decided else tuple(r for r in readings if r != likely)
        return (likely, *rest), True


def _shows(written: str) -> str | None:
    """Return the decimal sign that a number shows, if it does."""
    signs = [c for c in written if c in ".,"]
    first = decimals(written)
    if not signs or len(first) > 1:
        return None
    return first[0] if first[0] != WHOLE else "," if signs[0] == "." else "."


def quantity(text: str | None, unit: str | None) -> float | None:
    """Return the sum of the quantities of a unit in a text; `None` if it has none."""
    wanted, size = UNITS.get((unit or "").lower(), ("", 1.0))
    total, named = 0.0, False
    for match in _QUANTITY.finditer(text or ""):
        written, word = (match[1], match[2].lower()) if match[1] else (match[4], match[3])
        base, factor = UNITS.get(word, (None, 0.0))
        if base == wanted:
            total += _worth(written, wanted) * factor
            named = True
    return total / size if named else None


def _worth(written: str, unit: str) -> float:
    """Read a number: `10,000` steps are ten thousand, as `10.000` EUR; `21.097` km are not."""
    if (count := _COUNTS.get(written.lower())) is not None:
        return count
    return float(value(written, None if unit in _WHOLE else "."))
