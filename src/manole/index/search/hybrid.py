"""Hybrid search: cosine similarity and BM25, fused by reciprocal rank.

Each ranking gives a passage 1 / (k + rank) with k = 60 (Cormack, Clarke and Buettcher, "Reciprocal
rank fusion outperforms Condorcet and individual rank learning methods", SIGIR 2009). Ranks need no
calibration between a similarity and a BM25 score. The sum is divided by the best one possible
(first in both rankings), so that a score lies between 0 and 1. In a sentence, which has words such
as "the", the others are a person's, not the document's, and count less than its meaning; key words
and codes count as much: on 345 everyday questions the passage that decides is among twelve in .87
with .4, in .81 with 1.

Rankings are of ids; only the passages that are returned are read.

If no passage has any word of the query, its vectors find what is nearest all the same, be it noise.
Then the names of files take the place of the words: the first passages of the files whose names
have most of the words, parts of longer ones included (`rentalcontract2022.pdf`), are fused with
what the vectors found, and come first where the two are equal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from manole.index.search.scope import is_within
from manole.index.store.protocol import Store
from manole.index.store.records import FileRecord, Filters, PassageRecord, Ranked
from manole.index.store.rows import path_words
from manole.models.encode.embedder import Embedder
from manole.text.words import has_digit, meaning

K = 60  # the paper's
# Where so few passages share a word with the query, all stand among the first, however far in
# meaning: "how high is the deposit" is on one line of a lease's page.
_FEW, _FIRST = 8, 12
SPOKEN = 0.4  # weight of the ranking by words, beside 1 for that by meaning, for a sentence
# Set by hand:
POOL = 50  # passages of each ranking
TRIES = 3  # while a sync commits
PART = 3  # letters of a word that is looked for within a name, at least
NAMES, NAMES_CALL = 1000, 100  # files whose names fit that are looked at, and those of one query
MAX_QUERY_CHARS = 2000  # the embedder reads some thousand; BM25 gets slow with many words
NO_FILTERS = Filters()

Files = Callable[[], Awaitable[list[FileRecord]]]


@dataclass(frozen=True, slots=True)
class Fused:
    """A passage in both rankings, not yet read; its numbers are those of `Hit`."""

    ranked: Ranked
    score: float
    similarity: float | None
    bm25: float | None


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found. `score` is the fused one, 1 at best.

    `similarity` (cosine) and `bm25` are `None` where that ranking did not find the passage.
    `relevance` is a reranker's estimate of the chance that it answers the query (`reranking.py`).
    """

    passage: PassageRecord
    score: float
    similarity: float | None = None
    bm25: float | None = None
    relevance: float | None = None


async def search(
    store: Store,
    embedder: Embedder | None,
    query: str,
    *,
    limit: int = 12,
    filters: Filters = NO_FILTERS,
    also: Sequence[str] = (),
    files: Files | None = None,
) -> list[Hit]:
    """Return the passages that fit `query` best, best first; an empty query finds nothing.

    The first `POOL` passages of each ranking are fused. Without an embedder, only words are
    searched. `also` are further words for the word ranking, such as synonyms. `files` returns a
    kept list of files; to read it from the store takes a second for 100,000. The query may have any
    characters; only the beginning of a very long one is used.
    """
    text = " ".join(query[: MAX_QUERY_CHARS * 4].split())[:MAX_QUERY_CHARS]
    if not text or limit < 1:
        return []
    pool = max(POOL, limit)
    # Function words rank passages by their length; only a query of nothing else keeps them.
    meant = " ".join([meaning(text), *also])
    for _ in range(TRIES):
        version = await store.version()
        words, vectors = await asyncio.gather(
            store.match(meant, pool, filters),
            _nearest(store, embedder, text, pool, filters),
        )
        found = fuse(vectors, words, text)[:limit]
        passages = await store.take([item.ranked for item in found])
        if version == await store.version():
            break  # else the rankings may be of two states, with old and new passages of one file
    known = {passage.id: passage for passage in passages}
    hits = [
        Hit(known[item.ranked.id], item.score, item.similarity, item.bm25)
        for item in found
        if item.ranked.id in known
    ]
    if words:
        return hits
    named = await _by_name(store, await (files or store.files)(), text, limit, filters)
    return _joined(named, hits)[:limit]


