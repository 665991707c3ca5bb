"""The agent loop, on one page (design, "A turn"; seeds 000, 003 and 004).

* plan: the model writes a query over the catalog, code checks and runs it; else
* rewrite: a question that stands alone, only where it leans on the history;
* route: one tool a clause, where keywords are sure, without a model;
* decide: else the model chooses among the tools that are available;
* execute: tool results into environment and trace, never the same call twice;
* query: where the search leads to a sheet, the model writes a query and code runs it;
* look: what fits best is shown, and again after a search for what a document might say;
* answer: a tool's own message where it settles the clause, else evidence and the model;
* ground: figures checked, citations set, confidence.

Every step is an event; the caller sees the turn as it happens and stops it by closing the
iterator.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import date
from itertools import zip_longest

from manole.agent.coverage.collect import LOOK_UP
from manole.agent.events import Decision, Event, StatusEvent
from manole.agent.execute import Executor
from manole.agent.followup import uncovered
from manole.agent.journal.reflect import reflect
from manole.agent.ledger import Ledger
from manole.agent.profile import Profile
from manole.agent.turn import ModelSource, begin, timed
from manole.agent.understanding.rewrite import rewrite
from manole.agent.understanding.rules import Route
from manole.errors import ManoleError
from manole.library import Library
from manole.models.chat import Message
from manole.settings import Settings
from manole.tools.environment import TurnState
from manole.tools.registry import Registry
from manole.tools.search import RANKING
from manole.tools.visual import PAGES, VISUAL_SEARCH, has_pages


class Agent:
    """Answers questions about one library.

    `model` is asked for only when a turn needs it, so that counting files never waits for
    weights. `today` can be fixed; by default it is the day of the question. `profile` says how
    it decides and answers.
    """

    def __init__(
        self,
        library: Library,
        model: ModelSource,
        settings: Settings,
        *,
        tools: Registry | None = None,
        today: Callable[[], date] = date.today,
        profile: type[Profile] = Profile,
    ) -> None:
        self.library = library
        self.model = model
        self.settings = settings
        self.tools = tools or Registry()
        self.today = today
        self.profile = profile

    async def ask(
        self, question: str, history: Sequence[Message] = (), *, scope: str | None = None
    ) -> AsyncIterator[Event]:
        """One turn. `history` alternates user and assistant messages, oldest first.

        `scope` is a folder or file of the library; nothing outside it is looked at. The last
        event is `Complete`. Raises `UsageError` for an empty or overlong question, and what the
        library raises when it has no index.
        """
        state = begin(
            question,
            history,
            scope,
            library=self.library,
            settings=self.settings,
            today=self.today(),
        )
        async for event in _Turn(self, state).run():
            yield event


class _Turn:
    """One question on its way through the loop."""

    def __init__(self, agent: Agent, state: TurnState) -> None:
        self.agent = agent
        self.state = state
        self.ledger = Ledger()
        self._model = timed(agent.model, self.ledger)
        self.profile = agent.profile(state, agent.tools, self.ledger, self._model)
        self.tools = Executor(state, self.profile.tools)
        self.answer = self.profile.answer

    async def run(self) -> AsyncIterator[Event]:
        """The events of the turn."""
        state = self.state
        files = await state.files()
        if not files:
            what = f"There are no files in {state.scope}." if state.scope else "No files yet."
            yield self.answer.complete(what, found=False)
            return
        if await has_pages(state):
            state.collections = (*state.collections, PAGES)
        if (planned := await self.profile.plan()) is not None:
            async for event in self.tools.run(
                planned.tool, planned.inputs, planned.reasoning, "model"
            ):
                yield event
            if self.profile.settles(self.state.trace):
                async for event in self.answer.say(self.state.trace[-1]):
                    yield event
                yield self.answer.complete()
                return
        async for event in self._rewrite():
            yield event
        if await self.profile.reflects():
            async for event in reflect(state, self.ledger, self._model, self.answer):
                yield event
            yield self.answer.complete()
            return
        before: list[str] = []
        for planned in self.profile.routes(files):
            if self.tools.exhausted:
                break
            bound = _bind(planned, before) if planned.refers_back and before else planned
            async for event in self._clause(bound):
                yield event
            before = self._files_of_last_step() or before
        yield self.answer.complete()

    async def _clause(self, planned: Route) -> AsyncIterator[Event]:
        """Tools until the clause can be answered, then the answer."""
        first = self.tools.steps
        chosen = (
            self.tools.run(planned.tool, planned.inputs, planned.reasoning, "router")
            if planned.sure
            else self._decided(planned)
        )
        async for event in chosen:
            yield event
        if (more := self.profile.completes(self.state.trace[first:])) is not None:
            async for event in self.tools.run(more.tool, more.inputs, more.reasoning, "router"):
                yield event
        steps = self.state.trace[first:]
        question = planned.clause or self.state.question
        if self.profile.settles(steps):
            async for event in self.answer.say(steps[-1]):
                yield event
            return
        if not self.profile.has_read(steps):
            query = {"query": question, "files": planned.inputs.get("files", ())}
            async for event in self.tools.run(
                "semantic_search", query, "a plain search", "fallback"
            ):
                yield event
        async for event in self.profile.look(planned):
            yield event
        if (table := self.profile.table(question)) is not None:
            async for event in self.tools.run(table.tool, table.inputs, table.reasoning, "router"):
                yield event
            if self.profile.settles(self.state.trace[first:]):
                async for event in self.answer.say(self.state.trace[-1]):
                    yield event
                return
        async for event in self._second_look(planned):
            yield event
        async for event in self.profile.synthesize(planned):
            yield event

    async def _decided(self, planned: Route) -> AsyncIterator[Event]:
        """Let the model choose until a tool has found something or it wants to respond."""
        question = planned.clause or self.state.question
        while not self.tools.exhausted:
            async for event in self.tools.run_triggered():
                yield event
            started = time.perf_counter()
            try:
                call, completion = await self.profile.decide(question)
            except ManoleError as error:
                yield StatusEvent(message=f"{error.message} Searching without the model.")
                return
            self.ledger.add(completion)
            seconds = round(time.perf_counter() - started, 3)
            if call is not None and self.tools.tools[call.name].end:
                why = "the results are enough"
                yield Decision(
                    step=self.tools.steps + 1, tool=call.name, reasoning=why, seconds=seconds
                )
                return
            # The seeds' step 0: without a readable call, the router's choice is taken.
            tool, inputs, why, by = (
                (planned.tool, planned.inputs, "the model named no tool", "fallback")
                if call is None
                else (call.name, call.arguments, "the model chose it", "model")
            )
            before = self.tools.steps
            async for event in self.tools.run(tool, inputs, why, by, seconds):
                yield event
            if self.tools.steps == before:
                return
            if self.profile.model_leads:
                async for event in self._follow_up(question):
                    yield event
            elif call is None or self.state.trace[-1].results:
                return

    async def _follow_up(self, clause: str) -> AsyncIterator[Event]:
        """Search for the important words that no passage covers (seed 004)."""
        found = self.profile.found()
        missing = uncovered(clause, found)
        if found and missing:
            query = {"query": " ".join(missing), "top_k": 3}
            why = f"no result covers {', '.join(missing)}"
            async for event in self.tools.run("semantic_search", query, why, "followup"):
                yield event

    async def _second_look(self, planned: Route) -> AsyncIterator[Event]:
        """Search for what a document might say, where the first look is not plain (`guess.py`)."""
        guess = await self.profile.guess(planned)
        rankings = []
        for sentence in guess.sentences:
            query = {"query": planned.clause or self.state.question, "like": sentence}
            query |= {"files": planned.inputs.get("files", ())}
            why = "what a document might say instead"
            async for event in self.tools.run("semantic_search", query, why, "model"):
                yield event
            rankings.append(self.state.environment.hidden_environment.get(RANKING, ()))
        if len(rankings) > 1:  # both sides of a comparison, in turns
            merged = [id for pair in zip_longest(*rankings) for id in pair if id]
            self.state.environment.hidden_environment[RANKING] = list(dict.fromkeys(merged))
        async for event in self.profile.look_again(planned):
            yield event

    async def _rewrite(self) -> AsyncIterator[Event]:
        """Make the question stand alone; without a model it stays as it is."""
        state = self.state
        try:
            made = await rewrite(state.question, state.history, self._model, state.today)
        except ManoleError as error:
            yield StatusEvent(message=f"{error.message} The question is taken as it stands.")
            return
        if made.completion is not None:
            self.ledger.add(made.completion)
        if made.question != state.question:
            state.question = made.question
            yield StatusEvent(message=f"Understood as: {made.question}")

    def _files_of_last_step(self) -> list[str]:
        if not self.state.trace:
            return []
        entries = self.state.environment.find(self.state.trace[-1].tool) or []
        objects = entries[-1]["objects"] if entries else []
        return list(dict.fromkeys(o["file"] for o in objects if "file" in o))


def _bind(planned: Route, files: Sequence[str]) -> Route:
    """Let "it" mean the file that the clause before found, "which one" any of them."""
    if planned.tool in {"semantic_search", VISUAL_SEARCH, LOOK_UP}:
        meant = tuple(files) if planned.among else tuple(files[:1])
        return replace(planned, inputs={**planned.inputs, "files": meant})
    if planned.tool == "file_metadata":
        return replace(planned, inputs={"name_hint": files[0]})
    return planned
