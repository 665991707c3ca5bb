"""The strategy `tree`: a decision agent over a shared environment.

    loop until `max_iterations` or `should_end`:
        tools that trigger themselves run (`summarize`)
        the model decides between the tools that are available then (`decision.py`)
        the tool runs; its result joins the environment, its error the next decision's prompt
    the answer is written from the environment (`text_response`)

The model leads, and code catches what a small model does wrong: a decision that cannot be read, or
that repeats a call, is replaced by the next search that was not made, or the answer; pages that
were found and not read are read before the answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from functools import partial

from manole.agent.answer.compose import Composer
from manole.agent.answer.confidence import level, weighed
from manole.agent.answer.draft import Draft, Style, grade
from manole.agent.answer.evidence import Evidence, context, evidence_tokens, room, unmarked
from manole.agent.answer.parts import least
from manole.agent.answer.selection import select
from manole.agent.events import Decision, Event, StatusEvent, Token
from manole.agent.followups.rewrite import stand_alone
from manole.agent.turn import Executor, GetModel, Step, TurnStrategy, TurnUsage, without_files
from manole.errors import ManoleError
from manole.models.chat.protocol import Message
from manole.models.chat.rates import reach_of
from manole.text.counted import counted
from manole.text.question import Question
from manole.text.words import has_digit, stems
from manole.tools.base import AnyTool, TurnState
from manole.tools.journal import JOURNAL, entries_in
from manole.tools.objects import FoundPage, FoundPassage
from manole.tools.registry import Registry
from manole.tools.visual import PAGES, has_pages
from manole_strategies.decision import (
    FOUND_TOKENS,
    TOKENS,
    TreeDecision,
    messages_for,
    read_decision,
    schema_for,
)
from manole_strategies.prompts import prompt
from manole_strategies.summarize import SUMMARIZED, SUMMARY, Summarize
from manole_strategies.tree_tools import (
    ANSWER,
    FAST,
    LOOK,
    VISUAL,
    ColQwenVisualSearch,
    FastVectorSearch,
    LookAtPages,
    TextResponse,
)


class Tree(TurnStrategy):
    """The strategy in which a decision agent chooses among the tools that are available."""

    def answered(self, state: TurnState, usage: TurnUsage, model: GetModel) -> AsyncIterator[Event]:
        """Decide, run, answer."""
        return _Turn(state, usage, model).run()


class _Turn:
    """One question on its way through the tree."""

    def __init__(self, state: TurnState, usage: TurnUsage, model: GetModel) -> None:
        self.state = state
        self.usage = usage
        self.model = model
        self._summarize = Summarize(usage, model)
        self._all: tuple[AnyTool, ...] = (
            FastVectorSearch(), ColQwenVisualSearch(), LookAtPages(), self._summarize,
            TextResponse(),
        )  # fmt: skip
        self.tools = Executor(state, Registry(self._all))
        self.answer = Composer(state, usage, model)
        self._why_not: str | None = None  # set once the model says that the task is impossible

    async def run(self) -> AsyncIterator[Event]:
        """Yield the events of the turn."""
        state = self.state
        if nothing := await without_files(state):
            yield self.answer.complete(nothing, found=False)
            return
        state.collection_names = await _collections(state)
        async for event in stand_alone(state, self.usage, self.model):
            yield event
        async for event in self._decided():
            yield event
        async for event in self._read_pages():
            yield event
        async for event in self._answered():
            yield event
        end = self.answer.complete()
        if self._why_not:
            why = f"The model's reason: “{self._why_not}”"
            yield Token(content=f"\n{why}")
            end = end.model_copy(update={"answer": f"{end.answer}\n{why}"})
        yield end

    async def _decided(self) -> AsyncIterator[Event]:
        """Let the model decide until it ends the turn, or nothing new comes of it."""
        while True:
            async for event in self.tools.run_triggered():
                yield event
            if self.tools.exhausted:
                yield StatusEvent(message="No further step may be taken.")
                return
            started = time.perf_counter()
            try:
                decided = await self._decide()
            except ManoleError as error:
                yield StatusEvent(message=f"{error.message} Searching without the model.")
                while (step := self._next()) is not None and not self.tools.exhausted:
                    async for event in self.tools.run(step):
                        yield event
                return
            seconds = round(time.perf_counter() - started, 3)
            if isinstance(decided, TreeDecision) and decided.tool == ANSWER:
                async for event in self._read_pages():
                    yield event
                yield Decision(
                    step=self.tools.steps + 1,
                    tool=ANSWER,
                    reasoning=decided.reasoning,
                    seconds=seconds,
                )
                self._why_not = decided.reasoning if decided.impossible else None
                return
            before = self.tools.steps
            if isinstance(decided, TreeDecision):
                async for event in self.tools.run(self._step(decided, seconds)):
                    yield event
                trouble = f"{decided.tool} was called like that before."
            else:
                self.state.errors.append(f"decision: {decided}")
                trouble = decided
            if self.tools.steps == before:
                yield StatusEvent(message=trouble)
                if (step := self._next()) is None:
                    return
                async for event in self.tools.run(step):
                    yield event
            last = self.state.trace[-1]
            if last.results and not last.new_entries:
                yield StatusEvent(message=f"{last.tool} found nothing new.")
                return
            if isinstance(decided, TreeDecision) and decided.should_end:
                return

    async def _decide(self) -> TreeDecision | str:
        """Return the model's decision, or what is wrong with it. Raises `ManoleError`."""
        model = await self.model()
        reach, settings = await reach_of(model), self.state.settings
        self._summarize.room = room(settings, reach)
        available = self._available()
        extracts = await asyncio.to_thread(self._extracts)
        completion = await model.complete(
            messages_for(self.state, self._all, available, extracts, context(settings, reach)),
            max_tokens=TOKENS,
            schema=schema_for(available, ANSWER if self._may_be_impossible() else ""),
            slot="tree",
        )
        self.usage.add(completion)
        return read_decision(completion.text, {tool.name for tool in available}, ANSWER)

    def _may_be_impossible(self) -> bool:
        """Return whether the model may call the task impossible.

        Not before anything was looked for, as a small model gives up too easily; nor of what ends
        as a question, which is at most unanswered: of 21 that files answer it gave up 3.
        """
        return bool(self.state.trace) and not self.state.question.text.rstrip(" )").endswith("?")

    def _available(self) -> list[AnyTool]:
        """Return the tools that can be chosen now: what just failed is not, if another can be."""
        state = self.state
        failed = {step.tool for step in state.trace[-1:] if not step.results}
        available = self.tools.tools.available(state)
        return [tool for tool in available if tool.name not in failed] or available

    def _extracts(self) -> str:
        """Return what was found of the question, with its places."""
        found = list(self.state.environment.objects(FoundPassage))
        embedder = self.state.library.embedder
        chosen = select(self.state.question, found, embedder, budget=FOUND_TOKENS)
        return "\n".join(f"({_place(item)}) {item.text}" for item in chosen)

    def _step(self, decided: TreeDecision, seconds: float) -> Step:
        """Return the decided step; a search without a query searches for the question."""
        asked = {"query": self.state.question.text} if decided.tool in {FAST, VISUAL} else {}
        tool = next(tool for tool in self._all if tool.name == decided.tool)
        known = {n: v for n, v in decided.inputs.items() if n in getattr(tool, "offered", ())}
        return Step(decided.tool, asked | known, decided.reasoning, "model", seconds)

    def _next(self) -> Step | None:
        """Return the search that code makes instead, while nothing was found."""
        if not self.state.environment.is_empty():
            return None
        tried = {step.tool for step in self.state.trace}
        for tool in self.tools.tools.available(self.state):
            if tool.name in {FAST, VISUAL} and tool.name not in tried:
                asked = {"query": self.state.question.text}
                return Step(tool.name, asked, "not tried yet", "fallback")
        return None

    async def _read_pages(self) -> AsyncIterator[Event]:
        """Read the pages that were found, if nothing else was."""
        if self._texts():
            return
        if any(self.state.environment.objects(FoundPage)):
            step = Step(LOOK, {}, "the pages found were not read", "fallback")
            async for event in self.tools.run(step):
                yield event

    def _texts(self) -> list[FoundPassage]:
        """Return the passages that were found, also those that were summarized."""
        environment = self.state.environment
        kept: Sequence[FoundPassage] = environment.hidden_environment.get(SUMMARIZED, ())
        known = {found.id: found for found in (*kept, *environment.objects(FoundPassage))}
        return list(known.values())

    async def _answered(self) -> AsyncIterator[Event]:
        """Write the answer from what was found, or say what is nearest."""
        question = self.state.question
        found = self._texts() or [_as_passage(p) for p in self.state.environment.objects(FoundPage)]
        budget = evidence_tokens(self.state.settings, await self.answer.reach())
        embedder = self.state.library.embedder
        evidence = _near(await asyncio.to_thread(select, question, found, embedder, budget=budget))
        if self._why_not is not None or not evidence:
            async for event in self.answer.decline(question, evidence):
                yield event
            return
        yield StatusEvent(message=f"Reading {counted(len(evidence), 'extract')}.")
        points = str(self.state.environment.hidden_environment.get(SUMMARY, ""))
        style = Style(prompt=partial(_to_answer, points), slot="tree-answer", grade=_grade)
        async for event in self.answer.read(question, evidence, style):
            yield event


