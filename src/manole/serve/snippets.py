"""The part of a passage that a list of results shows, and which words in it were asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from manole.agent.answer.selection import pieces
from manole.index.store.vocabulary import Reading
from manole.text.words import content_words, placed_words, stem, words

MOST = 300  # characters
_LEAST = 160  # characters: a shorter snippet takes the next sentence in
_BEFORE = 60  # characters kept before the first word asked for, in a sentence that is too long
_PREFIX = 4  # letters from which on the beginning of a word counts as the word
_FULL = 40  # characters: a shorter line ends where its sentence does
_BLANK = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Snippet:
    """At most `MOST` characters; `marks` are those of the words that were asked for."""

    text: str
    marks: tuple[tuple[int, int], ...]


class Asked:
    """The words of a query, and how libraries read them (`Library.reading`)."""

    def __init__(self, query: str, readings: Sequence[Reading] = ()) -> None:
        self._readings = readings
        self._words = content_words(query) or words(query)
        self._stems = frozenset(stem(word) for word in self._words)
        self._known: dict[str, str | None] = {}

    def marks(self, text: str) -> list[tuple[int, int]]:
        """Find words of the query in `text`, in other forms and as beginnings, too."""
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
        told: set[int] = set()
        for start, end, word in placed_words(text):
            if (which := self._which(word)) is not None:
                told.add(start)
                yield start, end, which
        for reading in self._readings:
            yield from (place for place in reading.places(text) if place[0] not in told)

    def _which(self, word: str) -> str | None:
        """The stem of the query that a word of a text has or begins with."""
        if word not in self._known:
            found: str | None = stem(word)
            if found not in self._stems:
                begun = (w for w in self._words if len(w) >= _PREFIX and word.startswith(w))
                found = next(begun, None)
            self._known[word] = found
        return self._known[word]


def snippet(passage: str, asked: Asked) -> Snippet:
    """The sentence or line of `passage` that holds most words of the query, with what follows.

    Lines that a sentence runs over are one. Where no word is in the passage, its beginning.
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
    """The lines of a paragraph; a full one that goes on in lower case is one with the next."""
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
    """A long sentence cut around the first word that was asked for."""
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
