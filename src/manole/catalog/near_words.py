"""Words that stand near each other in a text, each in any form that the index takes for the same.

That is by their stems, and inside compounds (`text/analysis.py`, `text/compounds.py`); a word may
be parted at a line's end. Lines may be of any length.
"""

from __future__ import annotations

import asyncio
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from manole.documents.fields.model import TextLine
from manole.index.store.vocabulary import Reading
from manole.library import Library
from manole.text.line_matching import HYPHENS, Match, Span
from manole.text.words import fold

_NEAR = 240  # characters from the first to the last of the words: some three lines; set by hand
_WIDE = 400  # characters of a line from which its places are told one by one
_TAIL = re.compile(rf"\w+(?=[{HYPHENS}]\s*$)")
_HEAD = re.compile(r"\s*([^\W\d_]+)")


@dataclass(frozen=True, slots=True)
class NearWords:
    """For each of some words, how the indexes read it."""

    words: Sequence[Sequence[Reading]]

    @classmethod
    async def read(cls, library: Library, words: Sequence[str]) -> NearWords:
        """Return words as a library has them; a part of a compound is not the compound."""
        return cls([[_own(one) for one in await library.reading(word)] for word in words])

    async def of(self, lines: Sequence[TextLine]) -> tuple[list[Match], bool]:
        """Return where all of them stand near each other in lines; true, as all are looked at."""
        return await asyncio.to_thread(lambda: list(self._matches([x.text for x in lines]))), True

    def _matches(self, texts: Sequence[str]) -> Iterator[Match]:
        begin = [0, *accumulate(len(text) + 1 for text in texts)]
        last: dict[int, Span] = {}
        before: Match | None = None
        for start, end, n in sorted(self._found(texts, begin)):
            last = {m: span for m, span in last.items() if start - span[0] <= _NEAR}
            last[n] = (start, end)
            if len(last) < len(self.words):
                continue
            spans, last = sorted(last.values()), {}
            first, to = (bisect_right(begin, at) - 1 for at in (spans[0][0], spans[-1][0]))
            text = "\n".join(texts[first : to + 1])
            own = [(a - begin[first], b - begin[first]) for a, b in spans]
            if before and (before.at, before.text) == (first, text) and len(text) <= _WIDE:
                before.spans.extend(own)
                continue
            if before:
                yield before
            before = Match(first, text, own)
        if before:
            yield before

    def _found(self, texts: Sequence[str], begin: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        """Yield the start, the end and the number of each word; none where one is lacking."""
        starts = [{t[: max(1, len(t) - 1)] for r in own for t in _terms(r)} for own in self.words]
        whole = fold("\n".join(texts))
        whole += re.sub(rf"[{HYPHENS}]\s*\n\s*", "", whole)
        if not all(any(start in whole for start in own) for own in starts):
            return
        for at, text in enumerate(texts):
            plain = fold(text)
            tail = _TAIL.search(text)
            head = _HEAD.match(texts[at + 1]) if tail and at + 1 < len(texts) else None
            for n, own in enumerate(self.words):
                near = any(start in plain for start in starts[n])
                for reading in own:
                    for a, b, _ in reading.places(text) if near else ():
                        yield begin[at] + a, begin[at] + b, n
                    if tail and head and reading.places(tail[0] + head[1]):
                        yield begin[at] + tail.start(), begin[at + 1] + head.end(), n


def _own(reading: Reading) -> Reading:
    """Return a reading without the parts of its words."""
    kept = [(t, w) for t, w in reading.related if any(term in t for term in reading.exact)]
    return replace(reading, related=tuple(kept))


def _terms(reading: Reading) -> Iterator[str]:
    yield from reading.exact
    yield from (term for term, _ in reading.related)
