"""How the loop decides and answers, as hooks that the loop calls.

`Profile` is the default: what our measurements show to be better. `literal.py` has the other one:
what the seeds say, word for word, so that both can be compared in one run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from manole.agent.answer.compose import Composer
from manole.agent.answer.guess import Guess
from manole.agent.events import Decider, Event
from manole.agent.journal.searches import contrasts
from manole.agent.plan.planner import Plan, Planner
from manole.agent.plan.query_catalog import QUERY, QueryCatalog
from manole.agent.plan.reading import reading
from manole.agent.route import Route
from manole.agent.sheets.choose_sheet import file_with_table, likely_files
from manole.agent.sheets.query_table import QUERY_TABLE, QueryTable
from manole.agent.turn import GetModel
from manole.agent.usage import Ledger
from manole.errors import ManoleError
from manole.models.chat import ChatModel, Completion, ToolCall
from manole.tools.environment import TraceStep, TurnState
from manole.tools.journal import entries_in
from manole.tools.objects import FoundPassage
from manole.tools.registry import Registry
from manole.tools.summarize import Summarize
from manole.tools.visual import PAGES, VISUAL_INTERPRETATION, VISUAL_SEARCH

_READING = frozenset({"semantic_search", "read_document"})


class Profile:
    """The hooks of one turn. `tools` are those the turn may use, `answer` collects its answer.

    With `model_leads` the model chooses tools until it answers (`decide`), and the follow-up check
    runs after each; without, a question that no plan answers is searched for.
    """

    model_leads = False

    def __init__(self, state: TurnState, tools: Registry, ledger: Ledger, model: GetModel) -> None:
        self.state = state
        self.tools = tools.extended(
            QueryCatalog(model, ledger), QueryTable(model, ledger), Summarize(model, ledger.add)
        )
        self.ledger = ledger
        self.model = model
        self.answer = Composer(state, ledger, model)
        self.asking = asyncio.Event()  # set when the plan waits for the model
        self._plan = Plan()

    async def plan(self) -> Route | None:
        """The query that answers the question; `None` where something is to be read."""
        try:
            self._plan = await Planner(self.state, self._asked, self.ledger).plan()
        except ManoleError:
            return None  # the answer will say so
        if not self._plan.is_query:
            return None
        written = self._plan.written
        return Route(QUERY, {"sql": written}, reading(written), self._plan.by)

    async def _asked(self) -> ChatModel:
        self.asking.set()
        return await self.model()

    def first(self) -> Route:
        """The first step of a question that something has to be read for."""
        question, plan = self.state.question, self._plan
        if plan.table is not None:
            inputs = {"question": question, "files": (plan.table,), "meant": True, "sql": plan.sql}
            return Route(QUERY_TABLE, inputs, "asks this table", plan.by)
        return self.search("asks what stands in the files", plan.by)

    def search(self, why: str, by: Decider) -> Route:
        """A search for the question as it stands."""
        return Route("semantic_search", {"query": self.state.question}, why, by)

    async def reflects(self) -> bool:
        """Whether the question contrasts several times of a person's journal."""
        state = self.state
        return contrasts(state.question, state.today) and bool(await entries_in(state))

    async def decide(self) -> tuple[ToolCall | None, Completion]:
        """The model's choice of a tool where it leads, `None` when it made none."""
        raise NotImplementedError

    def settles(self, steps: Sequence[TraceStep]) -> bool:
        """Whether the last tool's own message is the answer."""
        return bool(steps) and steps[-1].answers

    def has_read(self) -> bool:
        """Whether something was found to answer from; else a plain search comes first."""
        return any(s.tool in _READING and s.results for s in self.state.trace)

    def pages(self, guess: Guess) -> list[Route]:
        """What is done where the question asks what a page shows: pages are found and looked at."""
        if guess.kind != "picture" or PAGES not in self.state.collections:
            return []
        query = {"query": self.state.question}
        found = Route(VISUAL_SEARCH, query, "asks what a page shows", "model")
        return [found, Route(VISUAL_INTERPRETATION, {}, "looks at them", "model")]

    def table(self) -> Route | None:
        """A query of the tables that the search led to, where it led to some."""
        question = self.state.question
        passages = list(self.state.environment.objects(FoundPassage))
        files = likely_files(question, passages)
        if not files and self._plan.spoken_of:
            files = [self._plan.spoken_of]
        if not files and (file := file_with_table(question, passages)):
            files = [file]
        if not files:
            return None
        inputs = {"question": question, "files": tuple(files)}
        return Route(QUERY_TABLE, inputs, "the search leads to a table")

    def found(self) -> list[str]:
        """What the tools have found, as the texts that the follow-up check looks through."""
        return [message for _, message in self.state.environment.messages]

    def look(self) -> AsyncIterator[Event]:
        """Show what was found."""
        return self.answer.first_look()

    async def guess(self) -> Guess:
        """How a document might say what is asked."""
        return await self.answer.guess()

    def look_again(self) -> AsyncIterator[Event]:
        """Show what else was found."""
        return self.answer.second_look()

    def synthesize(self) -> AsyncIterator[Event]:
        """Answer from what was found."""
        return self.answer.synthesize()
