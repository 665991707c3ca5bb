"""Runs the journal's loop within a turn: search, accumulate, DONE, synthesize."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from manole.agent.answer.budgets import evidence_tokens
from manole.agent.answer.compose import Composer
from manole.agent.events import Decider, Decision, Event, StatusEvent
from manole.agent.execute import Executor, Step
from manole.agent.journal.choose_search import select
from manole.agent.journal.searches import JournalSearch, plan
from manole.agent.journal.synthesize import evidence_of, style_for
from manole.agent.turn import GetModel
from manole.agent.usage import TurnUsage
from manole.errors import ManoleError
from manole.tools.environment import TurnState
from manole.tools.journal import (
    DONE,
    JOURNAL,
    RECENT_ENTRIES,
    DateRangeSearch,
    RecentEntries,
    VectorSearch,
)
from manole.tools.objects import FoundEntry
from manole.tools.registry import Registry

_CONTEXT_TOKENS = 200  # of results in the prompt for the next search: the titles of two searches
Found = list[tuple[JournalSearch, Sequence[FoundEntry]]]


async def reflect(
    state: TurnState, usage: TurnUsage, model: GetModel, composer: Composer
) -> AsyncIterator[Event]:
    """Run the searches of a turn that has begun, and answer from their entries."""
    state.collections = (*state.collections, JOURNAL)
    tools = Executor(state, Registry((VectorSearch(), RecentEntries(), DateRangeSearch())))
    found: Found = []
    for search in plan(state.question, state.today):
        async for event in _run(tools, search, "router", found):
            yield event
        if not found[-1][1] and search.time == "lately":  # nothing recent: read the newest
            async for event in _run(tools, _newest(search), "fallback", found):
                yield event
    while not any(entries for _, entries in found) and not tools.exhausted:
        try:
            chosen, completion = await select(
                state.question,
                state.trace,
                state.environment.to_llm_context(_CONTEXT_TOKENS),
                await model(),
                iteration=tools.steps + 1,
                max_iterations=state.settings.agent.max_iterations,
                today=state.today,
            )
        except ManoleError as error:
            yield StatusEvent(message=f"{error.message} Searching without the model.")
            break
        usage.add(completion)
        before = tools.steps
        if chosen is not None:
            async for event in _run(tools, chosen, "model", found):
                yield event
        if tools.steps == before:  # DONE, or the same search again
            break
    yield Decision(step=tools.steps + 1, tool=DONE, reasoning=_enough(found), by="router")
    budget = _budget(evidence_tokens(state.settings, await composer.reach()), found)
    evidence = evidence_of(state.question, found, state.library.embedder.embed, budget)
    if not evidence:
        async for event in composer.decline(state.question, ()):
            yield event
        return
    yield StatusEvent(message=f"Reading {len(evidence)} extracts of entries.")
    style = style_for(state.trace, state.history)
    async for event in composer.read(state.question, evidence, style):
        yield event


async def _run(
    tools: Executor, search: JournalSearch, by: Decider, found: Found
) -> AsyncIterator[Event]:
    """Run one search; add its new entries to `found`."""
    known = {o.id for o in tools.state.environment.objects(FoundEntry)}
    async for event in tools.run(Step(search.tool, search.inputs, search.reasoning, by)):
        yield event
    entries = [o for o in tools.state.environment.objects(FoundEntry) if o.id not in known]
    found.append((search, entries))


def _newest(search: JournalSearch) -> JournalSearch:
    return JournalSearch(
        RECENT_ENTRIES, {}, "no entry is of late; the newest are read", search.time
    )


def _enough(found: Found) -> str:
    entries = sum(len(part) for _, part in found)
    return f"{entries} entries from {len(found)} searches" if entries else "nothing was found"


def _budget(tokens: int, found: Found) -> int:
    """Return the tokens of evidence: half as much again for each further time."""
    return int(tokens * (1 + 0.5 * (len(found) - 1)))
