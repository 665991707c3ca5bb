"""The agent loop, on one page (design, "A turn"; seeds 000, 003 and 004).

* plan: the model writes a query over the catalog, code checks and runs it; else
* rewrite: a question that stands alone, only where it leans on the history;
* search; where the model leads (`literal`), it decides among the tools;
* query: where the search leads to a sheet, the model writes a query and code runs it;
* look: what fits best is shown, and again after a search for what a document might say,
  with the pages themselves where it asks what one shows;
* answer: a tool's own message where it settles the question, else evidence and the model;
* ground: figures checked, citations set, confidence.

Every step is an event; the caller sees the turn as it happens and stops it by closing the
iterator.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import date
from itertools import zip_longest
from typing import Any

from manole.agent.coverage_check import uncovered
from manole.agent.events import Decision, Event, StatusEvent
from manole.agent.execute import Executor
from manole.agent.followups.rewrite import rewrite
from manole.agent.journal.reflect import reflect
from manole.agent.profile import Profile
from manole.agent.route import Route
from manole.agent.turn import ModelSource, begin, timed
from manole.agent.usage import Ledger
from manole.errors import ManoleError
from manole.library import Library
from manole.models.chat import Message
from manole.settings import Settings
from manole.text.language import be_ready
from manole.tools.environment import TurnState
from manole.tools.registry import Registry
from manole.tools.visual import PAGES, has_pages

_PATIENCE = 0.2  # seconds that the model may take for a plan before something is shown


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

        `scope` is the text of a `Scope`; nothing outside it is looked at. The last
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
        self._looked = False

    async def run(self) -> AsyncIterator[Event]:
        """The events of the turn."""
        state = self.state
        asyncio.get_running_loop().run_in_executor(None, be_ready)  # an answer will ask for it
        files = await state.files()
        if not files:
            what = f"There are no files {state.scope.words}." if state.scope else "No files yet."
            yield self.answer.complete(what, found=False)
            return
        if await has_pages(state):
            state.collections = (*state.collections, PAGES)
        planning = asyncio.ensure_future(self.profile.plan())
        try:
            async for event in self._meanwhile(planning):
                yield event
            planned = await planning
        finally:
            planning.cancel()
        if planned is not None:
            async for event in self._ran(planned):
                yield event
            if self._settled:
                async for event in self._told():
                    yield event
                return
        async for event in self._rewrite():
            yield event
        if await self.profile.reflects():
            async for event in reflect(state, self.ledger, self._model, self.answer):
                yield event
            yield self.answer.complete()
            return
        async for event in self._read():
            yield event

    async def _meanwhile(self, planning: asyncio.Future[Route | None]) -> AsyncIterator[Event]:
        """Show what fits best while a plan is long in coming, as that may be the answer."""
        asking = asyncio.ensure_future(self.profile.asking.wait())
        either: set[asyncio.Future[Any]] = {planning, asking}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        asking.cancel()
        await asyncio.wait({planning}, timeout=_PATIENCE)
        if planning.done() or self.state.history:
            return
        async for event in self._ran(self.profile.search("shown while the model plans", "auto")):
            yield event
        async for event in self._look():
            yield event

    async def _look(self) -> AsyncIterator[Event]:
        if not self._looked:
            self._looked = True
            async for event in self.profile.look():
                yield event

    async def _read(self) -> AsyncIterator[Event]:
        """Tools until the question can be answered, then the answer."""
        first = self.profile.first()
        async for event in self._decided(first) if self.profile.model_leads else self._ran(first):
            yield event
        if not self._settled and not self.profile.has_read():
            async for event in self._ran(self.profile.search("a plain search", "fallback")):
                yield event
        async for event in self._look():
            yield event
        if not self._settled and (table := self.profile.table()) is not None:
            async for event in self._ran(table):
                yield event
        if self._settled:
            async for event in self._told():
                yield event
            return
        async for event in self._second_look():
            yield event
        async for event in self.profile.synthesize():
            yield event
        yield self.answer.complete()

    @property
    def _settled(self) -> bool:
        """Whether the last tool's own message is the answer."""
        return self.profile.settles(self.state.trace)

    async def _told(self) -> AsyncIterator[Event]:
        """The last tool's own message as the answer."""
        async for event in self.answer.say(self.state.trace[-1]):
            yield event
        yield self.answer.complete()

    def _ran(self, route: Route) -> AsyncIterator[Event]:
        return self.tools.run(route.tool, route.inputs, route.reasoning, route.by)

    async def _decided(self, first: Route) -> AsyncIterator[Event]:
        """Let the model choose until it wants to respond."""
        while not self.tools.exhausted:
            async for event in self.tools.run_triggered():
                yield event
            started = time.perf_counter()
            try:
                call, completion = await self.profile.decide()
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
                (first.tool, first.inputs, "the model named no tool", "fallback")
                if call is None
                else (call.name, call.arguments, "the model chose it", "model")
            )
            before = self.tools.steps
            async for event in self.tools.run(tool, inputs, why, by, seconds):
                yield event
            if self.tools.steps == before:
                return
            async for event in self._follow_up():
                yield event

    async def _follow_up(self) -> AsyncIterator[Event]:
        """Search for the important words that no result covers (seed 004)."""
        found = self.profile.found()
        missing = uncovered(self.state.question, found)
        if found and missing:
            query = {"query": " ".join(missing), "top_k": 3}
            why = f"no result covers {', '.join(missing)}"
            async for event in self.tools.run("semantic_search", query, why, "followup"):
                yield event

    async def _second_look(self) -> AsyncIterator[Event]:
        """Search for what a document might say, where the first look is not plain (`guess.py`)."""
        guess = await self.profile.guess()
        for route in self.profile.pages(guess):
            async for event in self._ran(route):
                yield event
        rankings = []
        for sentence in guess.sentences:
            query = {"query": self.state.question, "like": sentence}
            why = "what a document might say instead"
            async for event in self.tools.run("semantic_search", query, why, "model"):
                yield event
            rankings.append(self.state.environment.hidden_environment.ranking)
        if len(rankings) > 1:  # both sides of a comparison, in turns
            merged = [id for pair in zip_longest(*rankings) for id in pair if id]
            self.state.environment.hidden_environment.ranking = list(dict.fromkeys(merged))
        async for event in self.profile.look_again():
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
