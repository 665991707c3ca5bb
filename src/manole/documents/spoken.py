"""What was said in a recording, as pages: paragraphs of half a minute to a minute.

Engines give speech in pieces that end anywhere. Pieces are joined to sentences, each a line, and
lines to paragraphs, each a page that is numbered by the second in which it begins (`model.py`).
Where nobody speaks, engines make things up: one phrase over and over, or "[Music]". Such pieces
are left out.

It loads nothing heavy; a plug-in does the hearing (`manole.hooks.RECORDINGS`), and where it cannot,
a recording is known by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import isfinite
from pathlib import PurePath
from typing import Any

from manole.documents.formats import clock
from manole.documents.model import UNHEARD, Box, Document, Line, Page, Status
from manole.text.sentences import ends

BY_NAME = "found by its name and date"
NO_READER = f"its speech is not read without the extra manole[voice]; {BY_NAME}"

_NOISE = re.compile(r"(?:\[[^\]]*\]|\([^)]*\)|\*[^*]*\*|[♪♫\W_])*")
_REPEATED = 4  # pieces in a row with the same words that are no speech
_PERIOD = 8  # of so many pieces in a row, two at most that differ are none either
_WORDS = 12  # of a piece that may be a stammer
_DIFFERENT = 0.3  # share of different words below which it is one
_LINE = 20.0  # seconds of a line, and of a paragraph at least and at most
_PARAGRAPH = 30.0
_LONGEST = 60.0
_BREATH = 2.0  # seconds of silence that end a sentence, and a paragraph
_PAUSE = 5.0


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words, and the seconds of the recording between which they are said."""

    start: float
    end: float
    text: str


def pieces_in(data: Any) -> list[Piece]:
    """What `sound.hear` or an endpoint gave as segments. Raises `ValueError` for anything else.

    It trusts nothing: a hostile file may have taken over what decoded it.
    """
    try:
        found = [Piece(float(a), float(b), " ".join(str(text).split())) for a, b, text in data]
    except (TypeError, ValueError) as error:
        raise ValueError("no segments") from error
    if any(not (isfinite(p.end) and 0 <= p.start <= p.end) for p in found):
        raise ValueError("a segment out of time")
    return found


def speech(pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces in their order, without those that are no speech."""
    ordered = sorted(pieces, key=lambda piece: piece.start)
    kept = [p for p in ordered if not _NOISE.fullmatch(p.text) and not _stammers(p.text)]
    runs = [list(run) for _, run in groupby(kept, key=lambda piece: _folded(piece.text))]
    kept = [piece for run in runs if len(run) < _REPEATED for piece in run]
    words = [_folded(piece.text) for piece in kept]
    rounds = {
        at
        for first in range(len(kept) - _PERIOD + 1)
        if len(set(words[first : first + _PERIOD])) <= 2
        for at in range(first, first + _PERIOD)
    }
    return [piece for at, piece in enumerate(kept) if at not in rounds]


def to_pages(pieces: Sequence[Piece], length: float) -> tuple[Page, ...]:
    """Speech as pages of a recording of `length` seconds, each line with its time as its box."""
    pages: list[Page] = []
    for lines in _paragraphs(_one_by_one(list(_sentences(pieces)))):
        text, placed = "", []
        for line in lines:
            box = Box(_share(line.start, length), 0.0, _share(line.end, length), 1.0)
            placed.append(Line(len(text), len(text) + len(line.text), box))
            text += f"{line.text}\n"
        after = (pages[-1].number or 0) + 1 if pages else 1
        number = max(int(lines[0].start) + 1, after)
        pages.append(Page(text.rstrip("\n"), number, None, tuple(placed)))
    return tuple(pages)


def _stammers(text: str) -> bool:
    words = _folded(text).split()
    return len(words) >= _WORDS and len(set(words)) < _DIFFERENT * len(words)


def _folded(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def _sentences(pieces: Sequence[Piece]) -> Iterator[Piece]:
    line: Piece | None = None
    for piece in pieces:
        if line is not None and (
            ends(line.text) or piece.end - line.start > _LINE or piece.start - line.end > _BREATH
        ):
            yield line
            line = None
        joined = f"{line.text} {piece.text}" if line else piece.text
        line = Piece(line.start if line else piece.start, piece.end, joined)
    if line is not None:
        yield line


def _one_by_one(lines: Sequence[Piece]) -> list[Piece]:
    """Lines that end before the next one begins: no two are at one place."""
    starts = [line.start for line in lines[1:]]
    return [
        replace(line, end=min(line.end, start))
        for line, start in zip(lines, [*starts, float("inf")], strict=True)
    ]


def _paragraphs(lines: Sequence[Piece]) -> Iterator[list[Piece]]:
    part: list[Piece] = []
    for line in lines:
        if part:
            spent = part[-1].end - part[0].start
            whole = spent >= _PARAGRAPH and ends(part[-1].text)
            late = line.end - part[0].start > _LONGEST
            if whole or late or line.start - part[-1].end > _PAUSE:
                yield part
                part = []
        part.append(line)
    if part:
        yield part


def _share(second: float, length: float) -> float:
    return min(max(second / length, 0.0), 1.0) if length > 0 else 0.0


def unheard(name: str, format_: str) -> Document:
    """A recording that nothing here can read: its name alone, until something can."""
    return Document(
        format_, (Page(about(name, {})),),
        metadata={UNHEARD: "yes"}, status=Status.PARTIAL, reason=NO_READER,
    )  # fmt: skip


def about(name: str, metadata: dict[str, str]) -> str:
    """What is known of a recording beside its speech, in words, so that a search can find it."""
    parts = [f"Recording: {PurePath(name).stem}."]
    parts += [
        f"{key.capitalize()}: {metadata[key].rstrip('.')}."
        for key in ("title", "artist", "album", "comment")
        if key in metadata
    ]
    if "duration" in metadata:
        parts.append(f"Length: {clock(float(metadata['duration']))}.")
    return " ".join(parts)
