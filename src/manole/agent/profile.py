"""How the loop decides and answers, as hooks that the loop calls.

`Profile` is the default: what our measurements show to be better. `literal.py` has the other one:
what the seeds say, word for word, so that both can be compared in one run.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from manole.agent.answering.compose import Composer
from manole.agent.answering.guess import Guess
from manole.agent.coverage.collect import CollectFields, LookUpField
from manole.agent.coverage.routes import collect_route, with_look_ups
from manole.agent.decide import decide
from manole.agent.events import Event
from manole.agent.journal.plan import contrasts
from manole.agent.ledger import Ledger
from manole.agent.tables.choose import file_with_table, likely_files
from manole.agent.tables.tool import QUERY_TABLE, QueryTable
from manole.agent.times.routes import with_times
from manole.agent.times.tool import JournalTimes
from manole.agent.turn import GetModel
from manole.agent.understanding.pages import with_pages
from manole.agent.understanding.route import Route, route
from manole.index.store import FileRecord
from manole.models.chat import Completion, ToolCall
from manole.tools.environment import TraceStep, TurnState
from manole.tools.journal import entries_in
from manole.tools.registry import Registry
from manole.tools.summarize import Summarize
from manole.tools.visual import PAGES, VISUAL_INTERPRETATION, VISUAL_SEARCH

_READING = frozenset({"semantic_search", "read_document"})


class Profile:
    """The hooks of one turn. `tools` are those the turn may use, `answer` collects its answer.

    With `model_leads` the model is asked after each tool until it answers, and the follow-up
    check runs after each tool too; without, the first find ends the search.
    """

    model_leads = False

    def __init__(self, state: TurnState, tools: Registry, ledger: Ledger, model: GetModel) -> None:
        self.state = state
        self.tools = tools.extended(
            CollectFields(model, ledger),
            LookUpField(),
            QueryTable(model, ledger),
            JournalTimes(),
            Summarize(model, ledger.add),
        )
        self.ledger = ledger
        self.model = model
        self.answer = Composer(state, ledger, model)

    async def plan(self) -> Route | None:
        """The query that answers the question whole, `None` where it goes the way of the tools."""
        return None

    def routes(self, files: Sequence[FileRecord]) -> list[Route]:
        """The clauses of the question, each with the router's choice."""
        question, today = self.state.question, self.state.today
        many = collect_route(question, today, force=self.state.settings.agent.thorough)
        if many is not None:
            return [many]
        found = with_look_ups(self.clauses(files), today)
        found = with_times(found, files, question, today)
        return with_pages(found) if PAGES in self.state.collections else found

    def clauses(self, files: Sequence[FileRecord]) -> list[Route]:
        """The clauses of the question, each with a tool by its keywords."""
        return route(self.state.question, files, self.state.today)

    async def reflects(self) -> bool:
        """Whether the question contrasts several times of a person's journal."""
        state = self.state
        return contrasts(state.question, state.today) and bool(await entries_in(state))

    async def decide(self, question: str) -> tuple[ToolCall | None, Completion]:
        """The model's choice of a tool, `None` when it made none. Raises `ManoleError`."""
        state = replace(self.state, question=question)
        available = self.tools.available(state)
        return await decide(state, available, await self.model(), state.library.embedder.embed)

    def settles(self, steps: Sequence[TraceStep]) -> bool:
        """Whether the last tool's own message answers the clause."""
        return bool(steps) and steps[-1].answers

    def has_read(self, steps: Sequence[TraceStep]) -> bool:
        """Whether these steps found something to answer from; else a plain search comes first."""
        return any(s.tool in _READING and s.results for s in steps)

    def completes(self, steps: Sequence[TraceStep]) -> Route | None:
        """What belongs to the last step: pages that were found are looked at."""
        if steps and steps[-1].tool == VISUAL_SEARCH and steps[-1].results:
            return Route(VISUAL_INTERPRETATION, {}, "pages were found")
        return None

    def table(self, question: str) -> Route | None:
        """A query of the tables that the search led to, where it led to some."""
        passages = list(self.state.environment.objects("passage"))
        files = likely_files(question, passages)
        if not files and (file := file_with_table(question, passages)):
            files = [file]
        if not files:
            return None
        inputs = {"question": question, "files": tuple(files)}
        return Route(QUERY_TABLE, inputs, "the search leads to a table")

    def found(self) -> list[str]:
        """What the tools have found, as the texts that the follow-up check looks through."""
        return [
            f"{p['file']} {p['title'] or ''} {' '.join(p['headings'])} {p['text']}"
            for p in self.state.environment.objects("passage")
        ]

    def look(self, planned: Route) -> AsyncIterator[Event]:
        """Show what was found."""
        return self.answer.first_look(planned)

    async def guess(self, planned: Route) -> Guess:
        """How a document might say what is asked."""
        return await self.answer.guess(planned)

    def look_again(self, planned: Route) -> AsyncIterator[Event]:
        """Show what else was found."""
        return self.answer.second_look(planned)

    def synthesize(self, planned: Route) -> AsyncIterator[Event]:
        """Answer a clause from what was found."""
        return self.answer.synthesize(planned)
