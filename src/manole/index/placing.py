"""Where the words of a line stand on its page.

The index keeps a box a line. A PDF also says where each word is (`pdf.read_words`); those that lie
in a line's box and spell the same letters give its words their places. Of a line that was
recognized in a picture, or whose letters differ, the widths of common letters give an estimate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from manole.documents.model import Box, is_hidden

_WORD = re.compile(r"\S+")
_UNSPELT = re.compile(r"[\s\u00ad\x02-]+")  # what a line's end changes
_NARROW = frozenset("iljftrI1.,;:'|!()[]- ")
_WIDE = frozenset("mwMW@%")
_UPRIGHT = 2.0  # a box so much higher than wide, of several letters, is of text that runs down


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
        """The box of its characters from `start` to `end`."""
        inside = [w for w in self.words if w.start < end and start < w.start + len(w.text)]
        if not inside:
            return self.box
        sides = _within(inside[0], start), _within(inside[-1], end)
        return Box(min(sides), self.box.y0, max(sides), self.box.y1)


def drawn(
    lines: Sequence[tuple[str, Box]], words: Sequence[tuple[str, Box]] = ()
) -> list[DrawnLine]:
    """Lines with the places of their words; of what nobody sees there are none."""
    return [_drawn(text, box, words) for text, box in lines]


def _drawn(text: str, box: Box, words: Sequence[tuple[str, Box]]) -> DrawnLine:
    if is_hidden(text):
        return DrawnLine(text, box, ())
    inside = sorted(((own.x0, word, own) for word, own in words if _lies(own, box)), key=_left)
    spelt = "".join(word for _, word, _ in inside)
    if _UNSPELT.sub("", spelt) == _UNSPELT.sub("", text) != "":
        return DrawnLine(text, box, tuple(_told(text, [(word, own) for _, word, own in inside])))
    return DrawnLine(text, box, tuple(_guessed(text, box)))


def _left(word: tuple[float, str, Box]) -> float:
    return word[0]


def _lies(word: Box, line: Box) -> bool:
    across, down = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    return line.x0 <= across <= line.x1 and line.y0 <= down <= line.y1


def _told(text: str, words: Sequence[tuple[str, Box]]) -> Iterator[DrawnWord]:
    """The words of a line by the letters that a page's own words have, one by one."""
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


def _guessed(text: str, box: Box) -> Iterator[DrawnWord]:
    """The words of a line by what letters are mostly wide; none of a line that runs down."""
    if len(text) > 2 and box.y1 - box.y0 > _UPRIGHT * (box.x1 - box.x0):
        return
    widths = [0.5 if c in _NARROW else 1.5 if c in _WIDE else 1.0 for c in text]
    scale = (box.x1 - box.x0) / (sum(widths) or 1.0)
    for match in _WORD.finditer(text):
        left, right = (box.x0 + scale * sum(widths[:at]) for at in match.span())
        yield DrawnWord(match[0], match.start(), left, right)


def _within(word: DrawnWord, at: int) -> float:
    """Where a character of a word begins, from its left to its right end."""
    share = min(max((at - word.start) / len(word.text), 0.0), 1.0)
    return word.left + (word.right - word.left) * share
