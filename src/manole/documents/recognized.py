"""What was recognized in a picture, as a page. It loads nothing heavy; `ocr.py` does the seeing."""

from __future__ import annotations

import re
from typing import Any

from manole.documents.layout import Piece, arrange
from manole.documents.model import Box, Line, Page

# Recognized without the gap between them: "14/05/201812:14", "Oct 3, 201612:16".
_DATE_THEN_TIME = re.compile(r"(?<=[-/., ](?:19|20)\d\d)(?=\d?\d:\d\d)")
# A picture with fewer letters that were surely read has flecks, and no words.
_LETTERS, _SURE = 4, 0.85


def to_page(found: dict[str, Any], number: int | None) -> Page:
    """The page that `ocr.recognize` saw, its lines in reading order with their boxes.

    A picture in which next to nothing was surely read gives a page without words.

    Raises `ValueError`, `KeyError` or `TypeError` where `found` is nothing of the kind.
    """
    width, height = float(found["width"]), float(found["height"])
    if not (width > 0 and height > 0):
        raise ValueError("a picture without a size")
    sure = "".join(str(text) for text, score, *_ in found["lines"] if float(score) >= _SURE)
    seen = found["lines"] if sum(letter.isalnum() for letter in sure) >= _LETTERS else []
    pieces = []
    for text, _, x0, y0, x1, y1 in seen:
        words = _DATE_THEN_TIME.sub(" ", str(text))
        pieces.append(Piece(words, float(x0), height - float(y1), float(x1), height - float(y0)))
    parts: list[str] = []
    lines: list[Line] = []
    at = 0
    for row in arrange(pieces, width):
        box = Box(
            _part(row.x0 / width),
            _part(1 - row.y1 / height),
            _part(row.x1 / width),
            _part(1 - row.y0 / height),
        )
        lines.append(Line(at, at + len(row.text), box))
        parts += (row.text, row.end)
        at += len(row.text) + len(row.end)
    return Page("".join(parts).rstrip("\n"), number, None, tuple(lines))


def _part(value: float) -> float:
    return min(max(round(value, 4), 0.0), 1.0)
