"""The numbers of a text, told apart and compared whatever way they are written."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d{3})*(?:[.,]\d+)?")
_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})(?!\d)")  # 05.03.2024: three numbers


def numbers(text: str) -> set[str]:
    """The numbers of a text in a canonical form: `1,234.50` and `1.234,5` give `1234.5`.

    A date gives its parts (`2024-03-05`, `05.03.2024`: 2024, 3, 5), a decimal does not.
    """
    return {canonical(figure) for figure in figures(text)}


def figures(text: str) -> list[str]:
    """The numbers of a text as they are written, in their order."""
    apart = _DATE.sub(lambda date: date[0].replace(".", " "), text)
    return [match[0] for match in _NUMBER.finditer(apart)]


def canonical(number: str) -> str:
    """One written number as plain digits with a point, without needless zeros.

    A lone separator before exactly three digits groups thousands (`1,234`, `1.234`).
    """
    text = re.sub(r"['’\u00a0\u202f ]", "", number)
    separators = [c for c in text if c in ".,"]
    if separators:
        head, _, tail = text.rpartition(separators[-1])
        alike = len(set(separators)) == 1
        grouped = alike and (len(separators) > 1 or (len(tail) == 3 and head.strip("0") != ""))
        whole = re.sub(r"[.,]", "", head)
        text = whole + tail if grouped else f"{whole}.{tail}".rstrip("0").rstrip(".")
    return text.lstrip("0") or "0"
