"""The view of a recording's transcript: lines with times, and a quotation marked in them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from manole.index.store.protocol import PassageReader
from manole.index.store.records import FileRecord, PassageRecord
from manole.index.view.page_text import joined
from manole.index.view.quotes import marks_within
from manole.serve.base import Sent
from manole.serve.view.page import Found, Spot, find, is_read

Mark = Annotated[
    list[int],
    Field(min_length=2, max_length=2, description="first character, and the one after the last"),
]


class SpokenLine(Sent):
    """A few sentences of a recording, and when they are said, in seconds."""

    start: float
    end: float
    text: str
    begins: bool = Field(description="whether a paragraph begins with it")
    marks: list[Mark] = Field([], description="parts of `text`, as in a view")


class TranscriptView(Sent):
    """The speech of a recording, with the marked places."""

    lines: list[SpokenLine]
    start: float = Field(description="the second that was asked for, or that the quotation is at")
    seconds: float = Field(description="of the whole recording; 0 where that is not known")
    language: str = Field(description="ISO 639-1, as the speech model detected it; may be empty")
    quoted: bool | None = Field(description="as in a view")


async def transcript(store: PassageReader, file: FileRecord, spot: Spot) -> TranscriptView:
    """Return the lines of a recording, `spot` marked. Its page is a second, counted from 1."""
    if not (is_read(file) and "heard_by" in file.metadata):
        start = max(0, (spot.page or 1) - 1)
        return TranscriptView(
            lines=[], start=start, seconds=_length(file), language="", quoted=None
        )
    found = await find(store, file, spot)
    passages = await store.passages(file.id)
    return await asyncio.to_thread(_transcript, file, passages, found, spot)


def _transcript(
    file: FileRecord, passages: Sequence[PassageRecord], found: Found, spot: Spot
) -> TranscriptView:
    length = _length(file)
    lines: list[SpokenLine] = []
    for page in joined(passages):
        marks = found.marks if page.number == found.number else ()
        starts = _times([passage for _, passage in page.places], length)
        at = 0
        for row, text in enumerate(page.text.split("\n")):
            second = float((page.number or 1) - 1)
            start, end = starts[row] if row < len(starts) else (second, second)
            own = [list(mark) for mark in marks_within(marks, at, at + len(text))]
            begins = row == 0
            lines.append(SpokenLine(start=start, end=end, text=text, begins=begins, marks=own))
            at += len(text) + 1
    marked = next((line.start for line in lines if line.marks), None)
    asked = float((spot.page or 1) - 1)
    return TranscriptView(
        lines=lines,
        start=asked if marked is None else marked,
        seconds=length,
        language=file.metadata.get("language", ""),
        quoted=found.quoted,
    )


def _times(passages: Sequence[PassageRecord], length: float) -> list[tuple[float, float]]:
    """Return the times of a page's lines. A line that two passages share has its box in both."""
    boxes = dict.fromkeys(box for passage in passages for box in passage.boxes)
    return [(round(box.x0 * length, 1), round(box.x1 * length, 1)) for box in boxes]


def _length(file: FileRecord) -> float:
    try:
        return max(0.0, float(file.metadata.get("duration", "0")))
    except ValueError:
        return 0.0
