"""Words that were recognized in pictures, as pages of their own or put into pages with text.

It loads nothing heavy; `ocr.py` runs the models.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from manole.documents.layout import Piece, arrange
from manole.documents.model import Box, Line, Page, joined_lines

# Recognized without the gap between them: "14/05/201812:14", "Oct 3, 201612:16".
_DATE_THEN_TIME = re.compile(r"(?<=[-/., ](?:19|20)\d\d)(?=\d?\d:\d\d)")
_CAPTION = re.compile(
    r"\s*(?:fig(?:ure|\.)|abb(?:ildung|\.)|bild|table|tabelle|chart|plate)\s*\d", re.I
)
_CAPTIONED = 0.05  # of the page: how much farther away a caption may be than other lines
# A picture with fewer letters read with this score has flecks and no words. Set by hand.
_LETTERS, _SURE = 4, 0.85


def to_page(found: dict[str, Any], number: int | None) -> Page:
    """Return the page that `ocr.recognize` read, its lines in reading order with their boxes.

    A picture in which almost nothing was read with a good score gives a page without words.

    Raises `ValueError`, `KeyError` or `TypeError` if `found` has another form.
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
    rows = []
    for row in arrange(pieces, width):
        box = Box.clipped(row.x0 / width, 1 - row.y1 / height, row.x1 / width, 1 - row.y0 / height)
        rows.append((row.text, row.end, Box.checked(*box.sides)))
    text, lines = joined_lines(rows)
    return Page(text.rstrip("\n"), number, None, lines)


def with_words(page: Page, seen: Mapping[Box, Page]) -> Page:
    """Return `page` with the words of its figures: `seen` has each figure's as a page by itself.

    They are put next to the line of text that is nearest to the figure, as a paragraph, or
    directly below it if it is a caption: so a figure is found by its labels, and label and
    caption are read together. Words where the page already has text are left out.
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
    figure_text, added = joined_lines(((row, "\n", place) for row, place in rows), at + len(before))
    text = before + figure_text[:-1] + after
    earlier = [line for line in page.lines if line.end <= at]
    later = [
        Line(line.start + len(text), line.end + len(text), line.box)
        for line in page.lines
        if line.end > at
    ]
    merged = page.text[:at] + text + page.text[at:]
    return replace(page, text=merged, lines=(*earlier, *added, *later))


def _nearest(box: Box, page: Page) -> Line | None:
    """Return the line nearest to a figure; a caption may be a little farther away."""

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
    """Return whether a line of the text layer lies where these words were recognized."""
    own = max(box.area, 1e-9)
    for line in lines:
        width = min(box.x1, line.box.x1) - max(box.x0, line.box.x0)
        height = min(box.y1, line.box.y1) - max(box.y0, line.box.y0)
        # Set by hand: boxes of two readers of one line overlap by more, of two lines by less.
        if width > 0 and height > 0 and width * height > 0.4 * min(own, line.box.area):
            return True
    return False


def _within(inner: Box, outer: Box) -> Box:
    """Return a box given as fractions of `outer` as fractions of the page."""
    across, down = outer.x1 - outer.x0, outer.y1 - outer.y0
    return Box(
        round(outer.x0 + inner.x0 * across, 4),
        round(outer.y0 + inner.y0 * down, 4),
        round(outer.x0 + inner.x1 * across, 4),
        round(outer.y0 + inner.y1 * down, 4),
    )
