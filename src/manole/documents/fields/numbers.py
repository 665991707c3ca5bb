"""The number of a paper: of an invoice, receipt, contract, policy or order.

The paper's own number goes before numbers that it mentions, such as the customer's or the order's.
A number is a word with a digit that is neither a date nor an amount. The confidences rank
the labels and are set by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from manole.documents.fields.lines import before, cells, fold
from manole.documents.fields.model import Field, TextLine
from manole.text.amounts import find_amounts
from manole.text.dates import find_dates

_PAPER = (
    r"(?:tax |sales |retail |commercial )?(?:invoice|inv|bill|receipt|credit note|credit memo|"
    r"\w*rechnung|beleg|quittung|gutschrift|rechnungskorrektur|facture|recu|avoir|factuur|creditnota|bon|"
    r"factura|fattura|fatura|document|doc|trans(?:action)?)"
)
_CONTRACT = (
    r"(?:contract|agreement|policy|vertrags?|(?:versicherungs)?schein|police|contrat|polis|"
    r"contract|insurance)"
)
_OTHER = r"(?:booking|reservation|order|bestell|commande|bestelling|reference|ref|ticket|slip)"
_MARK = r"(?:\s*-?\s*(?:no|nr|num(?:ber|mer|ero)?|nummer|numero|n°|nº|n|id|#|№)[.°]?)"
_HASH = r"(?:\s*#)"
_TAIL = r"s?(?:\s+(?:des|der|of|for|de|van)\s+\w+)?(?:\s*\([^)]*\))?"
_RANKS: tuple[tuple[re.Pattern[str], float], ...] = (
    (re.compile(rf"\b{_PAPER}{_TAIL}(?:{_MARK}|{_HASH})\W{{0,4}}$"), 0.95),
    (re.compile(rf"\b{_CONTRACT}{_MARK}\W{{0,4}}$"), 0.9),
    (re.compile(rf"^\W*{_PAPER}\W{{0,4}}$"), 0.8),
    (re.compile(rf"\b{_OTHER}{_MARK}\W{{0,4}}$"), 0.55),
)
_HEADS: tuple[tuple[re.Pattern[str], float], ...] = (
    (re.compile(rf"^\W*{_PAPER}{_TAIL}(?:{_MARK}|{_HASH})\W{{0,4}}$"), 0.9),
    (re.compile(rf"^\W*{_CONTRACT}{_MARK}\W{{0,4}}$"), 0.85),
    (re.compile(rf"^\W*{_PAPER}\W{{0,4}}$"), 0.75),
    (re.compile(rf"^\W*{_OTHER}{_MARK}\W{{0,4}}$"), 0.55),
)
_TOKEN = re.compile(r"[#]?\s?(?=[\w/.\-]*\d)[A-Za-z0-9Ä-ü][\w/.\-]*[A-Za-z0-9]|#?\d")
_NEAR, _TOKENS = 80, 12  # characters before a number that may be its label; numbers of a line
_FOOT = re.compile(r"\bpage\b|\bseite\b|\bpagina\b")


def read_number(lines: list[TextLine]) -> Field[str] | None:
    """Return the number with the best label."""
    options = [*_in_lines(lines), *_in_columns(lines)]
    return max(options, key=lambda f: f.confidence, default=None)


def _in_lines(lines: list[TextLine]) -> Iterator[Field[str]]:
    """Yield the numbers directly behind a label."""
    for line in lines:
        folded = fold(line.text)
        text = line.text if len(folded) == len(line.text) else folded
        for match in islice(_TOKEN.finditer(text), _TOKENS):
            words = folded[max(0, match.start() - _NEAR) : match.start()]
            for pattern, confidence in _RANKS:
                label = pattern.search(words)
                if label and _may_be(text, match):
                    foot = 0.05 if _FOOT.search(folded[match.end() :]) else 0.0
                    yield _field(line, match[0], confidence - foot, label[0])
                    break


def _in_columns(lines: list[TextLine]) -> Iterator[Field[str]]:
    """Yield the numbers below the head of their column, or below a label that stands alone."""
    for at, line in enumerate(lines):
        row = cells(line.text)
        if not row or len(row) > 8:
            continue
        for above in before(lines, at, 1):
            head = cells(above.text)
            if len(head) != len(row):
                continue
            for place, cell in enumerate(head):
                folded = fold(cell)
                match = _TOKEN.match(row[place])
                if not match or match[0] != row[place] or not _may_be(row[place], match):
                    continue
                for pattern, confidence in _HEADS:
                    if pattern.search(folded):
                        yield _field(line, match[0], confidence - 0.05, cell)
                        break


def _may_be(text: str, match: re.Match[str]) -> bool:
    """Return whether a word is neither a date nor an amount, nor just a digit of a sentence."""
    word = match[0].lstrip("# ")
    if find_dates(word) or any(c.text == word and c.decimals for c in find_amounts(word)):
        return False
    if text[: match.start()].endswith("(") and text[match.end() :].startswith(")"):
        return False  # a code, as in "Handelsrechnung (380) Nr. 471102"
    if any(a <= match.start() and match.end() <= b for a, b, _ in find_dates(text)):
        return False
    return len(word) > 1 or text.strip() == word


def _field(line: TextLine, value: str, confidence: float, label: str) -> Field[str]:
    return Field.on(line, re.sub(r"\s+", "", value).lstrip("#"), confidence, label)
