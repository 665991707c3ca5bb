"""The agent loop: from a question to its answer.

* connect: complete a follow-up by rules, or put the question that it leans on behind it;
* a tool of its own: a dossier, what is due, who answered whom, where that is asked (`direct.py`);
* all of a file or a folder: where it speaks of something, its chapters, what it holds
  (`agent/whole`);
* plan: code or the model writes a query over the catalog, code checks and runs it; else
* search, within the file or folder that the question names;
* query: where the search leads to a sheet, the model writes a query and code runs it;
* look: show what fits best, and again after a search for what a document might say, with the pages
  themselves where the question asks what one shows;
* answer: a tool's own message where it settles the question, else evidence and the model;
* ground: check figures, set citations and confidence.

Every step is an event; the caller sees the turn as it happens and stops it by closing the
iterator. A strategy of a plug-in may answer in place of the agent (`make`): all have one interface
(`turn.Strategy`) and emit the same events, so that they can be compared in one run over the same
index with the same model.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import date
from typing import Literal

from manole.agent import direct
from manole.agent.answer.compose import Composer
from manole.agent.answer.draft import messages_for as to_answer
from manole.agent.answer.draft import nowhere
from manole.agent.answer.extracts import FIRST, Extracts, Kind
from manole.agent.answer.reckoned import as_read
from manole.agent.answer.said import TOLD, said
from manole.agent.answer.selection import POOL
from manole.agent.answer.summary import material
from manole.agent.events import Complete, Event, Token
from manole.agent.followups.rewrite import connect, settled, stand_alone
from manole.agent.journal import asks_journal, reflect
from manole.agent.languages import words_of
from manole.agent.plan.diary_synonyms import messages_for as to_say_otherwise
from manole.agent.plan.linking import relation_of
from manole.agent.plan.linking_tables import TABLES
from manole.agent.plan.marks import counted
from manole.agent.plan.named import named_scope
from manole.agent.plan.planner import Plan, Planner
from manole.agent.plan.query_catalog import QueryCatalog
from manole.agent.plan.query_table import QueryTable
from manole.agent.plan.tables_told import Tables, tables_of
from manole.agent.plan.understand import (
    apart,
    done_with_figures,
    is_believed,
    kind_of,
    understood,
)
from manole.agent.plan.write import messages_for as to_plan
from manole.agent.steps import (
    first_step,
    has_searched,
    page_steps,
    query_step,
    search_step,
    table_step,
)
from manole.agent.turn import (
    Executor,
    GetModel,
    ModelSource,
    Step,
    Strategy,
    TurnStrategy,
    TurnUsage,
    without_files,
)
from manole.agent.versions.prefer import otherwise, prefer_newest
from manole.agent.whole.asked import ACTIONS, of_whole, where_said
from manole.catalog.sheets import is_sheet
from manole.errors import ManoleError, UsageError
from manole.hooks import STRATEGIES
from manole.library import Library
from manole.models.chat.protocol import ChatModel
from manole.settings import Settings
from manole.text.figures import numbers
from manole.text.question import Question
from manole.tools.base import TurnState
from manole.tools.objects import FoundPassage
from manole.tools.registry import Registry
from manole.tools.search import search_question
from manole.tools.visual import PAGES, has_pages

_PATIENCE = 0.2  # seconds for a plan before evidence is shown: a shorter wait is not noticed
_QUESTION = "How many files do I have?"  # any question: only what comes before it is kept


class Agent(TurnStrategy):
    """The strategy that answers by default.

    `model` is loaded only when a turn needs it, so that counting files never waits for weights.
    `today` can be fixed; by default it is the day of the question.
    """

    def answered(self, state: TurnState, usage: TurnUsage, model: GetModel) -> AsyncIterator[Event]:
        """Plan, run or search, answer."""
        return _Turn(state, usage, model).run()


def make(
    settings: Settings,
    library: Library,
    model: ModelSource,
    *,
    today: Callable[[], date] = date.today,
) -> Strategy:
    """Return the strategy that `agent.strategy` names. Raises `UsageError`."""
    name = settings.agent.strategy
    kind = Agent if name == "agent" else STRATEGIES.get(name)
    if kind is None:
        raise UsageError(f"No plug-in answers by the strategy {name}.")
    return kind(library, model, settings, today=today)


async def make_ready(model: ChatModel) -> None:
    """Evaluate the fixed part of each prompt ahead of time: the first question need not wait.

    It is the same for every library and question, and the engine keeps its evaluation on disk
    (`manole.models.engine.prefixes`). Raises `ModelError`.
    """
    prompts = {
        "catalog": to_plan(_QUESTION),
        "answer": to_answer(_QUESTION, ()),
        "otherwise": to_say_otherwise(_QUESTION, "English"),
    }
    for slot, messages in prompts.items():
        await model.complete(messages, max_tokens=1, slot=slot)


class _Turn:
    """One question on its way through the loop."""

    def __init__(self, state: TurnState, usage: TurnUsage, model: GetModel) -> None:
        self.state = state
        self.usage = usage
        self.model = model
        queries = QueryCatalog(model, usage), QueryTable(model, usage)
        self.tools = Executor(state, Registry(actions=(*queries, *direct.tools(), *ACTIONS)))
        self.answer = Composer(state, usage, model)
        self._planner = Planner(state, self._asked, usage)
        self._plan = Plan()
        self._within = state.scope
        self._asking = asyncio.Event()  # set once the plan needs the model
        self._looked = False

    async def run(self) -> AsyncIterator[Event]:
        """Yield the events of the turn; of several questions at once those of the first."""
        first, *others = await asyncio.to_thread(apart, self.state.question.text)
        self.state.question = self.state.question.saying(first)
        besides = " ".join(f"“{question}”" for question in others)
        streams = False
        async for event in self._run():
            streams |= isinstance(event, Token)
            if besides and isinstance(event, Complete):
                told = words_of(self.state.question.language).apart.format(questions=besides)
                if streams:
                    yield Token(content=f"\n\n{told}")
                event = event.model_copy(update={"answer": f"{event.answer}\n\n{told}"})
            yield event

    async def _run(self) -> AsyncIterator[Event]:
        state = self.state
        if nothing := await without_files(state):
            yield self.answer.complete(nothing, found=False)
            return
        if (step := await direct.step_of(state)) is not None:
            async for event in self.tools.run(step):
                yield event
            if self._settled:
                async for event in self._say():
                    yield event
                return
        if await has_pages(state):
            state.collection_names = (*state.collection_names, PAGES)
        if ready := await settled(state):
            async for event in self._of_whole():
                yield event
        if not (self._settled or (ready and await self._planner.reads())):
            async for event in connect(state):
                yield event
            if state.question.leans_on and await self._planner.computes():
                async for event in stand_alone(state, self.usage, self.model):
                    yield event
            async for event in self._of_whole():
                yield event
        if self._settled:
            async for event in self._say():
                yield event
            return
        planning = asyncio.ensure_future(self._planned())
        try:
            async for event in self._meanwhile(planning):
                yield event
            # What the reader finds said, and the parser does not find computed, is read.
            likely = (
                self.answer.looks.clear
                and not (await understood(state)).parsed.computed
                and not await self._planner.reads()
            )
            planned = None if likely else await planning
        finally:
            planning.cancel()
        if planned is not None and self._plan.confidence == "low" and await self._is_said():
            planned = None
        if planned is not None:
            async for event in self.tools.run(planned):
                yield event
            if self._settled and self._plan.then and (then := query_step(self._plan.then)):
                async for event in self.answer.say(state.trace[-1]):
                    yield event
                async for event in self.tools.run(then):
                    yield event
            if self._settled:
                async for event in self._say():
                    yield event
                return
        if missing := self._plan.nowhere:
            draft = nowhere(state.question, missing.name, missing.nearest)
            yield self.answer.tell(draft, state.question, ())
            yield self.answer.complete()
            return
        state.scope = self._within
        if state.question.leans_on and await self._asks_journal(state.question.whole):
            async for event in stand_alone(state, self.usage, self.model):
                yield event
        if await self._asks_journal(state.question):
            async for event in reflect(state, self.usage, self.model, self.answer):
                yield event
            yield self.answer.complete()
            return
        async for event in self._read():
            yield event

    async def _asks_journal(self, question: Question) -> bool:
        """Return whether a question is about what the diary says of a time that it names.

        What was spent then is none.
        """
        asked = await understood(self.state)
        if asked.parsed.computed and relation_of(asked) in {"papers", *TABLES}:
            return False
        return await asks_journal(self.state.library, question, self.state.scope, timed=True)

    async def _of_whole(self) -> AsyncIterator[Event]:
        """Find the scope that the question names; answer what is asked of all of it."""
        state, question = self.state, await understood(self.state)
        self._within = await named_scope(state, question)
        files = await state.files()
        whole = of_whole(question, self._within, state.scope, files)
        if whole is not None:
            async for event in self.tools.run(whole):
                yield event

    async def _planned(self) -> Step | None:
        """Return the query that answers the question; `None` where text has to be read."""
        try:
            self._plan = await self._planner.plan(within=self._within != self.state.scope)
        except ManoleError:
            return None  # the answer will report it
        return query_step(self._plan)

    async def _asked(self) -> ChatModel:
        self._asking.set()
        return await self.model()

    async def _meanwhile(self, planning: asyncio.Future[Step | None]) -> AsyncIterator[Event]:
        """Show what fits best while the plan takes long, as that may be the answer.

        Not for a count, which no passage tells, nor for what a plan may understand better; nor
        where a file or folder is named.
        """
        asking = asyncio.ensure_future(self._asking.wait())
        either: set[asyncio.Future[Step | None] | asyncio.Task[Literal[True]]] = {planning, asking}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        asking.cancel()
        await asyncio.wait({planning}, timeout=_PATIENCE)
        if planning.done() or not self._is_told:
            return
        shown = search_step(self.state.question.text, "shown while the model plans", "auto")
        async for event in self._found(shown):
            yield event
        async for event in self._look():
            yield event

    @property
    def _named(self) -> bool:
        """Whether the question names a file or folder."""
        return self._within != self.state.scope

    @property
    def _is_told(self) -> bool:
        """Whether a passage may tell what is asked: no count, no follow-up."""
        question = self.state.question
        return not (self._named or question.leans_on or counted(question.text))

    async def _is_said(self) -> bool:
        """Return whether a sentence surely answers, where a query may leave something out."""
        state, asked = self.state, self.state.question.iso_dated
        if not self._is_told:
            return False
        try:
            hits, _ = await search_question(state, asked, POOL, state.scope.filters())
        except ManoleError:
            return False
        extracts = Extracts(self.answer.looks.extracts.senses, 1)
        passages = [FoundPassage.of(hit) for hit in hits]
        await asyncio.to_thread(extracts.take, asked, passages, FIRST)
        return await asyncio.to_thread(said, state.question, extracts) is not None

    async def _look(self) -> AsyncIterator[Event]:
        """Show what was found, once."""
        if not self._looked:
            self._looked = True
            async for event in self.answer.looks.first():
                yield event

    async def _read(self) -> AsyncIterator[Event]:
        """Search until the question can be answered, then answer."""
        state = self.state
        wanted = as_read(state.question.whole).text
        async for event in self._found(first_step(wanted, self._plan)):
            yield event
        if not self._settled and not has_searched(state):
            plain = search_step(wanted, "a plain search", "fallback")
            async for event in self._found(plain):
                yield event
        async for event in self._look():
            yield event
        kind = self.answer.looks.kind = await self._kind()
        asked = await understood(state)
        self.answer.reads = kind_of(asked) is not None
        self.answer.own.done = done_with_figures(asked.parsed)
        if asked.parsed.labels["op"] == "diff" and is_believed(asked.parsed.sure["column"]):
            self.answer.own.measured = asked.parsed.labels["column"]
        if kind == "summary" and (tables := await self._tables()) is not None:
            async for event in self.answer.in_own_words(tables):
                yield event
            yield self.answer.complete()
            return
        looks = self.answer.looks
        told = kind in TOLD and (looks.said or looks.reckoned) is not None
        read = told or kind == "compare" or not (self._within_one or asked.parsed.computed)
        # A sentence answers clearly, and a query gave nothing or what was told before was read.
        read |= looks.clear and (self._plan.is_query or looks.extracts.before is not None)
        if not (self._settled or read) and (table := table_step(state, self._plan)) is not None:
            async for event in self.tools.run(table):
                yield event
        if not (self._settled or looks.clear) and (places := where_said(asked)):
            async for event in self.tools.run(places):
                yield event
        if self._settled:
            async for event in self._say():
                yield event
            return
        async for event in self._second_look():
            yield event
        async for event in self.answer.synthesize():
            yield event
        if older := await otherwise(state, self.answer.cited, self.answer.next):
            yield self.answer.add(*older)
        yield self.answer.complete()

    async def _found(self, search: Step) -> AsyncIterator[Event]:
        """Run a step that searches; the newest of several versions stands for the others."""
        async for event in self.tools.run(search):
            yield event
        await prefer_newest(self.state)

    @property
    def _settled(self) -> bool:
        """Whether the last tool's own message is the answer."""
        trace = self.state.trace
        return bool(trace) and trace[-1].answers

    async def _say(self) -> AsyncIterator[Event]:
        """Answer with the message of the last tool."""
        async for event in self.answer.say(self.state.trace[-1]):
            yield event
        yield self.answer.complete()

    async def _kind(self) -> Kind:
        """Return the kind of answer that is wanted."""
        asked = await understood(self.state)
        if asked.parsed.computed and asked.parsed.labels["op"] == "diff":
            return "compare"
        kind = kind_of(asked, 0.0) or "lookup"
        return "lookup" if kind == "compare" and kind_of(asked) is None else kind

    @property
    def _within_one(self) -> bool:
        """Whether one file alone is asked: the model reads what no sentence of it says by itself.

        Over many files it finds no more than the reader, and makes up what is not there.
        """
        return bool(self.state.scope.one or self.answer.looks.given)

    async def _tables(self) -> Tables | None:
        """Return the tables to be summarized, where it is a spreadsheet as a whole and no row."""
        question, found = self.state.question, self.answer.looks.passages()
        files, passages = await material(self.state, question, found)
        path = files[0].path if len(files) == 1 else ""
        whole = is_sheet(path) and question.numbers <= numbers(path)
        return await tables_of(self.state, passages) if whole else None

    async def _second_look(self) -> AsyncIterator[Event]:
        """Look once more, where the first look is not clear: at pages, at more of one file.

        What leans on the question before it is searched for in the words of both.
        """
        state, looks = self.state, self.answer.looks
        if not (self._within_one or looks.kind == "picture"):
            return
        if state.question.leans_on and not (looks.clear or looks.given):
            async for event in stand_alone(state, self.usage, self.model):
                yield event
            asked = state.question.whole.text
            async for event in self._found(search_step(asked, "the question made whole", "model")):
                yield event
        for step in page_steps(state) if looks.kind == "picture" else ():
            async for event in self.tools.run(step):
                yield event
        async for event in looks.second():
            yield event
