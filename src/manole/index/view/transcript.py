"""The view of a recording's transcript: lines with times, and a quotation marked in them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from manole.index.store.protocol import PassageReader
from manole.index.store.records import FileRecord, PassageRecord
from manole.index.view.file_view import Found, Spot, find, is_read
from manole.index.view.page_text import joined
from manole.index.view.quotes import Mark, marks_within


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """A sentence or a few, with the seconds at which they start and end.

    `begins` marks the first line of a paragraph. `marks` are characters of `text`.
    """

    start: float
    end: float
    text: str
    begins: bool = False
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Transcript:
    """The lines of a recording; `start` is the second asked for, or that of the quotation.

    `seconds` is the length of the recording, 0 if unknown.
    """

    lines: tuple[SpokenLine, ...]
    start: float
    seconds: float
    language: str = ""
    quoted: bool | None = None


async def transcript(store: PassageReader, file: FileRecord, spot: Spot) -> Transcript:
    """Return the lines of a recording, `spot` marked. Its page is a second, counted from 1."""
    if not (is_read(file) and "heard_by" in file.metadata):
        return Transcript((), max(0, (spot.page or 1) - 1), _length(file))
    found = await find(store, file, spot)
    passages = await store.passages(file.id)
    return await asyncio.to_thread(_transcript, file, passages, found, spot)


def _transcript(
    file: FileRecord, passages: Sequence[PassageRecord], found: Found, spot: Spot
) -> Transcript:
    length = _length(file)
    lines: list[SpokenLine] = []
    for page in joined(passages):
        marks = found.marks if page.number == found.number else ()
        starts = _times([passage for _, passage in page.places], length)
        at = 0
        for row, text in enumerate(page.text.split("\n")):
            own = marks_within(marks, at, at + len(text))
            second = float((page.number or 1) - 1)
            start, end = starts[row] if row < len(starts) else (second, second)
            lines.append(SpokenLine(start, end, text, row == 0, own))
            at += len(text) + 1
    marked = next((line.start for line in lines if line.marks), None)
    asked = float((spot.page or 1) - 1)
    start = asked if marked is None else marked
    language = file.metadata.get("language", "")
    return Transcript(tuple(lines), start, length, language, found.quoted)


def _times(passages: Sequence[PassageRecord], length: float) -> list[tuple[float, float]]:
    """Return the times of a page's lines. A line that two passages share has its box in both."""
    boxes = dict.fromkeys(box for passage in passages for box in passage.boxes)
    return [(round(box.x0 * length, 1), round(box.x1 * length, 1)) for box in boxes]


def _length(file: FileRecord) -> float:
    try:
        return max(0.0, float(file.metadata.get("duration", "0")))
    except ValueError:
        return 0.0
