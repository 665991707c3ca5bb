"""Pages found by their lines: many vectors a page, compared by late interaction.

A passage has one vector for some hundred words, in which the three words of a drawing's label are
lost. So each line of a page, of its text or recognized in its pictures, has a vector of its own. A
question has several vectors too: one for the whole, and one for each of its words. A page's score
is the sum, over the question's vectors, of the similarity of the best line (MaxSim; Khattab and
Zaharia, "ColBERT", SIGIR 2020). These lines show where on the page the hit is.

The ranking is fused with those by words and by passages, page by page. Another `PageEmbedder` may
replace that of lines, such as one that sees the page's picture.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from manole.documents.model import Box
from manole.index.search.hybrid import NO_FILTERS, Files, Hit, passes, search
from manole.index.store.page_records import PAGED, LineEmbedder, PageEmbedder, page_id
from manole.index.store.protocol import Store
from manole.index.store.records import FileRecord, Filters, PageRecord, Vectors
from manole.models.encode.embedder import Embedder

# Reciprocal rank fusion of three rankings of pages: by their words (BM25), by their passages
# (`search`) and by their lines. Chosen on manuals and reports; K is small, so that first places
# count most.
K = 3
BY_WORDS, BY_PASSAGES, BY_LINES = 0.7, 0.3, 0.6
# Set by hand:
POOL = 50  # pages of each ranking that are looked at
EXACT = 5000  # pages up to which all are compared; beyond, those that passages lead to
SHOWN = 3  # lines of a hit


@dataclass(frozen=True, slots=True)
class ScoredLine:
    """A line of a page that fits a question: its text, its place, its similarity."""

    text: str
    box: Box
    similarity: float


@dataclass(frozen=True, slots=True)
class PageHit:
    """A page found. `score` is the fused one, 1 at best; `passages` are those found on it."""

    file: FileRecord
    page: int | None
    score: float
    lines: tuple[ScoredLine, ...]
    passages: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class LineRanking:
    """Pages by their lines, best first, each with the lines that its score comes from."""

    order: tuple[str, ...]
    lines: dict[str, tuple[ScoredLine, ...]]


async def rank_lines(
    store: Store,
    asked: Vectors,
    weights: npt.NDArray[np.float32],
    *,
    also: Sequence[str] = (),
    within: Sequence[str] | None = None,
) -> LineRanking:
    """Rank pages by their lines, by weighted MaxSim.

    In a small library all pages are compared, in the files `within` or in all; in a large one only
    those of `also`, which passages led to.
    """
    looked = list(also)
    if (await store.pages.count())[1] <= EXACT:
        looked += await store.pages.nearest(asked, POOL, within)
    known = await store.pages.vectors(list(dict.fromkeys(looked)))
    scored = {key: asked @ vectors.T for key, (_, vectors) in known.items()}
    order = sorted(scored, key=lambda key: (-float(weights @ scored[key].max(axis=1)), key))
    lines = {key: _lines(known[key][0], scored[key], weights) for key in order}
    return LineRanking(tuple(order), lines)


async def search_pages(
    store: Store,
    embedder: Embedder,
    query: str,
    *,
    limit: int = 10,
    filters: Filters = NO_FILTERS,
    reads: PageEmbedder | None = None,
    files: Files | None = None,
) -> list[PageHit]:
    """Return the pages that fit `query` best, best first. `reads` is by default the line embedder.

    `files` gives the list of files where one is kept, as in `search`.
    """
    if not query.strip() or limit < 1:
        return []
    reads = reads or LineEmbedder(embedder)
    hits, every, (asked, weights) = await asyncio.gather(
        search(store, embedder, query, limit=4 * POOL, filters=filters, files=files),
        (files or store.files)(),
        asyncio.to_thread(reads.embed_query, query),
    )
    inside = {file.id: file for file in every if passes(file, filters)}
    found: dict[str, list[Hit]] = {}
    for hit in hits:
        file = inside.get(hit.passage.file_id)
        if file and (hit.passage.page or file.metadata.get(PAGED, "0") != "0"):
            found.setdefault(page_id(file.id, hit.passage.page), []).append(hit)
    ranked = LineRanking((), {})
    if reads.name == store.pages.embedder:
        within = None if filters == NO_FILTERS else list(inside)
        ranked = await rank_lines(store, asked, weights, also=list(found)[:POOL], within=within)
    fused: dict[str, float] = {}
    by_words = sorted(found, key=lambda key: -max(hit.bm25 or 0.0 for hit in found[key]))
    matched = [key for key in by_words if any(hit.bm25 is not None for hit in found[key])]
    weighted = ((matched, BY_WORDS), (list(found), BY_PASSAGES), (ranked.order, BY_LINES))
    for ranking, weight in weighted:
        for rank, key in enumerate(ranking, start=1):
            fused[key] = fused.get(key, 0.0) + weight / (K + rank)
    best = (BY_WORDS + BY_PASSAGES + BY_LINES) / (K + 1)
    return [
        PageHit(
            file=inside[file_id],
            page=int(page) or None,
            score=round(fused[key] / best, 4),
            lines=ranked.lines.get(key, ()),
            passages=tuple(found.get(key, ())),
        )
        for key in sorted(fused, key=lambda key: (-fused[key], key))
        for file_id, _, page in [key.rpartition(":")]
        if file_id in inside
    ][:limit]


def _lines(
    page: PageRecord, similarities: Vectors, weights: npt.NDArray[np.float32]
) -> tuple[ScoredLine, ...]:
    """Return the lines behind a page's score, the weightiest first.

    There are none if the vectors are not those of lines.
    """
    if similarities.shape[1] != len(page.texts):
        return ()
    worth: dict[int, float] = {}
    for vector, line in enumerate(similarities.argmax(axis=1)):
        share = float(weights[vector] * similarities[vector, line])
        worth[int(line)] = worth.get(int(line), 0.0) + share
    chosen = sorted(worth, key=lambda line: -worth[line])[:SHOWN]
    return tuple(
        ScoredLine(page.texts[i], page.boxes[i], round(float(similarities[:, i].max()), 4))
        for i in chosen
    )