async def _collections(state: TurnState) -> tuple[str, ...]:
    """Return what the library of a turn holds besides files."""
    held = {PAGES: await has_pages(state), JOURNAL: bool(await entries_in(state))}
    return tuple(name for name, there in held.items() if there)


def _to_answer(points: str, question: str, evidence: Sequence[Evidence]) -> list[Message]:
    """Return the prompt of the answer: key points, extracts with their pages, the question."""
    asked = prompt("tree.answer.user").substitute(
        points=f"Key points: {points}\n\n" if points else "",
        evidence="\n\n".join(f"({_place(e)}) {e.text}" for e in evidence),
        question=question,
    )
    return [Message("system", prompt("tree.answer.system").template), Message("user", asked)]


def _grade(draft: Draft, question: Question, evidence: Sequence[Evidence]) -> None:
    """Grade a draft, at most by the probability that its signals give (`confidence.py`)."""
    grade(draft, question, evidence)
    signals = weighed(unmarked(draft.text), question, evidence)
    known = stems("\n".join([question.text, *(f"{_place(e)} {e.text}" for e in evidence)]))
    strange = any(has_digit(word) and word not in known for word in stems(unmarked(draft.text)))
    certain = level(signals["probability"])
    draft.confidence = "low" if strange else least(draft.confidence, certain)


def _near(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the extracts that score at least half as well as the best, best first, from `[1]`.

    What is farther only leads a small model astray.
    """
    best = max((item.score for item in evidence), default=0.0)
    kept = sorted((e for e in evidence if e.score >= best / 2), key=lambda e: -e.score)
    return [replace(item, n=n) for n, item in enumerate(kept, start=1)]


def _place(item: Evidence) -> str:
    return f"{item.label}, page {item.page}" if item.page else item.label


def _as_passage(page: FoundPage) -> FoundPassage:
    """Return a page's best lines as a passage."""
    return FoundPassage(
        id=page.id,
        file=page.file,
        page=page.page,
        line=1,
        line_end=1,
        text="\n".join(line.text for line in page.lines),
        score=page.score,
    )
