"""The lines of a page that is drawn, and what is marked of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from manole.documents.model import Box
from manole.index.store.records import PageRecord
from manole.index.view.page_text import PageText
from manole.index.view.quotes import Mark

_SKIPPED = 4000  # characters of a page that may lie between two of its lines


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line of a page that is drawn, and its place on it; `marks` are what is marked of it."""

    text: str
    box: Box
    marks: tuple[Mark, ...] = ()


def marked_lines(text: str, marks: Sequence[Mark], lines: PageRecord) -> tuple[MarkedLine, ...]:
    """The lines of a drawn page, each with its share of the marks."""
    starts = {box: (start, end) for start, end, box in _placed(text, lines)}

    def share(box: Box) -> Iterator[Mark]:
        start, end = starts.get(box, (0, 0))
        for first, last in marks:
            if first < end and start < last:
                yield max(first, start) - start, min(last, end) - start

    both = zip(lines.texts, lines.boxes, strict=True)
    return tuple(MarkedLine(line, box, tuple(share(box))) for line, box in both)


def marked_boxes(
    page: PageText, marks: Sequence[Mark], lines: PageRecord | None
) -> tuple[Box, ...]:
    """The places on the page of the marked lines, else of the passages that they are in."""
    if lines is not None:
        placed = _placed(page.text, lines)
    else:
        placed = [
            (start, start + len(passage.text), box)
            for start, passage in page.places
            for box in passage.boxes
        ]
    boxes = (
        box
        for start, end, box in placed
        if any(first < end and start < last for first, last in marks)
    )
    return tuple(dict.fromkeys(boxes))


def _placed(text: str, lines: PageRecord) -> list[tuple[int, int, Box]]:
    """The lines with their places in the text, which has them in the same order."""
    placed = []
    at = 0
    for line, box in zip(lines.texts, lines.boxes, strict=True):
        start = text.find(line, at, at + _SKIPPED + len(line))
        if start >= 0:
            at = start + len(line)
            placed.append((start, at, box))
    return placed
