"""The places of a line's words on its page.

The index keeps one box a line. A PDF also has the place of each word (`pdf.read_words`): those in a
line's box that spell the same letters give its words their places. For a line that was recognized
in a picture, or whose letters differ, the widths of common letters give an estimate.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from manole.documents.model import Box, is_hidden

Word = tuple[str, Box]

MOST = 20_000  # words of a page that are looked at; a full page of a newspaper has half as many
_LOOKS = 1_000_000  # words beside lines, in all: ten such pages; the rest is estimated
_WORD = re.compile(r"\S+")
_UNSPELT = re.compile(r"[\s\u00ad\x02-]+")  # what a line's end changes
_NARROW = frozenset("iljftrI1.,;:'|!()[]- ")
_WIDE = frozenset("mwMW@%")
_UPRIGHT = 2.0  # set by hand: a box so much higher than wide is of text that runs down


@dataclass(frozen=True, slots=True)
class DrawnWord:
    """A word on a page. `start` is its first character in its line's text."""

    text: str
    start: int
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line of a page with the places of its words; all are as high as the line is."""

    text: str
    box: Box
    words: tuple[DrawnWord, ...]

    def part(self, start: int, end: int) -> Box:
        """Return the box of its characters from `start` to `end`."""
        inside = [w for w in self.words if w.start < end and start < w.start + len(w.text)]
        if not inside:
            return self.box
        sides = _within(inside[0], start), _within(inside[-1], end)
        return Box(min(sides), self.box.y0, max(sides), self.box.y1)


def drawn(lines: Sequence[tuple[str, Box]], words: Sequence[Word] = ()) -> list[DrawnLine]:
    """Return lines with the places of their words; hidden lines have no words."""
    known = _Words(words[:MOST])
    return [_drawn(text, box, known) for text, box in lines]


class _Words:
    """A page's own words, ordered by height, so that a line need not look at all of them."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = sorted(words, key=_down)
        self._heights = [_down(word) for word in self._words]
        self._left = _LOOKS

    def within(self, line: Box) -> list[Word]:
        """Return the words in a line's box, from left to right; none after too many looks."""
        first = bisect_left(self._heights, line.y0)
        last = bisect_right(self._heights, line.y1)
        self._left -= last - first
        if self._left < 0:
            return []
        beside = self._words[first:last]
        return sorted((own for own in beside if line.x0 <= _across(own) <= line.x1), key=_left)


def _left(word: Word) -> float:
    return word[1].x0


def _across(word: Word) -> float:
    return (word[1].x0 + word[1].x1) / 2


def _down(word: Word) -> float:
    return (word[1].y0 + word[1].y1) / 2


def _drawn(text: str, box: Box, words: _Words) -> DrawnLine:
    if is_hidden(text):
        return DrawnLine(text, box, ())
    inside = words.within(box)
    spelt = "".join(word for word, _ in inside)
    if _UNSPELT.sub("", spelt) == _UNSPELT.sub("", text) != "":
        return DrawnLine(text, box, tuple(_spelt(text, inside)))
    return DrawnLine(text, box, tuple(_estimated(text, box)))


def _spelt(text: str, words: Sequence[Word]) -> Iterator[DrawnWord]:
    """Yield the words of a line, placed letter by letter by a page's own words."""
    edges = [
        tuple(box.x0 + (box.x1 - box.x0) * side / len(word) for side in (at, at + 1))
        for word, box in words
        for at, letter in enumerate(word)
        if not _UNSPELT.match(letter)
    ]
    at = 0
    for match in _WORD.finditer(text):
        letters = len(_UNSPELT.sub("", match[0]))
        own = edges[at : at + letters]
        at += letters
        if own:
            yield DrawnWord(match[0], match.start(), own[0][0], own[-1][1])


def _estimated(text: str, box: Box) -> Iterator[DrawnWord]:
    """Yield the words of a line, placed by usual widths of letters; none of an upright line."""
    if len(text) > 2 and box.y1 - box.y0 > _UPRIGHT * (box.x1 - box.x0):
        return
    widths = (0.5 if c in _NARROW else 1.5 if c in _WIDE else 1.0 for c in text)
    ends = list(accumulate(widths, initial=0.0))
    scale = (box.x1 - box.x0) / (ends[-1] or 1.0)
    for match in _WORD.finditer(text):
        left, right = (box.x0 + scale * ends[at] for at in match.span())
        yield DrawnWord(match[0], match.start(), left, right)


def _within(word: DrawnWord, at: int) -> float:
    """Return the left edge of a character of a word."""
    share = min(max((at - word.start) / len(word.text), 0.0), 1.0)
    return word.left + (word.right - word.left) * share
