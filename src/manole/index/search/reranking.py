"""The reranking of a search's best passages, by a model that reads them with the query.

Only the first `BEST` are read: more candidates cost time, and beyond some tens they make the order
worse (Jacob et al., "Drowning in documents: consequences of scaling reranker inference", 2024).

An error of a small model must not lose what the search is sure of. So places and scores are weighed
together, and a higher place weighs more: the weights are those of qmd's position-aware blend
(github.com/tobi/qmd, README, "Fusion strategy"), 75, 60 and 40 % for places 1-3, 4-10 and from 11.
There a place counts as 1 / place, so that the first could never be overtaken; here it falls in
equal steps, and one of the next four can overtake it if it answers much better. A passage that is
first both by its words and by its meaning, as an exact match is, keeps its place. Models differ in
the scale of their scores, so each score counts by its position between the lowest and the highest.

The passages change places, not scores: the highest score stays first, so that results can still be
compared with those of another search.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from manole.errors import ModelError
from manole.index.search.duplicates import Find, without_copies
from manole.index.search.hybrid import Hit
from manole.models.encode.reranker import SECONDS, RerankerLoader

BEST = 12  # set by hand: as many as a search returns by default
SURE = 1 - 1e-9  # the fused score of what both rankings have first


async def best_first(
    search: Callable[[int], Awaitable[list[Hit]]], query: str, limit: int, loader: RerankerLoader
) -> list[Find]:
    """Return the first `limit` finds without copies; reranked if there is a reranker.

    `search` returns a given number of hits, best first. A single word is not reranked: its passages
    differ only in how often they have it. Raises `SettingsError`.
    """
    reranker = await loader.get()
    words = query.split()
    if reranker is None or len(words) < 2:
        return await without_copies(search, limit)
    finds = await without_copies(search, max(limit, BEST))
    try:
        scores = await asyncio.to_thread(
            reranker.score, " ".join(words), [_text(find) for find in finds[:BEST]], SECONDS
        )
    except ModelError as error:
        loader.failed(error)
        return finds[:limit]
    return reordered(finds, scores, reranker.sigmoid)[:limit]


def reordered(finds: Sequence[Find], scores: Sequence[float], sigmoid: bool) -> list[Find]:
    """Return the finds in a new order, by the scores of the first ones; the rest follow.

    With `sigmoid`, a score is the chance that a passage answers, and is kept as its `relevance`.
    """
    kept = bool(finds) and finds[0].score >= SURE
    return [
        replace(
            finds[at],
            score=finds[place].score,
            relevance=_chance(scores[at]) if sigmoid and at < len(scores) else None,
        )
        for place, at in enumerate([*blended(scores, kept=kept), *range(len(scores), len(finds))])
    ]


def blended(scores: Sequence[float], *, kept: bool) -> list[int]:
    """Return the old places (from 0) of passages in their new order. `kept`: the first stays."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    spread = (high - low) or 1.0

    def worth(at: int) -> tuple[bool, float]:
        weight = 0.75 if at < 3 else 0.6 if at < 10 else 0.4
        place = 1 - at / BEST
        return kept and at == 0, weight * place + (1 - weight) * (scores[at] - low) / spread

    return sorted(range(len(scores)), key=worth, reverse=True)


def _chance(score: float) -> float:
    return 1 / (1 + math.exp(-max(-500.0, score)))


def _text(find: Find) -> str:
    """Return the text that the reranker reads: title and headings, then the passage."""
    passage = find.passage
    above = dict.fromkeys(filter(None, (passage.title, *passage.headings)))
    return "\n".join([*above, passage.text])
