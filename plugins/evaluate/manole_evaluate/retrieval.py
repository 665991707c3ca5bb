"""Retrieval measures over a ranking of passages: hit@1, recall@5/10, nDCG@10, reciprocal rank.

Passages are first reduced to the things that count, in order of their first passage: files, or
for questions with a gold page (file, page). A page next to the gold one counts, because printed
and counted pages differ; each gold page is credited once. nDCG follows Järvelin and Kekäläinen
2002 with binary gains and the ideal ranking of min(gold, 10) items, as BEIR does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Place = tuple[str, int | None]  # a file relative to the library's root, and its page


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One question's measures, each 0 to 1."""

    hit_1: float
    recall_5: float
    recall_10: float
    ndcg_10: float
    reciprocal_rank: float


def by_file(ranking: Sequence[Place], gold: Sequence[str]) -> Retrieval:
    """Measures on files. `gold` must not be empty."""
    files = list(dict.fromkeys(file for file, _ in ranking))
    wanted = set(gold)
    return _measure([file in wanted for file in files], len(wanted))


def by_page(ranking: Sequence[Place], files: Sequence[str], pages: Sequence[int]) -> Retrieval:
    """Measures on (file, page ± 1), for one gold file. `files` and `pages` must not be empty."""
    open_pages = {(file, page) for file in files for page in pages}
    total = len(set(pages))
    relevant: list[bool] = []
    for file, page in dict.fromkeys(ranking):
        near = [
            gold
            for gold in open_pages
            if page is not None and gold[0] == file and abs(gold[1] - page) <= 1
        ]
        if near:
            open_pages.remove(min(near, key=lambda gold: (abs(gold[1] - (page or 0)), gold[1])))
        relevant.append(bool(near))
    return _measure(relevant, total)


def mean(items: Sequence[Retrieval]) -> Retrieval | None:
    """The mean of each measure, or None of nothing."""
    if not items:
        return None
    n = len(items)
    return Retrieval(
        hit_1=sum(item.hit_1 for item in items) / n,
        recall_5=sum(item.recall_5 for item in items) / n,
        recall_10=sum(item.recall_10 for item in items) / n,
        ndcg_10=sum(item.ndcg_10 for item in items) / n,
        reciprocal_rank=sum(item.reciprocal_rank for item in items) / n,
    )


def _measure(relevant: Sequence[bool], gold: int) -> Retrieval:
    gain = sum(1 / math.log2(rank + 2) for rank, hit in enumerate(relevant[:10]) if hit)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(gold, 10)))
    first = next((rank for rank, hit in enumerate(relevant, 1) if hit), None)
    return Retrieval(
        hit_1=float(any(relevant[:1])),
        recall_5=sum(relevant[:5]) / gold,
        recall_10=sum(relevant[:10]) / gold,
        ndcg_10=gain / ideal,
        reciprocal_rank=1 / first if first else 0.0,
    )
