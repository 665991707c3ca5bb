"""The agent loop, on one page (design, "A turn"; seeds 000, 003 and 004).

    rewrite  -> a question that stands alone              (only where it leans on the history)
    route    -> one tool a clause, where keywords are sure (no model)
    decide   -> else the model chooses among the tools     (JSON schema, worked examples)
    execute  -> tool results into environment and trace    (never the same call twice)
    follow up-> words that nothing covers are searched for
    answer   -> a tool's own message where it settles the clause, else evidence and the model
    ground   -> figures checked, citations set, confidence

Every step is an event; the caller sees the turn as it happens and can stop it by closing the
iterator.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Protocol

from manole.agent.answer import NOT_FOUND, Draft, file_sources, quote, sources, write
from manole.agent.decide import decide
from manole.agent.events import (
    Complete,
    Decision,
    ErrorEvent,
    Event,
    ResultEvent,
    Source,
    StatusEvent,
    Token,
)
from manole.agent.evidence import Evidence, select
from manole.agent.followup import uncovered
from manole.agent.ledger import Ledger
from manole.agent.rewrite import leans, rewrite
from manole.agent.route import Route, route
from manole.errors import ManoleError, UsageError
from manole.library import Library
from manole.models.chat import ChatModel, Message
from manole.settings import Settings
from manole.tools.base import Error, Inputs, Result
from manole.tools.environment import TraceStep, TurnState
from manole.tools.registry import Registry


class ModelSource(Protocol):
    """Gives the chat model when it is first needed (`manole.models.load.ChatLoader`)."""

    async def get(self) -> ChatModel:
        """The model, loaded."""
        ...


class Agent:
    """Answers questions about one library.

    `model` is asked for only when a turn needs it, so that counting files never waits for
    weights. `today` can be fixed; by default it is the day of the question.
    """

    def __init__(
        self,
        library: Library,
        model: ModelSource,
        settings: Settings,
        *,
        tools: Registry | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        self.library = library
        self.settings = settings
        self.tools = tools or Registry()
        self.model = model
        self._today = today

    async def ask(
        self, question: str, history: Sequence[Message] = (), *, scope: str | None = None
    ) -> AsyncIterator[Event]:
        """One turn. `history` alternates user and assistant messages, oldest first.

        `scope` is a folder or file of the library; nothing outside it is looked at.

        The last event is `Complete`. Raises `UsageError` for an empty or overlong question, and
        what the library raises when it has no index.
        """
        question = check_question(question, self.settings.agent.max_question_chars)
        turns = self.settings.agent.history_turns
        recent = tuple(history)[-2 * turns :] if turns else ()
        turn = _Turn(self, question, recent, scope.strip("/") if scope else None)
        async for event in turn.run():
            yield event


def check_question(question: str, limit: int) -> str:
    """The question without outer blanks. Raises `UsageError` when there is none, or too much."""
    text = question.replace("\x00", " ").strip()
    if not any(c.isalnum() for c in text):
        raise UsageError("The question is empty.", 'Ask in words: manole ask "which …?"')
    if len(text) > limit:
        raise UsageError(
            f"The question has {len(text):,} characters; {limit:,} are read at most.",
            "Shorten it, or put long text into a file of the library.",
        )
    return text


class _Turn:
    """The state of one question on its way through the loop."""

    def __init__(
        self, agent: Agent, question: str, history: tuple[Message, ...], scope: str | None
    ) -> None:
        self.agent = agent
        self.state = TurnState(
            question=question,
            library=agent.library,
            settings=agent.settings,
            today=agent._today(),
            history=history,
            scope=scope,
        )
        self.ledger = Ledger()
        self.ran: set[tuple[str, Inputs]] = set()
        self.answer: list[str] = []
        self.sources: list[Source] = []
        self.drafts: list[Draft] = []

    async def run(self) -> AsyncIterator[Event]:
        state = self.state
        files = await state.files()
        if not files:
            what = f"There are no files in {state.scope}." if state.scope else "No files yet."
            yield self._complete(what, found=False)
            return
        if leans(state.question, state.history):
            async for event in self._rewrite():
                yield event
        previous: list[str] = []
        for planned in route(state.question, files, state.today):
            if self.steps >= state.settings.agent.max_iterations:
                break
            if planned.refers_back and previous:
                planned = _bind(planned, previous)
            async for event in self._clause(planned):
                yield event
            previous = self._files_of_last_step() or previous
        yield self._complete(" ".join(self.answer) if self.answer else NOT_FOUND)

    @property
    def steps(self) -> int:
        """Tool calls so far."""
        return len(self.state.trace)

    # -- one clause ----------------------------------------------------------------------------

    async def _clause(self, planned: Route) -> AsyncIterator[Event]:
        first = self.steps
        if planned.sure:
            async for event in self._step(
                planned.tool, planned.inputs, planned.reasoning, "router", 0.0
            ):
                yield event
        else:
            async for event in self._decided(planned):
                yield event
        steps = self.state.trace[first:]
        if steps and steps[-1].answers:
            async for event in self._say(steps[-1]):
                yield event
            return
        if self._should_search(steps):
            async for event in self._search_instead(planned):
                yield event
        async for event in self._follow_up(planned.clause or self.state.question):
            yield event
        async for event in self._synthesize(planned):
            yield event

    async def _decided(self, planned: Route) -> AsyncIterator[Event]:
        """Let the model choose until a tool has answered, it wants to respond, or steps run out."""
        state = self.state
        while self.steps < state.settings.agent.max_iterations:
            started = time.perf_counter()
            try:
                model = await self._model()
                tools = self.agent.tools.available(state)
                call, completion = await decide(
                    replace(state, question=planned.clause or state.question),
                    tools,
                    model,
                    state.library.embedder.embed,
                )
            except ManoleError as error:
                yield StatusEvent(message=f"{error.message} Searching without the model.")
                return
            self.ledger.add(completion)
            seconds = time.perf_counter() - started
            if call is None or call.name not in self.agent.tools:
                if self.steps == 0:  # the seeds' step 0: the router's choice
                    async for event in self._step(
                        planned.tool, planned.inputs, "the model named no tool", "fallback", seconds
                    ):
                        yield event
                return
            if self.agent.tools[call.name].end:
                yield Decision(
                    step=self.steps + 1, tool=call.name, reasoning="the results are enough",
                    by="model", seconds=seconds,
                )  # fmt: skip
                return
            before = self.steps
            async for event in self._step(
                call.name, call.arguments, "the model chose it", "model", seconds
            ):
                yield event
            if self.steps == before or self.state.trace[-1].results:
                return

    # -- one step ------------------------------------------------------------------------------

    async def _step(
        self, name: str, arguments: dict[str, Any], reasoning: str, by: Any, seconds: float
    ) -> AsyncIterator[Event]:
        """Run one tool. The same call with the same inputs is never run twice."""
        state = self.state
        inputs = self.agent.tools.parse(name, arguments)
        if inputs is None:
            yield ErrorEvent(message=f"{name} cannot be called with {arguments}.", tool=name)
            return
        if (name, inputs) in self.ran:
            return
        self.ran.add((name, inputs))
        number = self.steps + 1
        shown = inputs.model_dump(exclude_defaults=True, mode="json")
        yield Decision(
            step=number, tool=name, inputs=shown, reasoning=reasoning, by=by, seconds=seconds
        )
        started = time.perf_counter()
        results = new = 0
        answers = False
        message = ""
        async for outcome in self.agent.tools[name](state, inputs):
            spent = time.perf_counter() - started
            if isinstance(outcome, Error):
                message = outcome.message
                state.errors.append(outcome.message)
                yield ErrorEvent(
                    message=outcome.message, recoverable=outcome.recoverable,
                    suggestion=outcome.suggestion, step=number, tool=name,
                )  # fmt: skip
            elif isinstance(outcome, Result):
                new += state.environment.add(name, outcome)
                results += len(outcome.objects)
                answers, message = outcome.answers, outcome.message
                yield ResultEvent(
                    step=number, tool=name, name=outcome.name, payload_type=outcome.payload_type,
                    objects=outcome.objects, metadata=outcome.metadata, message=message,
                    seconds=round(spent, 4),
                )  # fmt: skip
        spent = time.perf_counter() - started
        state.tasks_completed.setdefault(name, []).append(spent)
        state.trace.append(
            TraceStep(
                iteration=number,
                tool=name,
                reasoning=reasoning,
                inputs=shown,
                query=str(shown.get("query", "")),
                results=results,
                new_entries=new,
                message=message,
                seconds=spent,
                answers=answers,
            )  # fmt: skip
        )

    def _should_search(self, steps: Sequence[TraceStep]) -> bool:
        return not any(s.tool in {"semantic_search", "read_document"} and s.results for s in steps)

    async def _search_instead(self, planned: Route) -> AsyncIterator[Event]:
        """Plain hybrid search, whatever went wrong before."""
        if self.steps < self.state.settings.agent.max_iterations:
            async for event in self._step(
                "semantic_search", {"query": planned.clause or self.state.question},
                "nothing found yet", "fallback", 0.0,
            ):  # fmt: skip
                yield event

    async def _follow_up(self, clause: str) -> AsyncIterator[Event]:
        """Search for the important words that no passage covers (seed 004)."""
        state = self.state
        passages = list(state.environment.objects("passage"))
        texts = [
            f"{p['file']} {p['title'] or ''} {' '.join(p['headings'])} {p['text']}"
            for p in passages
        ]
        missing = uncovered(clause, texts)
        if not missing or not passages or self.steps >= state.settings.agent.max_iterations:
            return
        async for event in self._step(
            "semantic_search", {"query": " ".join(missing), "top_k": 3},
            f"no result covers {', '.join(missing)}", "followup", 0.0,
        ):  # fmt: skip
            yield event

    # -- answering -----------------------------------------------------------------------------

    async def _say(self, step: TraceStep) -> AsyncIterator[Event]:
        """A tool's own message is the answer to its clause: no model."""
        entries = self.state.environment.find(step.tool) or []
        cited = file_sources(entries[-1]["objects"] if entries else [], len(self.sources) + 1)
        text = step.message
        if len(cited) == 1:
            text = (
                f"{text} [{cited[0].n}]"
                if not text.endswith(".")
                else f"{text[:-1]} [{cited[0].n}]."
            )
        self.sources += cited
        self.answer.append(text)
        self.ledger.first_token()
        yield Token(content=text if len(self.answer) == 1 else f"\n{text}")

    async def _synthesize(self, planned: Route) -> AsyncIterator[Event]:
        """Select evidence for the clause and let the model answer from it."""
        state = self.state
        question = planned.clause if self.answer and planned.clause else state.question
        if self.answer and planned.inputs.get("files"):
            question = f"{question} (about {planned.inputs['files'][0]})"
        started = time.perf_counter()
        evidence = await asyncio.to_thread(self._evidence, question, planned)
        self.ledger.spent("evidence", time.perf_counter() - started)
        if not evidence:
            self.drafts.append(Draft(text=NOT_FOUND, found=False, confidence="low"))
            self.answer.append(NOT_FOUND)
            yield Token(content=NOT_FOUND)
            return
        if self.answer:
            yield Token(content="\n")
        draft = Draft()
        model: ChatModel | None = None
        try:
            yield StatusEvent(message=f"Reading {len(evidence)} extracts.")
            model = await self._model()
            async for item in write(question, evidence, model, state.settings.agent.answer_tokens):
                if isinstance(item, Draft):
                    draft = item
                else:
                    self.ledger.first_token()
                    yield Token(content=item)
        except ManoleError as error:
            yield ErrorEvent(message=error.message, suggestion=error.hint)
            text, cited = quote(evidence)
            draft = Draft(text=text, confidence="low", corrected=True, cited=cited)
        for completion in draft.completions:
            self.ledger.add(completion)
        if model is not None and not draft.completions:  # broken off
            self.ledger.calls += 1
        self.drafts.append(draft)
        self.answer.append(draft.text)
        self.sources += sources(evidence, draft.cited)

    def _evidence(self, question: str, planned: Route) -> list[Evidence]:
        passages = list(self.state.environment.objects("passage"))
        wanted = planned.inputs.get("files")
        if wanted:
            passages = [p for p in passages if p["file"] in wanted] or passages
        chosen = select(
            question, passages, self.state.library.embedder.embed,
            budget=self.state.settings.agent.evidence_tokens,
        )  # fmt: skip
        return [replace(e, n=e.n + len(self.sources)) for e in chosen]

    # -- the ends ------------------------------------------------------------------------------

    async def _rewrite(self) -> AsyncIterator[Event]:
        """Make the question stand alone; without a model it stays as it is."""
        try:
            text, completion = await rewrite(
                self.state.question, self.state.history, await self._model()
            )
        except ManoleError as error:
            yield StatusEvent(message=f"{error.message} The question is taken as it stands.")
            return
        if completion is not None:
            self.ledger.add(completion)
        if text != self.state.question:
            self.state.question = text
            yield StatusEvent(message=f"Understood as: {text}")

    async def _model(self) -> ChatModel:
        started = time.perf_counter()
        model = await self.agent.model.get()
        self.ledger.spent("model_load", time.perf_counter() - started)
        return model

    def _files_of_last_step(self) -> list[str]:
        if not self.state.trace:
            return []
        entries = self.state.environment.find(self.state.trace[-1].tool) or []
        objects = entries[-1]["objects"] if entries else []
        return list(dict.fromkeys(o["file"] for o in objects if "file" in o))

    def _complete(self, answer: str, *, found: bool = True) -> Complete:
        order = ("low", "medium", "high")
        confidence = min((d.confidence for d in self.drafts), key=order.index, default="high")
        return Complete(
            answer=answer.strip(),
            found=found and (not self.drafts or any(d.found for d in self.drafts)),
            sources=self.sources,
            confidence=confidence,
            grounding=min((d.grounding for d in self.drafts), default=1.0),
            corrected=any(d.corrected for d in self.drafts),
            timings=self.ledger.timings(),
            model_calls=self.ledger.calls,
            tokens=self.ledger.tokens(),
        )


def _bind(planned: Route, files: Sequence[str]) -> Route:
    """Let "it" mean the file that the clause before found."""
    if planned.tool == "semantic_search":
        return replace(planned, inputs={**planned.inputs, "files": tuple(files[:1])})
    if planned.tool == "file_metadata":
        return replace(planned, inputs={"name_hint": files[0]})
    return planned
