"""What was recognized in a picture, as a page, or in a page that has text beside it.

It loads nothing heavy; `ocr.py` does the seeing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from manole.documents.layout import Piece, arrange
from manole.documents.model import Box, Line, Page

# Recognized without the gap between them: "14/05/201812:14", "Oct 3, 201612:16".
_DATE_THEN_TIME = re.compile(r"(?<=[-/., ](?:19|20)\d\d)(?=\d?\d:\d\d)")
_CAPTION = re.compile(
    r"\s*(?:fig(?:ure|\.)|abb(?:ildung|\.)|bild|table|tabelle|chart|plate)\s*\d", re.I
)
_CAPTIONED = 0.05  # of the page: how much farther off a caption may stand than other lines
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
        box = Box.checked(
            _part(row.x0 / width),
            _part(1 - row.y1 / height),
            _part(row.x1 / width),
            _part(1 - row.y0 / height),
        )
        lines.append(Line(at, at + len(row.text), box))
        parts += (row.text, row.end)
        at += len(row.text) + len(row.end)
    return Page("".join(parts).rstrip("\n"), number, None, tuple(lines))


def with_words(page: Page, seen: Mapping[Box, Page]) -> Page:
    """`page` with the words of its figures. `seen` are these, each as a page by itself.

    They are put beside the line of text that stands nearest to the figure, as a paragraph, and
    right below it where that is a caption: so a figure is found by its labels, and label and
    caption are read together. What lies where the page has text is left out.
    """
    for box, words in seen.items():
        page = _with_words(page, box, words)
    return page


def _with_words(page: Page, box: Box, words: Page) -> Page:
    rows = [
        (words.text[line.start : line.end], _within(line.box, box))
        for line in words.lines
        if words.text[line.start : line.end].strip()
    ]
    rows = [(text, place) for text, place in rows if not _is_there(place, page.lines)]
    if not rows:
        return page
    beside = _nearest(box, page)
    above = beside is not None and beside.box.y0 >= (box.y0 + box.y1) / 2
    captioned = beside is not None and _is_caption(beside, page.text)
    if beside is None:
        at, before, after = len(page.text), "\n\n" if page.text else "", ""
    elif above and not captioned:
        at = beside.start
        before = "" if page.text[:at].endswith("\n\n") or not at else "\n"
        after = "\n\n"
    else:
        at, before = beside.end, "\n" if captioned else "\n\n"
        after = "\n" if re.match(r"\n(?!\n)", page.text[at:]) else ""
    text = before
    added: list[Line] = []
    for row, place in rows:
        added.append(Line(at + len(text), at + len(text) + len(row), place))
        text += f"{row}\n"
    text = text[:-1] + after
    earlier = [line for line in page.lines if line.end <= at]
    later = [
        Line(line.start + len(text), line.end + len(text), line.box)
        for line in page.lines
        if line.end > at
    ]
    merged = page.text[:at] + text + page.text[at:]
    return replace(page, text=merged, lines=(*earlier, *added, *later))


def _nearest(box: Box, page: Page) -> Line | None:
    """The line below or above a figure that is nearest; a caption may be a little farther off."""

    def gap(line: Line) -> float:
        below, above = line.box.y0 - box.y1, box.y0 - line.box.y1
        beside = max(line.box.x0 - box.x1, box.x0 - line.box.x1, 0.0)
        own = _CAPTIONED if _is_caption(line, page.text) else 0.0
        return max(below, above, 0.0) + beside - own

    whole = [line for line in page.lines if page.text[line.end : line.end + 1] in ("", "\n")]
    return min(whole, key=lambda line: (gap(line), -line.end), default=None)


def _is_caption(line: Line, text: str) -> bool:
    return _CAPTION.match(text, line.start, line.end) is not None


def _is_there(box: Box, lines: Iterable[Line]) -> bool:
    """Whether a line of the text layer lies where these words were seen."""
    own = max(box.area, 1e-9)
    for line in lines:
        width = min(box.x1, line.box.x1) - max(box.x0, line.box.x0)
        height = min(box.y1, line.box.y1) - max(box.y0, line.box.y0)
        if width > 0 and height > 0 and width * height > 0.4 * min(own, line.box.area):
            return True
    return False


def _within(inner: Box, outer: Box) -> Box:
    """A box of a part of the page as one of the page."""
    across, down = outer.x1 - outer.x0, outer.y1 - outer.y0
    return Box(
        round(outer.x0 + inner.x0 * across, 4),
        round(outer.y0 + inner.y0 * down, 4),
        round(outer.x0 + inner.x1 * across, 4),
        round(outer.y0 + inner.y1 * down, 4),
    )


def _part(value: float) -> float:
    return min(max(round(value, 4), 0.0), 1.0)
