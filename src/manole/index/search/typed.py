"""What a person types into a search field: misspelt words put right, and no tail of chance.

A word that no passage has, in any of its forms, is taken for a slip if a passage has one that
differs from it by a single letter left out, put in or exchanged, or by two neighbours that changed
places: four of five misspelt words do (Damerau, "A technique for computer detection and correction
of spelling errors", 1964). So nothing is put right that stands anywhere. Names of things that are
not there may be put right, too ("horse" into "house"): whoever searches is told.

Vectors find what is nearest all the same, be it noise. Where some passages have words of the query,
few of those without are near; beside a code ("E07") none is.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from manole.index.search.duplicates import Find
from manole.index.search.hybrid import NO_FILTERS
from manole.index.store.protocol import Store
from manole.index.store.records import PassageRecord
from manole.text.analysis import placed_terms
from manole.text.words import STOP, fold, has_digit, meaning, words

# Set by hand:
_SHORTEST = 5  # letters: shorter words are too often one letter from another one
_WORDS = 8  # of a query, that are looked at
_PASSAGES = 20  # that are read for the right spelling of a word
_MEANT = 3  # passages without a word of the query, where others have some
_NEAREST = 10  # passages where none has


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What was found for `query`, which is as typed but for slips that were put right.

    So many passages as `waiting` have no vector yet, and are found by their words alone.
    """

    query: str
    finds: Sequence[Find]
    waiting: int = 0


async def put_right(stores: Sequence[Store], query: str) -> str:
    """Return the query with words that are in none of the stores as one of them spells them."""
    readings = await asyncio.gather(*(store.reading(query) for store in stores))
    languages = {language for reading in readings for language in reading.languages}
    right, at = "", 0
    for start, end, terms in list(placed_terms(query, languages))[:_WORDS]:
        word = query[start:end]
        if len(word) >= _SHORTEST and word.isalpha() and fold(word) not in STOP:
            right += query[at:start] + await _right(stores, word, terms)
            at = end
    return right + query[at:]


async def _right(stores: Sequence[Store], word: str, terms: Sequence[str]) -> str:
    for store in stores:
        if await store.match(word, 1, NO_FILTERS):
            return word
    found: Counter[str] = Counter()
    for store in stores:
        languages = (await store.reading(word)).languages
        for passage in await store.take(await store.misspelt(word, _PASSAGES)):
            for start, end, each in placed_terms(passage.text, languages):
                if any(is_one_slip(term, other) for term in terms for other in each):
                    found[passage.text[start:end].lower()] += 1
    return found.most_common(1)[0][0] if found else word


def is_one_slip(word: str, other: str) -> bool:
    """Return whether two different words are one letter, or one exchange of neighbours, apart."""
    same = next((at for at, a in enumerate(word) if other[at : at + 1] != a), len(word))
    left, right = word[same:], other[same:]
    if len(left) != len(right):
        return left[1:] == right or left == right[1:]
    return left[1:] == right[1:] or left[1::-1] + left[2:] == right


def fitting(finds: Sequence[Find], query: str) -> list[Find]:
    """Return the finds that are no chance, those with every code of the query first."""
    if all(find.bm25 is None for find in finds):
        return list(finds[:_NEAREST])
    wanted = words(meaning(query))
    codes = {word for word in wanted if has_digit(word)}
    meant = 0 if codes.issuperset(wanted) else _MEANT
    kept: list[Find] = []
    for find in finds:
        meant -= find.bm25 is None
        if find.bm25 is not None or meant >= 0:
            kept.append(find)
    return sorted(kept, key=lambda find: not codes.issubset(_words(find.passage)))


def _words(passage: PassageRecord) -> set[str]:
    return set(words(" ".join((*passage.headings, passage.text))))