def _joined(named: Sequence[PassageRecord], hits: Sequence[Hit]) -> list[Hit]:
    """Fuse passages of files that are named so, best first, with what the vectors found."""
    best = 2 / (K + 1)
    found = {hit.passage.id: hit for hit in hits}
    joined = []
    for rank, passage in enumerate(named, start=1):
        hit = found.pop(passage.id, Hit(passage, 0.0))
        joined.append(replace(hit, score=hit.score + 1 / (K + rank) / best))
    return sorted([*joined, *found.values()], key=lambda hit: -hit.score)


def fuse(vectors: Sequence[Ranked], words: Sequence[Ranked], query: str = "") -> list[Fused]:
    """Fuse two rankings (each best first) for a query by reciprocal rank; see the module."""
    spoken = len(meaning(query).split()) < len(query.split()) and not has_digit(query)
    weight = SPOKEN if spoken and vectors and words else 1.0
    best = (1 + weight) / (K + 1)
    scores: dict[str, float] = {}
    for ranking, counts in ((vectors, 1.0), (words, weight)):
        for rank, item in enumerate(ranking, start=1):
            scores[item.id] = scores.get(item.id, 0.0) + counts / (K + rank)
    similarity = {item.id: item.score for item in vectors}
    bm25 = {item.id: item.score for item in words}
    ranked = {item.id: item for item in (*vectors, *words)}
    order = sorted(scores, key=lambda key: (-scores[key], key))
    if words and len(words) <= _FEW and len(order) > _FIRST:
        least = scores[order[_FIRST - len(words) - 1]]
        scores |= {key: max(scores[key], least) for key in bm25}
        order.sort(key=lambda key: (-scores[key], key not in bm25, key))
    return [
        Fused(ranked[key], scores[key] / best, similarity.get(key), bm25.get(key)) for key in order
    ]


async def _nearest(
    store: Store, embedder: Embedder | None, text: str, pool: int, filters: Filters
) -> list[Ranked]:
    if embedder is None:
        return []
    vector = await asyncio.to_thread(embedder.embed_query, text)
    return await store.nearest(vector, pool, filters)


async def _by_name(
    store: Store, files: Sequence[FileRecord], text: str, limit: int, filters: Filters
) -> list[PassageRecord]:
    """Return first passages of files whose names have words of the query, most words first."""
    words = path_words(meaning(text)).lower().split()
    wanted = {word for word in words if len(word) >= PART or word.isdecimal()} or set(words)
    anywhen = replace(filters, date_from=None, date_to=None)  # a passage may have its own day
    ranked: list[tuple[int, FileRecord]] = []
    for file in files:
        name = file.path.lower()
        found = sum(word in name for word in wanted)
        if found and file.passages and passes(file, anywhen):
            ranked.append((found, file))
    ranked.sort(key=lambda item: (-item[0], item[1].path))
    passages: list[PassageRecord] = []
    for at in range(0, min(len(ranked), NAMES), NAMES_CALL):
        part = [file for _, file in ranked[at : at + NAMES_CALL]]
        firsts = await store.named([f"{file.id}:0" for file in part])
        for file in part:
            first = firsts.get(f"{file.id}:0")
            if first is not None and passes(file, filters, first.date):
                passages.append(first)
        if len(passages) >= limit:
            break
    return passages[:limit]


def passes(file: FileRecord, filters: Filters, day: date | None = None) -> bool:
    """Return whether a file passes the filters; `day` takes precedence over its own date."""
    if not is_within(file.path, filters.places):
        return False
    if filters.paths and file.path not in filters.paths:
        return False
    if filters.extensions and file.extension not in filters.extensions:
        return False
    day = day or file.date or file.modified.date()
    return (not filters.date_from or day >= filters.date_from) and (
        not filters.date_to or day <= filters.date_to
    )
