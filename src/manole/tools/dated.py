"""Search that takes a period in the query into account: "which invoices came in last March?".

A period must not exclude anything. "Who won the cup in 2014?" asks for a fact that stands in a
document of any date, and many documents have no date of their own. So both searches are made, one
within the period and one without, and the ranking within it counts as a third one beside meaning
and words (`search/hybrid.py`), weighted by the share of files that are dated at all: where few are,
a date says little about which file is meant.

Half of the places belong to the plain search, so that the only right file is never pushed out.
Measured on 17 questions about `examples/household` that name a period: recall@10 was .74 without
this and .94 with it. The alternatives were lifting without the reserved half, and a filter that
falls back to a plain search when it finds nothing: household 1.00 and 1.00, 60 look-ups in a dated
journal .88 plain, .98 and .98, 60 about dated chats .92, .95 and .80, 75 about encyclopedia texts
.99, .99 and .72.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from manole.index.search.duplicates import Find
from manole.index.search.hybrid import K
from manole.index.store.records import Filters
from manole.text.periods import Period, spelled, written
from manole.tools.environment import TurnState
from manole.tools.occasions import day_of, find_occasion

_POOL = 50  # passages of each of the two searches, five times what is usually kept

_Search = Callable[..., Awaitable[list[Find]]]


async def search_dated(
    state: TurnState,
    query: str,
    limit: int,
    filters: Filters,
    named: Period | None,
    also: Sequence[str] = (),
    like: str = "",
) -> tuple[list[Find], str]:
    """Return at most `limit` passages, and how the period was used ("" without one).

    Dates in `filters` were set explicitly: only where nothing has such a date is everything
    searched. `named` is a period in the words of the question, which only lifts; "recently" is too
    vague for that. `also`, `like`: further words, and a sentence that fits (`Library.search`).
    """
    scope = state.scope
    search = partial(state.library.search, query, also=also, like=like)
    if (filters.date_from, filters.date_to) != (scope.start, scope.end):
        if hits := await search(limit=limit, filters=filters):
            return hits, ""
        when = spelled(Period("", filters.date_from, filters.date_to))
        anywhere = replace(filters, date_from=scope.start, date_to=scope.end)
        hits = await search(limit=limit, filters=anywhere)
        return hits, f" (none is dated {when}; all were searched)"
    said = ""
    if named is None and (occasion := find_occasion(query)) is not None:
        known = await day_of(occasion, state)
        if known is None:
            said = f" (no document dates “{occasion.text}”, so no dates were heeded)"
        else:
            named = occasion.period(known[0])
            said = f" ({occasion.text}: {written(known[0])}, by {known[1]})"
    if named is None or named.text.startswith("recent"):
        return await search(limit=limit, filters=filters), said
    hits, own = await _lifted(state, search, limit, filters, named)
    if not own:
        return hits, f"{said} (none is dated {spelled(named)}; all were searched)"
    return hits, f"{said} ({own} of the passages dated {spelled(named)})"


async def _lifted(
    state: TurnState, search: _Search, limit: int, filters: Filters, period: Period
) -> tuple[list[Find], int]:
    """Return the passages found, and how many belong to documents dated in the period."""
    asked = state.scope.filters(start=period.start, end=period.end)
    inside = replace(filters, date_from=asked.date_from, date_to=asked.date_to)
    pool = max(_POOL, limit)
    found, dated, files = await asyncio.gather(
        search(limit=pool, filters=filters),
        search(limit=pool, filters=inside),
        state.files(),
    )
    # Without a date of its own a document passes by the day of its last change: no reason to lift.
    dated = [hit for hit in dated if hit.passage.date is not None]
    share = sum(file.date is not None for file in files) / max(1, len(files))
    known = {hit.passage.id: hit for hit in (*dated, *found)}
    scores = {hit.passage.id: hit.score for hit in found}
    for rank, hit in enumerate(dated, start=1):
        lift = share * (K + 1) / (K + rank) / 2
        scores[hit.passage.id] = scores.get(hit.passage.id, 0.0) + lift
    best = 1 + share / 2
    kept = {hit.passage.id for hit in found[: limit // 2]}
    order = sorted(scores, key=lambda key: (-scores[key], key))
    lifted = [key for key in order if key not in kept][: limit - len(kept)]
    order = sorted({*kept, *lifted}, key=lambda key: (-scores[key], key))
    own = {hit.passage.id for hit in dated}
    return [replace(known[key], score=scores[key] / best) for key in order], len(own & set(order))
