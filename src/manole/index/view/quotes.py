"""The place of a quotation in a text, despite differences in spaces, hyphens, quotes or case.

Both are reduced to their letters and digits, in lower case and without accents; a line break or a
hyphen inside a word is gone then. A quotation that stands there whole is marked whole; of one with
gaps ("…") each piece; of any other the longest part. The longest part is found with the suffix
automaton of the quotation (Blumer et al., "The smallest automaton recognizing the subwords of a
text", 1985), so the time grows with the length of the text and of nothing else.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from manole.text.words import WORD, fold

Mark = tuple[int, int]  # first character, and the one after the last

# Set by hand:
MOST = 4000  # letters of a quotation that are looked for
_PART, _SHARE = 12, 0.2  # a part of fewer letters, or a smaller share of the quotation, is chance
_TRIES = 1000  # places of a short quotation that are compared
_WORD = re.compile(WORD)
_SIGNS = re.compile(r"([^\w\s]{0,4}).*?([^\w\s]{0,4})", re.DOTALL)  # around a quotation
_QUOTES = frozenset("\"'`´“”„‟‘’‚‛«»‹›「」『』")
_GAP = re.compile(r"…|\.\.\.")


class Letters:
    """A text reduced to its letters and digits, each with its place in the text."""

    def __init__(self, text: str) -> None:
        self.source = text
        self._places: list[Mark] = []
        self._starts: list[int] = []
        parts: list[str] = []
        at = 0
        for match in _WORD.finditer(text):
            part = fold(match[0])
            self._places.append(match.span())
            self._starts.append(at)
            parts.append(part)
            at += len(part)
        self.text = "".join(parts)
        self.words = frozenset(parts)

    def __len__(self) -> int:
        return len(self.text)

    def mark(self, start: int, end: int) -> Mark:
        """Return the place in the text of the letters from `start` to `end`."""
        return self._place(start)[0], self._place(end - 1)[1]

    def word(self, start: int, end: int) -> Mark:
        """Return the same place, widened to whole words."""
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end - 1) - 1
        return self._places[first][0], self._places[last][1]

    def near(self, place: int) -> int:
        """Return the first letter of the word at, or else after, `place` in the text."""
        word = bisect_right(self._places, place, key=lambda span: span[1])
        return self._starts[word] if word < len(self._starts) else len(self.text)

    def is_whole(self, start: int, end: int) -> bool:
        """Return whether no word is cut by these ends."""
        return self._is_edge(start) and self._is_edge(end)

    def whole_words(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch from `start` to `end` without the words cut by its ends."""
        first = bisect_right(self._starts, start - 1) if start else 0
        last = bisect_right(self._starts, end) - 1
        inner = self._starts[first] if first < len(self._starts) else len(self.text)
        return inner, end if self._is_edge(end) else self._starts[last]

    def _is_edge(self, at: int) -> bool:
        word = bisect_right(self._starts, at) - 1
        return at == len(self.text) or self._starts[word] == at

    def _place(self, letter: int) -> Mark:
        """Return a letter's place, or that of its word where folding changed the length."""
        word = bisect_right(self._starts, letter) - 1
        start, end = self._places[word]
        after = self._starts[word + 1] if word + 1 < len(self._starts) else len(self.text)
        if after - self._starts[word] != end - start:
            return start, end
        return start + letter - self._starts[word], start + letter - self._starts[word] + 1


