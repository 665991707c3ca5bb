"""The part of a passage that a list of results shows, and the words of the query in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from manole.agent.answer.units import pieces
from manole.index.store.vocabulary import Reading
from manole.text.question import Question
from manole.text.words import placed_words, stem

# Set by hand: about three lines of the page's list of results.
MOST = 300  # characters
_LEAST = 160  # characters: a shorter snippet takes the next sentence in
_BEFORE = 60  # characters kept before the first word of the query, in a sentence that is too long
_PREFIX = 4  # letters of a query's word that must begin another word to mark it
_FULL = 40  # characters: a shorter line ends where its sentence does
_BLANK = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Snippet:
    """At most `MOST` characters; `marks` are the places (start, end) of the query's words."""

    text: str
    marks: tuple[tuple[int, int], ...]


class Asked:
    """The words of a query, and how libraries read them (`Library.reading`)."""

    def __init__(self, query: Question, readings: Sequence[Reading] = ()) -> None:
        self._readings = readings
        self._words = query.content_words or query.words
        self._stems = frozenset(map(stem, self._words))
        self._known: dict[str, str | None] = {}

    def marks(self, text: str) -> list[tuple[int, int]]:
        """Return where words of the query stand in `text`, in other forms and as beginnings too."""
        found: list[tuple[int, int]] = []
        for start, end, _ in sorted(self._places(text)):
            if not found or start >= found[-1][1]:
                found.append((start, end))
            else:
                found[-1] = (found[-1][0], max(end, found[-1][1]))
        return found

    def held(self, text: str) -> frozenset[str]:
        """Return the words of the query that stand in `text`."""
        return frozenset(word for _, _, word in self._places(text))

    def _places(self, text: str) -> Iterator[tuple[int, int, str]]:
        starts: set[int] = set()
        for start, end, word in placed_words(text):
            if (which := self._which(word)) is not None:
                starts.add(start)
                yield start, end, which
        for reading in self._readings:
            yield from (place for place in reading.places(text) if place[0] not in starts)

    def _which(self, word: str) -> str | None:
        """Return the query's stem that a text's word has or begins with, or `None`."""
        if word not in self._known:
            found: str | None = stem(word)
            if found not in self._stems:
                begun = (w for w in self._words if len(w) >= _PREFIX and word.startswith(w))
                found = next(begun, None)
            self._known[word] = found
        return self._known[word]


def snippet(passage: str, asked: Asked) -> Snippet:
    """Return the sentence or line of `passage` with the most words of the query, and what follows.

    A sentence that runs over several lines is one. Without a word of the query, the passage's
    beginning is returned.
    """
    units = [
        piece
        for block in _BLANK.split(passage)
        for line in _unwrapped(block)
        for piece in pieces(line)
    ]
    if not units:
        return Snippet("", ())
    counts = [len(asked.held(unit)) for unit in units]
    best = counts.index(max(counts))
    text = _shortened(units[best], asked)
    for unit in units[best + 1 :]:
        if len(text) >= _LEAST or len(text) + 1 + len(unit) > MOST:
            break
        text += f" {unit}"
    return Snippet(text, tuple(asked.marks(text)))


def _unwrapped(block: str) -> list[str]:
    """Return the lines of a paragraph; a full line is joined with one that begins in lower case."""
    lines: list[str] = []
    full = False
    for line in block.split("\n"):
        text = " ".join(line.split())
        if full and text[:1].islower():
            lines[-1] += f" {text}"
        else:
            lines.append(text)
        full = len(text) >= _FULL
    return lines


def _shortened(text: str, asked: Asked) -> str:
    """Cut a long sentence around the first word of the query."""
    if len(text) <= MOST:
        return text
    start = 0
    first = next((start for start, _ in asked.marks(text)), 0)
    if first > MOST - _BEFORE:
        start = text.find(" ", first - _BEFORE, first) + 1 or first - _BEFORE
    end = start + MOST - 2
    if end < len(text):
        cut = text.rfind(" ", start + MOST // 2, end)
        end = cut if cut > 0 else end
    return ("…" if start else "") + text[start:end].strip() + ("…" if end < len(text) else "")
