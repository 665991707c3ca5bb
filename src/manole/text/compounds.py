"""Words written as one, and their parts: `Versicherungsvertrag`, `Vertrag` and `Versicherung`.

Which words are compounds the library itself says, and no list: a word is one of two others that it
holds, with the letters that link them (Koehn and Knight, "Empirical methods for compound
splitting", EACL 2003; of several ways to split the one with the highest geometric mean of its
parts' frequencies). A stemmer takes the linking letters from the first part as it does an ending.
A word of the question is a word, whether or not the library holds it alone; so a long one is also
seen at the end of a word whose beginning is not known.

This is done with the words of a question, against all words of the library, as they are now. The
index need not know it: nothing in it grows old when the library learns a word.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

# Languages that write compounds in one word (ISO 639), as far as there are stemmers for them.
LANGUAGES = frozenset({"de", "nl", "sv", "da", "no", "nb", "nn", "fi", "et", "hu"})
LEAST = 4  # letters of a first part as it stands, with its link
HEAD = 3  # letters of a last part, without its ending, that the library knows or that is asked for
LINK = 4  # letters between the stem of a first part and the last: "versicher-ungs-vertrag"
LONG = 6  # letters of a part that is believed though the other is not known
MOST = 50  # compounds of a word
LOOKED = 3000  # words with its letters that may be some: 20 ms

Stem = Callable[[str], str]


class Compounds:
    """The words of one language that a library holds: stems with the passages that have each."""

    def __init__(self, counts: Mapping[str, int], stem: Stem) -> None:
        self._counts = counts
        self._stem = stem
        self._lines = "\n".join(["", *counts, ""])

    def read(self, asked: Collection[str]) -> Question:
        """These words in a question, whose words these (stems) are."""
        return Question(self._counts, self._stem, self._lines, frozenset(asked))


@dataclass(frozen=True, slots=True)
class Question:
    """The words of a library, and those that are asked for: these are words as well."""

    counts: Mapping[str, int]
    stem: Stem
    lines: str
    asked: frozenset[str]

    def compounds(self, word: str, typed: str) -> list[str]:
        """Stems of compounds that have the word (its stem, and as it was typed), frequent first."""
        if len(word) < HEAD:
            return []
        held = {each for each in islice(self._with(word), LOOKED) if self._holds(each, word, typed)}
        return sorted(held, key=lambda each: (-self.counts[each], each))[:MOST]

    def parts(self, word: str) -> list[str]:
        """The stems of a compound's parts that are known; nothing where it is none."""
        best: tuple[int, float, list[str]] = (0, 0.0, [])
        for at in range(LEAST, len(word) - HEAD + 1):
            first, last = self.stem(word[:at]), word[at:]
            known = [part for part in (first, last) if self._is_word(part)]
            if len(known) < 2 and not (last in known and len(last) >= LONG):
                continue
            counts = [self.counts.get(part, 1) for part in known]
            # Two known parts say more than one, however frequent.
            best = max(best, (len(known), math.prod(counts) ** (1 / len(counts)), known))
        return [each for part in best[2] for each in (part, *self.parts(part))]

    def _with(self, word: str) -> Iterator[str]:
        """The known words that have these letters and more."""
        at = self.lines.find(word)
        while at >= 0:
            start, end = self.lines.rindex("\n", 0, at) + 1, self.lines.index("\n", at)
            if end - start > len(word):
                yield self.lines[start:end]
            at = self.lines.find(word, end)

    def _is_word(self, stem: str) -> bool:
        return stem in self.counts or stem in self.asked

    def _holds(self, compound: str, word: str, typed: str) -> bool:
        """Whether `word` is a part of `compound`, which has its letters."""
        at = compound.find(word)
        while at >= 0:
            if self._begins(compound[:at], word) and self._ends(compound[at:], word, typed):
                return True
            at = compound.find(word, at + 1)
        return False

    def _begins(self, before: str, word: str) -> bool:
        """Whether what stands before the word is nothing or a first part."""
        if not before:
            return True
        if len(before) < LEAST:
            return False
        return len(word) >= LONG or self._is_word(self.stem(before)) or bool(self.parts(before))

    def _ends(self, rest: str, word: str, typed: str) -> bool:
        """Whether what follows the word, which `rest` begins with, is nothing or a last part."""
        after = rest[len(word) :]
        if not after:
            return True
        last = (after[link:] for link in range(min(LINK, len(after)) + 1))
        if any(len(part) >= LEAST and self._is_word(part) for part in last):
            return True
        return len(typed) >= LONG and rest.startswith(typed) and len(rest) - len(typed) > LEAST
