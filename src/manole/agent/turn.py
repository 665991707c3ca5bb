"""The base of all strategies: the check of the question, the cost of a turn, its steps.

A strategy is a way from a question to an answer (`loop.make` chooses one). Each answers
questions about one library, emits the events of `events.py`, and ends with `Complete`. A step runs
one tool: the results go to the environment, the step to the trace, events to the caller.
"""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from manole.agent.events import (
    Decider,
    Decision,
    ErrorEvent,
    Event,
    ResultEvent,
    StatusEvent,
    TokensUsed,
)
from manole.errors import UsageError
from manole.index.search.scope import Scope
from manole.library import Library
from manole.models.chat.protocol import ChatModel, Completion, Message
from manole.settings import Settings
from manole.text.language import be_ready
from manole.text.question import Question
from manole.tools.base import Confidence, Error, Inputs, Progress, Result, TraceStep, TurnState
from manole.tools.registry import Registry

HISTORY_TURNS = 4  # earlier ones that a question may lean on
MAX_QUESTION_CHARS = 4000  # set by hand


@dataclass
class TurnUsage:
    """The cost of a turn: model calls, tokens, seconds. The clock starts with the object."""

    calls: int = 0
    _started: float = field(default_factory=time.perf_counter)
    _first: dict[str, float] = field(default_factory=dict)
    _spent: dict[str, float] = field(default_factory=dict)
    _prompt: int = 0
    _cached: int = 0
    _completion: int = 0

    def add(self, completion: Completion) -> None:
        """Count a model call."""
        self.calls += 1
        self._prompt += completion.usage.prompt_tokens
        self._cached += completion.usage.cached_tokens
        self._completion += completion.usage.completion_tokens
        self.spent("model", completion.usage.total_s)
        self.spent("prompt", completion.usage.first_token_s)

    def spent(self, what: str, seconds: float) -> None:
        """Add seconds to a named part of the turn."""
        self._spent[what] = self._spent.get(what, 0.0) + seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the question."""
        return round(time.perf_counter() - self._started, 3)

    def first(self, what: str) -> None:
        """Record when something was first shown: a `token` of the answer, or `evidence`."""
        self._first.setdefault(f"first_{what}", self.elapsed)

    def tokens(self) -> TokensUsed:
        """Return the tokens of all calls."""
        return TokensUsed(prompt=self._prompt, cached=self._cached, completion=self._completion)

    def timings(self) -> dict[str, float]:
        """Return seconds: `total`, `first_token`, and the named parts."""
        total = self.elapsed
        parts = {"total": total, "first_token": total, **self._first, **self._spent}
        return {name: round(seconds, 3) for name, seconds in parts.items()}


GetModel = Callable[[], Awaitable[ChatModel]]


class ModelSource(Protocol):
    """The loader of the chat model, which loads it when first asked (`models.load.ChatLoader`)."""

    async def get(self) -> ChatModel:
        """Return the loaded model."""
        ...


class Strategy(Protocol):
    """A way from a question about one library to its answer."""

    def ask(
        self, question: str, history: Sequence[Message] = (), *, scope: str | None = None
    ) -> AsyncIterator[Event]:
        """Run a turn; the last event is `Complete`. Raises `UsageError`, `LibraryError`."""
        ...


class StrategyKind(Protocol):
    """The class of a strategy, such as a subclass of `turn.TurnStrategy`."""

    def __call__(
        self,
        library: Library,
        model: ModelSource,
        settings: Settings,
        /,
        *,
        today: Callable[[], date] = date.today,
    ) -> Strategy:
        """Return the strategy over one library; it asks for `model` when it needs it."""
        ...


def begin(
    question: str,
    history: Sequence[Message],
    scope: str | None,
    *,
    library: Library,
    settings: Settings,
    today: date,
) -> TurnState:
    """Return the state of a new turn. Raises `UsageError` for an empty or overlong question."""
    return TurnState(
        question=Question(check_question(question), today),
        library=library,
        settings=settings,
        history=tuple(history)[-2 * HISTORY_TURNS :],
        scope=Scope.parse(scope),
    )


class TurnStrategy(ABC):
    """The base of strategies: it begins a turn, and `answered` does the rest."""

    def __init__(
        self,
        library: Library,
        model: ModelSource,
        settings: Settings,
        *,
        today: Callable[[], date] = date.today,
    ) -> None:
        self.library = library
        self.model = model
        self.settings = settings
        self.today = today

    async def ask(
        self, question: str, history: Sequence[Message] = (), *, scope: str | None = None
    ) -> AsyncIterator[Event]:
        """Run a turn. `history` alternates user and assistant messages, oldest first.

        `scope` is the text of a `Scope`; nothing outside it is read. The last event is `Complete`.
        Raises `UsageError` for an empty or overlong question, and what the library raises when it
        has no index.
        """
        state = begin(
            question, history, scope,
            library=self.library, settings=self.settings, today=self.today(),
        )  # fmt: skip
        asyncio.get_running_loop().run_in_executor(None, be_ready)  # the answer will need it
        usage = TurnUsage()
        async for event in self.answered(state, usage, timed(self.model, usage)):
            yield event

    @abstractmethod
    def answered(self, state: TurnState, usage: TurnUsage, model: GetModel) -> AsyncIterator[Event]:
        """Yield the events of a turn that has begun; the last is `Complete`."""


async def without_files(state: TurnState) -> str:
    """Return the answer where there are no files, "" where there are some."""
    if await state.files():
        return ""
    return f"There are no files {state.scope.words}." if state.scope else "No files yet."


def check_question(question: str) -> str:
    """Return the question without outer blanks. Raises `UsageError` if empty or too long."""
    text = question.replace("\x00", " ").strip()
    if not any(c.isalnum() for c in text):
        raise UsageError(
            "The question is empty.", "Ask in words, such as: which invoices are unpaid?"
        )
    if len(text) > MAX_QUESTION_CHARS:
        raise UsageError(
            f"The question has {len(text):,} characters; {MAX_QUESTION_CHARS:,} are read at most.",
            "Shorten it, or put long text into a file of the library.",
        )
    return text


def timed(source: ModelSource, usage: TurnUsage) -> GetModel:
    """Return `source.get` with its seconds recorded as `model_load`."""

    async def get() -> ChatModel:
        started = time.perf_counter()
        model = await source.get()
        usage.spent("model_load", time.perf_counter() - started)
        return model

    return get


@dataclass(frozen=True, slots=True)
class Step:
    """A tool or action to run, with the reason, who decided, and the seconds that it took."""

    tool: str
    inputs: Mapping[str, object] = field(default_factory=dict)
    reasoning: str = ""
    by: Decider = "router"
    seconds: float = 0.0


class Executor:
    """The runner of one turn's steps. No call is run twice with the same inputs.

    A tool that triggers itself takes none of the steps that the settings allow.
    """

    def __init__(self, state: TurnState, tools: Registry) -> None:
        self.state = state
        self.tools = tools
        self._ran: set[tuple[str, Inputs]] = set()
        self._triggered = 0  # of the calls

    @property
    def steps(self) -> int:
        """The number of tool calls so far."""
        return len(self.state.trace)

    @property
    def exhausted(self) -> bool:
        """Whether no further step may be decided on."""
        return self.steps - self._triggered >= self.state.settings.agent.max_iterations

    async def run_triggered(self) -> AsyncIterator[Event]:
        """Run the tools that trigger themselves now, before the next decision is made."""
        for tool in self.tools.available(self.state):
            inputs = tool.run_if_true(self.state)
            if inputs is not None:
                triggered = Step(tool.name, inputs.model_dump(), "triggered itself", "auto")
                async for event in self.run(triggered):
                    yield event

    async def run(self, taken: Step) -> AsyncIterator[Event]:
        """Run a step, unless its inputs are invalid or it has been run before."""
        name = taken.tool
        action, inputs = self.tools.action(name), self.tools.parse(name, taken.inputs)
        if action is None or inputs is None:
            message = f"{name} cannot be called with {dict(taken.inputs)}."
            yield ErrorEvent(message=message, tool=name)
            return
        triggered = taken.by == "auto"
        if (self.exhausted and not triggered) or (name, inputs) in self._ran:
            return
        self._ran.add((name, inputs))
        self._triggered += triggered
        step = self.steps + 1
        shown = inputs.model_dump(exclude_defaults=True, mode="json")
        yield Decision(
            step=step,
            tool=name,
            inputs=shown,
            reasoning=taken.reasoning,
            by=taken.by,
            seconds=taken.seconds,
        )
        started = time.perf_counter()
        results = new = 0
        message, answers = "", False
        confidence: Confidence = "high"
        async for outcome in action(self.state, inputs):
            if isinstance(outcome, Progress):
                yield StatusEvent(message=outcome.message)
                continue
            if isinstance(outcome, Error):
                message = outcome.llm_message
                self.state.errors.append(f"{name}: {message}")
            else:
                message = outcome.message
                new += self.state.environment.add(name, outcome)
                results += len(outcome.objects)
                answers, confidence = outcome.answers, outcome.confidence
            yield as_event(outcome, step, name, time.perf_counter() - started)
        spent = time.perf_counter() - started
        self.state.tasks_completed.setdefault(name, []).append(round(spent, 3))
        self.state.trace.append(
            TraceStep(
                iteration=step,
                tool=name,
                reasoning=taken.reasoning,
                inputs=shown,
                query=query_of(shown),
                results=results,
                new_entries=new,
                message=message,
                seconds=spent,
                answers=answers,
                confidence=confidence,
            )
        )


def query_of(inputs: Mapping[str, object]) -> str:
    """Return what a step searched for: its words, and the days of a range; "" for neither."""
    days = " to ".join(str(inputs[end]) for end in ("start_date", "end_date") if end in inputs)
    return ", ".join(filter(None, (str(inputs.get("query") or ""), days)))


def as_event(outcome: Result | Error, step: int, tool: str, seconds: float) -> Event:
    """Return what a tool yielded at a step as an event, with its objects as JSON."""
    if isinstance(outcome, Error):
        return ErrorEvent(
            message=outcome.message,
            recoverable=outcome.recoverable,
            suggestion=outcome.suggestion,
            step=step,
            tool=tool,
        )
    return ResultEvent(
        step=step,
        tool=tool,
        name=outcome.name,
        payload_type=outcome.payload_type,
        objects=[found.to_json() for found in outcome.objects],
        metadata=dict(outcome.metadata),
        message=outcome.message,
        seconds=round(seconds, 4),
    )
