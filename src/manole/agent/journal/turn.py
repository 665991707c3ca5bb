"""A turn over a journal: searches, entries kept once, an answer for each time.

    selector -> search -> accumulate -> ... -> DONE -> synthesizer

`agent.led_by` says who chooses the searches. "code": each time that the question names is one, or
else its subject. "model": it chooses each search, until DONE or `agent.max_iterations`; a choice
that cannot be made, and a model that fails, become a simple search for the question, and a time of
the question that it forgot is searched for at the end.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import date

from manole.agent.answer.compose import Composer
from manole.agent.answer.draft import (
    Draft,
    check_reply,
    cut_after,
    longest_reply,
    not_found,
    quote,
    without_entries,
)
from manole.agent.answer.evidence import Evidence, answer_tokens, evidence_tokens
from manole.agent.events import Decider, Decision, ErrorEvent, Event, StatusEvent
from manole.agent.journal.functions import ChatFunctions, JournalFunctions
from manole.agent.journal.parts import Part, checked, parts_of, quoted, told, untold
from manole.agent.journal.selector import SearchToolType, usable
from manole.agent.journal.times import (
    JournalSearch,
    search_within,
    searches_of,
    times_of,
    topic_of,
)
from manole.agent.turn import Executor, GetModel, Step, TurnUsage
from manole.errors import ManoleError
from manole.models.chat.rates import reach_of
from manole.text.counted import counted
from manole.tools.base import TraceStep, TurnState
from manole.tools.journal import (
    DONE,
    JOURNAL,
    RECENT_ENTRIES,
    VECTOR_SEARCH,
    DateRangeSearch,
    RecentEntries,
    VectorSearch,
    entries_in,
)
from manole.tools.objects import FoundEntry
from manole.tools.registry import Registry

_CONTEXT_TOKENS = 300  # of results in the prompt for the next search: the titles of two searches
_HISTORY_CHARS = 240  # of each earlier message, as they only name what is meant


async def reflect(
    state: TurnState,
    usage: TurnUsage,
    model: GetModel,
    composer: Composer,
    functions: JournalFunctions | None = None,
) -> AsyncIterator[Event]:
    """Search the journal within a turn that has begun, and answer from its entries."""
    state.collection_names = (*state.collection_names, JOURNAL)
    given = functions or ChatFunctions(model, usage, state.settings)
    async for event in _Turn(state, composer, given, model).run():
        yield event


class _Turn:
    def __init__(
        self,
        state: TurnState,
        composer: Composer,
        functions: JournalFunctions,
        model: GetModel,
    ) -> None:
        self.state = state
        self.model = model
        self.composer = composer
        self.functions = functions
        self.tools = Executor(state, Registry((VectorSearch(), RecentEntries(), DateRangeSearch())))
        self.times = times_of(state.question)
        self.ended = Decision(step=0, tool=DONE, reasoning="", by="router")

    async def run(self) -> AsyncIterator[Event]:
        """Yield the events of the turn, but for the last."""
        led = self._by_model if self.state.settings.agent.led_by == "model" else self._by_code
        async for event in led():
            yield event
        yield self.ended.model_copy(
            update={
                "step": self.tools.steps + 1,
                "reasoning": self.ended.reasoning or self._result(),
            }
        )
        async for event in self._answer():
            yield event

    @property
    def found(self) -> list[FoundEntry]:
        """The entries that were found, each once."""
        return list(self.state.environment.objects(FoundEntry))

    def _result(self) -> str:
        """Say how much was found."""
        entries, searches = len(self.found), self.tools.steps
        if not entries:
            return "nothing was found"
        return f"{counted(entries, 'entry')} from {counted(searches, 'search')}"

    # -- searches ----------------------------------------------------------------------------------

    async def _by_code(self) -> AsyncIterator[Event]:
        """Make the searches that the question's words name."""
        for search in searches_of(self.state.question, self.times):
            async for event in self._run(search, "router"):
                yield event
        if not self.found and len(self.times) == 1 and self.times[0].is_lately:
            why = "no entry is of late; the newest are read"
            async for event in self._run(JournalSearch(RECENT_ENTRIES, {}, why), "fallback"):
                yield event

    async def _by_model(self) -> AsyncIterator[Event]:
        """Let the model choose each search, until DONE; then look for the times it forgot."""
        question, most = self.state.question, self.state.settings.agent.max_iterations
        known = await entries_in(self.state)
        last = max(self.state.question.today, known[-1].date)
        while not self.tools.exhausted:
            begun = self.tools.steps
            try:
                call = await self.functions.agent_tool_selector(
                    question.text, self._context(known[0].date, known[-1].date), begun + 1, most
                )
            except ManoleError as error:
                yield StatusEvent(message=f"{error.message} A simple search is made instead.")
                break
            if call.tool is SearchToolType.DONE and self.found:
                self.ended = Decision(step=0, tool=DONE, reasoning=call.reasoning, by="model")
                break
            chosen = usable(call, question.text, known[0].date, last)
            if chosen is None:
                yield StatusEvent(message=f"{call.tool.value} cannot be made as it was chosen.")
                break
            for mended in chosen.mended:
                yield StatusEvent(message=f"The choice was mended: {mended}.")
            async for event in self._run(chosen.search, "model"):
                yield event
            if self.tools.steps == begun:
                break  # the same search again: there is nothing new to choose from
        async for event in self._missed():
            yield event

    async def _missed(self) -> AsyncIterator[Event]:
        """Make the searches without which a question led by the model has no answer."""
        topic = topic_of(self.state.question, self.times)
        for time in self.times:
            if not any(entry.date in time.period for entry in self.found):
                async for event in self._run(search_within(time, topic), "fallback"):
                    yield event
        if not self.found and not self.times:
            why = "a simple search for the question"
            plain = JournalSearch(VECTOR_SEARCH, {"query": self.state.question.text}, why)
            async for event in self._run(plain, "fallback"):
                yield event

    async def _run(self, search: JournalSearch, by: Decider) -> AsyncIterator[Event]:
        async for event in self.tools.run(Step(search.tool, search.inputs, search.reasoning, by)):
            yield event

    def _context(self, first: date, last: date) -> str:
        """Return what the selector reads: the days at hand, the searches, what they found."""
        days = (
            f"Today is {self.state.question.today.isoformat()}. "
            f"The journal has entries from {first.isoformat()} to {last.isoformat()}."
        )
        if not self.state.trace:
            return f"{days}\nSearches so far: none yet"
        found = self.state.environment.to_llm_context(_CONTEXT_TOKENS) or "nothing yet"
        trace = traced_all(self.state.trace)
        return f"{days}\nSearches so far:\n{trace}\nFound so far:\n{found}"

    # -- answer ------------------------------------------------------------------------------------

    async def _answer(self) -> AsyncIterator[Event]:
        """Write a part for each time, from its entries alone."""
        question, found = self.state.question, self.found
        parts = parts_of(question, self.times, found)
        if not found and not self.times:
            async for event in self.composer.decline(question):
                yield event
            return
        budget = evidence_tokens(self.state.settings, await self.composer.reach())
        share = int(budget * (1 + 0.5 * (len(parts) - 1))) // len(parts)
        embedder = self.state.library.embedder
        failed = False
        for part in parts:
            evidence = part.evidence(embedder, share, self.composer.next)
            none = await asyncio.to_thread(untold, part, evidence, embedder) if evidence else None
            if own := none or told(part, evidence):
                draft = own
            elif evidence and not failed:
                read = counted(len(evidence), "extract")
                yield StatusEvent(message=f"Reading {read} of entries.")
                try:
                    text = await self._synthesized(part, evidence)
                    check_reply(text)
                    most = longest_reply(await self._answer_tokens())
                    if len(text) > most:
                        yield cut_after(most)
                    draft = checked(text[:most], part, evidence)
                except ManoleError as error:
                    yield ErrorEvent(message=error.message, suggestion=error.hint)
                    failed, draft = True, quoted(part, evidence)
            elif evidence:
                draft = quoted(part, evidence)
            else:
                alone = not any(p.entries for p in parts)
                newest = replace(part, entries=found if alone else ())
                evidence = newest.evidence(embedder, share, self.composer.next)
                draft, evidence = await self._without(part, evidence, alone)
            if len(parts) > 1:
                draft.text = f"{part.name}: {draft.text}"
            yield self.composer.tell(draft, part.asked, evidence)

    async def _synthesized(self, part: Part, evidence: Sequence[Evidence]) -> str:
        """Return what the synthesizer writes of a part."""
        return await self.functions.agent_synthesizer(
            part.asked.text,
            "\n".join(f"{m.role}: {m.content[:_HISTORY_CHARS]}" for m in self.state.history),
            "\n\n".join(f"[{item.n}] ({item.label}) {item.text}" for item in evidence),
            traced_all(self.state.trace),
        )

    async def _answer_tokens(self) -> int:
        """Return the tokens that a part of the answer may have."""
        return answer_tokens(self.state.settings, await reach_of(await self.model()))

    async def _without(
        self, part: Part, newest: list[Evidence], alone: bool
    ) -> tuple[Draft, list[Evidence]]:
        """Return what is said of a time of which no entry was found, and the entries it cites.

        They are the newest, if given, else those beside that time where it is asked for `alone`.
        """
        assert part.time is not None
        asked, period = part.asked, part.time.period
        known = await entries_in(self.state)
        if any(entry.date in period for entry in known):  # no search was left for it
            return not_found(Draft(), asked), []
        if alone and not newest:
            return await self.composer.empty(asked, period)
        draft = without_entries(asked, period)
        if newest:
            text, draft.cited = quote([max(newest, key=lambda item: item.day or date.min)], asked)
            draft.text, draft.outcome = f"{draft.text} {text}", "nearest"
        return draft, newest


def traced(step: TraceStep) -> str:
    """Return a step as text for a prompt."""
    inputs = ", ".join(f"{key}={value}" for key, value in step.inputs.items())
    return f"{step.iteration}. {step.tool.upper()}({inputs}): {counted(step.results, 'entry')}"


def traced_all(trace: Sequence[TraceStep]) -> str:
    """Return the searches so far as text for a prompt."""
    return "\n".join(map(traced, trace))
