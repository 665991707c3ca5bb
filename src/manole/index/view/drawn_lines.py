"""Marks the lines of a drawn page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manole.documents.model import Box
from manole.index.store.records import PageRecord
from manole.index.view.page_text import PageText
from manole.index.view.quotes import Mark, marks_within

_SKIPPED = 4000  # characters of a page that may lie between two of its lines


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line of a drawn page and its place on it. `marks` are characters of `text`."""

    text: str
    box: Box
    marks: tuple[Mark, ...] = ()


def marked_lines(text: str, marks: Sequence[Mark], lines: PageRecord) -> tuple[MarkedLine, ...]:
    """Return the lines of a drawn page, each with its share of the marks of its text."""
    starts = {box: (start, end) for start, end, box in _placed(text, lines)}
    both = zip(lines.texts, lines.boxes, strict=True)
    return tuple(
        MarkedLine(line, box, marks_within(marks, *starts.get(box, (0, 0)))) for line, box in both
    )


def marked_boxes(
    page: PageText, marks: Sequence[Mark], lines: PageRecord | None
) -> tuple[Box, ...]:
    """Return the boxes of the marked lines; without lines, of the marked passages."""
    if lines is not None:
        placed = _placed(page.text, lines)
    else:
        placed = [
            (start, start + len(passage.text), box)
            for start, passage in page.places
            for box in passage.boxes
        ]
    boxes = (box for start, end, box in placed if marks_within(marks, start, end))
    return tuple(dict.fromkeys(boxes))


def _placed(text: str, lines: PageRecord) -> list[tuple[int, int, Box]]:
    """Return start, end and box of the lines found in the text, which has them in this order."""
    placed = []
    at = 0
    for line, box in zip(lines.texts, lines.boxes, strict=True):
        start = text.find(line, at, at + _SKIPPED + len(line))
        if start >= 0:
            at = start + len(line)
            placed.append((start, at, box))
    return placed
