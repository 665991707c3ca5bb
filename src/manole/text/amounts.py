"""Amounts of money in any notation: 1,234.50, 1.234,50, 1 234,50, 1'234.50, Rs 1939.

A number is an amount if it has two decimals or a currency beside it. Percentages, measures, dates,
versions, addresses and numbers with more decimals are none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from manole.text.lists import lines
from manole.text.numbers import value as number

_SIGNS = {sign: code for code, *signs in lines("currencies") for sign in (code.lower(), *signs)}
_CALLED = {name: code for code, *names in lines("currency_names") for name in names}
# Some of these are other words as well, but not beside a number.
_NAMES = "|".join(sorted((re.escape(s) for s in _SIGNS), key=len, reverse=True))
_CURRENCY = rf"(?:{_NAMES})(?:(?<=\w)\.|\.(?!\d\d(?!\d|[.,]\d)))?(?![a-z])"  # "Rs.", not "$.50"
_DIGITS = (
    r"(?:"
    r"\d{1,3}(?:\.\d{3})+,\d{2}|\d{1,3}(?:,\d{2,3})+\.\d{2}"  # 1.234,50  1,234.50  1,23,456.50
    r"|\d{1,3}(?:['’\u00a0\u202f]\d{3})+(?:[.,]\d{2})?"  # 1'234.50
    r"|\d{1,3}(?: \d{3})+,\d{2}"  # 1 234,50
    r"|\d+[.,]\d{2}"
    r"|\d+[.,](?:-{1,2}|–|—)"  # 49,-
    r"|(?<=[$€£])\.\d{2}"  # $.50: half a dollar
    r"|\d{1,3}(?:[.,]\d{3})+"  # 1,939 beside a currency
    r"|\d+"
    r")"
)
_AMOUNT = re.compile(
    rf"(?<![\w.,/:#])(?P<open>\()?(?P<minus>[-−–](?=\s?[\d$€£(]|\s?{_CURRENCY}))?\s?"
    rf"(?:(?P<pre>{_CURRENCY})\s{{0,2}})?(?P<minus2>[-−])?(?P<digits>{_DIGITS})"
    rf"(?!\d|[.,:/]\d|-\d)(?P<after>-(?![\w-]))?"
    rf"(?:\s{{0,2}}(?P<post>{_CURRENCY})(?(pre)(?!\.?\d)))?",  # "$5 $6": each has its own sign
    re.IGNORECASE,
)
_MOST_DIGITS = 24  # with marks; longer ones are no amount, and exceed the 28 digits of `Decimal`
_CENTS = Decimal("0.00")  # added to each amount, so that it has two decimals
_NO_MONEY = re.compile(
    r"\s?(?:%|°|kwh|mwh|kw|km|kg|mg|ml|cm|mm|m²|m2|m³|m3|mbit|gb|mb|tb|l|g|h|std|stk|st|pcs?|uhr|"
    r"hours?|days?|months?|weeks?|years?|cents?|ct|x)(?![\w])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount in a line, from `start` to `end`, currency signs included."""

    value: Decimal
    currency: str | None
    start: int
    end: int
    text: str
    decimals: bool


def find_amounts(text: str) -> list[Amount]:
    """Return the amounts of a line, in order."""
    found = []
    for match in _AMOUNT.finditer(text):
        sign = match["pre"] or match["post"]
        digits = match["digits"]
        decimals = bool(re.search(r"[.,](?:\d{2}|-{1,2}|–|—)$", digits))
        if len(digits) > _MOST_DIGITS or (digits.startswith(".") and not match["pre"]):
            continue
        if not sign and not (decimals and re.search(r"\d$", digits)):
            continue
        if not sign and _NO_MONEY.match(text, match.end()):
            continue
        if not (match["pre"] or match["minus"]) and _is_part(text, match.start("digits")):
            continue
        negative = bool(match["minus"] or match["minus2"] or match["after"])
        negative |= bool(match["open"]) and text[match.end() : match.end() + 1] == ")" and not sign
        value = number(re.sub(r"[.,](?:-{1,2}|–|—)$", "", digits)) + _CENTS
        value = -value if negative else value
        currency = currency_of(sign) if sign else None
        phrase = match[0].strip(" ()")
        found.append(Amount(value, currency, match.start(), match.end(), phrase, decimals))
    return found


def _is_part(text: str, at: int) -> bool:
    """Return whether the number continues to the left, as in `12:30` or `2018-12`."""
    return bool(re.search(r"[\d][:/.\-]$", text[:at]))


def currency_of(sign: str) -> str | None:
    """Return the ISO 4217 code of a written currency, `None` if it is unknown."""
    sign = sign.lower().rstrip(".")
    return _SIGNS.get(sign) or _CALLED.get(sign)


_ALONE = re.compile(
    r"(?<![a-z])(?:(eur|usd|gbp|chf|inr|myr|pln|czk|sek|nok|dkk|aud|cad|sgd|hkd|nzd)(?![a-z])"
    r"|(rm)(?=\s?[\d):]|\s*$|\s+rm\b)|(€|£|₹)|us (dollars?))",
    re.IGNORECASE,
)


def currency_in(text: str) -> str | None:
    """Return the first currency in `text`, as in `Total (RM)` or `Währung: EUR`."""
    match = _ALONE.search(text)
    if not match:
        return None
    return "USD" if match[4] else currency_of(match[0])
