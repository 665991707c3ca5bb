"""Fuses the hits of several libraries into one ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import log
from typing import TYPE_CHECKING

from manole.index.store.records import Ranked

if TYPE_CHECKING:
    from manole.index.search.hybrid import Hit


def fused(lists: Sequence[list[Hit]], query: str, *, alike: bool) -> list[Hit]:
    """Return the hits of several libraries, best first.

    Similarities of one embedder compare; with several, the ranks in each library count. BM25 scores
    do not compare, because a word's weight depends on its rarity in the library. So words are
    weighed by their rarity in all hits.
    """
    from manole.index.search.hybrid import fuse
    from manole.text.analysis import asked, terms
    from manole.text.language import LANGUAGES, language_of

    hits = [(rank, hit) for own in lists for rank, hit in enumerate(own)]
    near = sorted(
        (item for item in hits if item[1].similarity is not None),
        key=lambda item: -(item[1].similarity or 0.0) if alike else item[0],
    )
    words = [set(each) for each in asked(query, LANGUAGES)]

    def of(text: str) -> list[int]:
        there = set(terms(text, language_of(text)))
        return [at for at, each in enumerate(words) if each & there]

    held = {hit.passage.id: of(hit.passage.text) for _, hit in hits}
    often = Counter(at for found in held.values() for at in found)
    weights = {
        key: sum(log(1 + len(held) / often[at]) for at in found) for key, found in held.items()
    }
    worded = sorted(
        (hit for _, hit in hits if hit.bm25 is not None),
        key=lambda hit: (-weights[hit.passage.id], -(hit.bm25 or 0.0)),
    )
    known = {hit.passage.id: hit for _, hit in hits}
    ranked = fuse(
        [Ranked(hit.passage.id, 0, hit.similarity or 0.0) for _, hit in near],
        [Ranked(hit.passage.id, 0, hit.bm25 or 0.0) for hit in worded],
    )
    named = [hit for _, hit in hits if hit.similarity is None and hit.bm25 is None]
    return [
        *(replace(known[item.ranked.id], score=item.score) for item in ranked),
        *sorted(named, key=lambda hit: -hit.score),
    ]
