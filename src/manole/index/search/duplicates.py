"""Results without copies: equal passages are merged into one that lists the other places.

People keep a contract in two folders, or an attachment as a file as well. A search finds each copy
with the same similarity and the same words, so that half of the results repeat the other half and
cost a model tokens. Passages of different files are copies if their text (apart from white space),
headings and document date are equal: the same words about another day or thing are a result of
their own.

Copies that a filter excludes are not found, and so are not listed either.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Hashable, Iterable
from dataclasses import dataclass
from math import ceil

from manole.index.search.hybrid import Hit

_POOL = 50  # hits that a search looks at anyway (`hybrid.POOL`)
_MORE = 4  # a quarter more hits than wanted are read, set by hand: most texts stand in one place
_MOST = 1000  # hits asked for, if most of them are copies; set by hand


@dataclass(frozen=True, slots=True)
class Find(Hit):
    """A passage found, and the sorted paths of the other files that have it."""

    also: tuple[str, ...] = ()


async def without_copies(search: Callable[[int], Awaitable[list[Hit]]], limit: int) -> list[Find]:
    """Return the first `limit` finds. `search` returns a given number of hits, best first."""
    count = max(limit, min(limit + ceil(limit / _MORE), _POOL))
    while True:
        hits = await search(count)
        finds = merged(hits)
        if len(finds) >= limit or len(hits) < count or count >= _MOST:
            return finds[:limit]
        count = min(4 * count, max(_MOST, limit))


def merged(hits: Iterable[Hit]) -> list[Find]:
    """Merge copies into the first hit of their text; best first.

    The best copy is shown; of equals, the one whose path comes first. But a file that is shown
    already takes precedence, so that one document is shown from one file. A text that one file has
    twice is shown twice.
    """
    groups: dict[Hashable, list[list[Hit]]] = {}
    order: list[list[Hit]] = []
    for hit in hits:
        same = groups.setdefault(_key(hit), [])
        path = hit.passage.path
        group = next((g for g in same if all(h.passage.path != path for h in g)), None)
        if group is None:
            group = []
            same.append(group)
            order.append(group)
        group.append(hit)
    finds: list[Find] = []
    above: set[str] = set()
    for group in order:
        finds.append(_find(group, above))
        above.add(finds[-1].passage.path)
    return finds


def _find(group: list[Hit], above: Container[str]) -> Find:
    shown = min(group, key=lambda hit: (hit.passage.path not in above, _rank(hit)))
    others = sorted(hit.passage.path for hit in group if hit is not shown)
    return Find(shown.passage, group[0].score, shown.similarity, shown.bm25, also=tuple(others))


def _rank(hit: Hit) -> tuple[float, float, str]:
    """Return the sort key of copies: how well they fit, then their paths.

    The order of the hits will not do: copies have the same vector, so that only chance, which may
    differ in the next search, puts one before the other.
    """
    if hit.similarity is None and hit.bm25 is None:  # found by its name
        return -hit.score, 0.0, hit.passage.path
    return -round(hit.similarity or 0.0, 4), -round(hit.bm25 or 0.0, 3), hit.passage.path


def _key(hit: Hit) -> Hashable:
    passage = hit.passage
    return " ".join(passage.text.split()), passage.headings, passage.date