class Quotation:
    """A quotation to find; only the beginning of a very long one counts."""

    def __init__(self, text: str) -> None:
        text = text[: 4 * MOST].strip()
        outer = _SIGNS.fullmatch(text)
        self._opening, self._closing = outer.groups() if outer else ("", "")
        self._letters = Letters(text).text[:MOST]
        self._pieces = [
            letters
            for piece in _GAP.split(text)
            if len(letters := Letters(piece).text[:MOST]) >= _PART
        ]
        self._words = Letters(text).words

    def __bool__(self) -> bool:
        return bool(self._letters)

    @property
    def is_long(self) -> bool:
        """Whether it is too long to stand somewhere by chance."""
        return len(self._letters) >= _PART

    def whole(self, within: Letters, near: int = 0) -> list[Mark]:
        """Return the marks of all of it: first from `near` on, else last before; or none."""
        start = within.near(near)
        found = _from(self._letters, within, start)
        if found is not None:
            return [
                self._with_signs(within.source, *within.mark(found, found + len(self._letters)))
            ]
        if len(self._pieces) < 2:
            return []
        places = [_from(piece, within, start) for piece in self._pieces]
        marks = [
            within.mark(at, at + len(piece))
            for at, piece in zip(places, self._pieces, strict=True)
            if at is not None
        ]
        return sorted(marks) if len(marks) == len(places) else []

    def part(self, within: Letters) -> list[Mark]:
        """Return the mark of its longest part, in whole words; none if that may be chance."""
        start, end = _longest(self._letters, within.text)
        inner = within.whole_words(start, end)
        if 2 * (inner[1] - inner[0]) > end - start:  # else a script without blanks
            start, end = inner
        if end - start < max(_PART, _SHARE * len(self._letters)):
            return []
        return [within.mark(start, end)]

    def _with_signs(self, text: str, start: int, end: int) -> Mark:
        """Return a mark widened to the quotation's own signs, as far as these are in the text."""
        for sign in reversed(self._opening):
            if not _alike(text[start - 1 : start], sign):
                break
            start -= 1
        for sign in self._closing:
            if not _alike(text[end : end + 1], sign):
                break
            end += 1
        return start, end

    def shared(self, within: Letters) -> int:
        """Return how many of its words stand there."""
        return len(self._words & within.words)


def _alike(sign: str, other: str) -> bool:
    return sign == other or {sign, other} <= _QUOTES


def _from(wanted: str, within: Letters, start: int) -> int | None:
    """Return where `wanted` begins, in whole words if it does anywhere or is short."""
    found = list(islice(each(wanted, within.text), _TRIES))
    whole = [at for at in found if within.is_whole(at, at + len(wanted))]
    if not whole and len(wanted) < _PART:
        return None
    return min(whole or found, key=lambda at: (at < start, abs(at - start)), default=None)


def marks_within(marks: Iterable[Mark], start: int, end: int) -> tuple[Mark, ...]:
    """Return the parts of marks that lie between two places, counted from the first one."""
    return tuple(
        (max(first, start) - start, min(last, end) - start)
        for first, last in marks
        if first < end and start < last
    )


def each(wanted: str, text: str) -> Iterator[int]:
    """Yield every place of `wanted` in `text`."""
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


@dataclass(slots=True)
class _State:
    """Substrings of the quotation that end at the same places. `length` is that of the longest."""

    length: int
    link: int
    to: dict[str, int]


def _automaton(text: str) -> list[_State]:
    states = [_State(0, -1, {})]
    last = 0
    for letter in text:
        new = len(states)
        states.append(_State(states[last].length + 1, 0, {}))
        at = last
        while at >= 0 and letter not in states[at].to:
            states[at].to[letter] = new
            at = states[at].link
        if at >= 0:
            target = states[at].to[letter]
            if states[target].length != states[at].length + 1:
                copy = _State(states[at].length + 1, states[target].link, states[target].to.copy())
                states.append(copy)
                states[target].link = len(states) - 1
                while at >= 0 and states[at].to.get(letter) == target:
                    states[at].to[letter] = len(states) - 1
                    at = states[at].link
                target = len(states) - 1
            states[new].link = target
        last = new
    return states


def _longest(wanted: str, text: str) -> tuple[int, int]:
    """Return the first longest stretch of `text` that stands in `wanted`."""
    states = _automaton(wanted)
    at = length = best = end = 0
    for place, letter in enumerate(text, start=1):
        while at and letter not in states[at].to:
            at = states[at].link
            length = states[at].length
        if letter in states[at].to:
            at = states[at].to[letter]
            length += 1
        if length > best:
            best, end = length, place
    return end - best, end
