"""Compounds and their parts: `Versicherungsvertrag` into `Versicherung` and `Vertrag`.

The library's own words decide, not a list: a compound consists of two words of the library and the
letters that link them (Koehn and Knight, "Empirical methods for compound splitting", EACL 2003; of
several ways to split it, the one with the highest geometric mean of its parts' frequencies). A
stemmer removes the linking letters from the first part as it does an ending. A word of the question
counts as a word even if the library does not have it alone; so a long one is also found at the end
of a word whose beginning is unknown.

The words of a question are compared with all current words of the library. The index does not store
compounds, so it need not change when the library gets a new word.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

# Languages that write compounds in one word (ISO 639), as far as there are stemmers for them.
LANGUAGES = frozenset({"de", "nl", "sv", "da", "no", "nb", "nn", "fi", "et", "hu"})
LEAST = 4  # letters of a first part with its link, at least
HEAD = 3  # letters of a known or asked last part without its ending, at least
LINK = 4  # letters between the stem of a first part and the last: "versicher-ungs-vertrag"
LONG = 6  # letters of a part that counts even if the other one is unknown, at least
MOST = 50  # compounds of a word, at most
LOOKED = 3000  # words with its letters that are checked, at most: 20 ms

Stem = Callable[[str], str]


class Compounds:
    """The words of a library in one language: stems with the number of passages of each."""

    def __init__(self, counts: Mapping[str, int], stem: Stem) -> None:
        self._counts = counts
        self._stem = stem
        self._lines = "\n".join(["", *counts, ""])

    def read(self, asked: Collection[str]) -> Question:
        """Return a question of these words (stems) to the library."""
        return Question(self._counts, self._stem, self._lines, frozenset(asked))


@dataclass(frozen=True, slots=True)
class Question:
    """The words of a library, and those of a question, which count as words too."""

    counts: Mapping[str, int]
    stem: Stem
    lines: str
    asked: frozenset[str]

    def compounds(self, word: str, typed: str) -> list[str]:
        """Return the stems of compounds with the word (its stem and as typed), frequent first."""
        if len(word) < HEAD:
            return []
        held = {each for each in islice(self._with(word), LOOKED) if self._holds(each, word, typed)}
        return sorted(held, key=lambda each: (-self.counts[each], each))[:MOST]

    def parts(self, word: str) -> list[str]:
        """Return the stems of a compound's known parts; none if it is no compound."""
        best: tuple[int, float, list[str]] = (0, 0.0, [])
        for at in range(LEAST, len(word) - HEAD + 1):
            first, last = self.stem(word[:at]), word[at:]
            known = [part for part in (first, last) if self._is_word(part)]
            if len(known) < 2 and not (last in known and len(last) >= LONG):
                continue
            counts = [self.counts.get(part, 1) for part in known]
            # Two known parts count more than one, however frequent.
            best = max(best, (len(known), math.prod(counts) ** (1 / len(counts)), known))
        return [each for part in best[2] for each in (part, *self.parts(part))]

    def _with(self, word: str) -> Iterator[str]:
        """Yield the known words that contain these letters and more."""
        at = self.lines.find(word)
        while at >= 0:
            start, end = self.lines.rindex("\n", 0, at) + 1, self.lines.index("\n", at)
            if end - start > len(word):
                yield self.lines[start:end]
            at = self.lines.find(word, end)

    def _is_word(self, stem: str) -> bool:
        return stem in self.counts or stem in self.asked

    def _holds(self, compound: str, word: str, typed: str) -> bool:
        """Return whether `word` is a part of `compound`, which contains its letters."""
        at = compound.find(word)
        while at >= 0:
            if self._begins(compound[:at], word) and self._ends(compound[at:], word, typed):
                return True
            at = compound.find(word, at + 1)
        return False

    def _begins(self, before: str, word: str) -> bool:
        """Return whether the text before the word is empty or a first part."""
        if not before:
            return True
        if len(before) < LEAST:
            return False
        return len(word) >= LONG or self._is_word(self.stem(before)) or bool(self.parts(before))

    def _ends(self, rest: str, word: str, typed: str) -> bool:
        """Return whether the text behind the word, which begins `rest`, is empty or a last part."""
        after = rest[len(word) :]
        if not after:
            return True
        last = (after[link:] for link in range(min(LINK, len(after)) + 1))
        if any(len(part) >= LEAST and self._is_word(part) for part in last):
            return True
        return len(typed) >= LONG and rest.startswith(typed) and len(rest) - len(typed) > LEAST
