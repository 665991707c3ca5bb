"""The base of all tools: their inputs and results, and the state of a turn.

An action is something the agent can do and code runs; a tool is one that a model may choose, too.
It reads the state of the turn and yields `Result`s, `Error`s and, while it works, `Progress`. One
`Result` has three projections: `objects` for the screen and the environment, `metadata` for both,
and `llm_message`, one sentence or short list that answers the question by itself.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from manole.index.search.hybrid import passes
from manole.index.search.scope import WHOLE, Scope
from manole.index.store.records import FileRecord
from manole.library import Library
from manole.models.chat.protocol import Message
from manole.settings import Settings
from manole.text.question import Question
from manole.tools.objects import Found

Confidence = Literal["high", "medium", "low"]


class Inputs(BaseModel):
    """Base of every tool's inputs: unknown names are refused, text is trimmed."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


@dataclass(frozen=True, slots=True)
class Result:
    """The typed output of a tool.

    `llm_message` may hold placeholders: `{num_objects}`, `{name}` and any key of `metadata`.
    `answers` is whether the message settles the question as it stands, with `confidence`.
    """

    objects: Sequence[Found] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    name: str = "results"
    payload_type: str = "result"
    llm_message: str = ""
    answers: bool = False
    confidence: Confidence = "high"

    @property
    def message(self) -> str:
        """Return `llm_message` with its placeholders filled in."""
        values = {**self.metadata, "num_objects": len(self.objects), "name": self.name}
        text = self.llm_message
        for key, value in values.items():
            text = text.replace("{" + key + "}", str(value))
        return text


@dataclass(frozen=True, slots=True)
class Error:
    """A failure. `suggestion` is what to try instead."""

    message: str
    recoverable: bool = True
    suggestion: str | None = None

    @property
    def llm_message(self) -> str:
        """Return what the next decision reads: the failure, and what to try instead."""
        return f"{self.message} {self.suggestion}" if self.suggestion else self.message


@dataclass(frozen=True, slots=True)
class Progress:
    """A status message for the person who waits. It is not stored."""

    message: str


T = TypeVar("T", bound=Found)

# Names in the hidden environment.
RANKING = "ranking"  # ids of what the last search found, best first
INSTEAD = "instead"  # passages by the ids of those that they stand for: of a newer version
ANCHORED = "anchored"  # files that an identifier in the question led to

# A token is about 3.5 characters of English in the models' vocabularies.
_CHARS_PER_TOKEN = 3.5


@dataclass(frozen=True, slots=True)
class Stored:
    """The new objects that one call of a tool found, and what its result said."""

    objects: Sequence[Found]
    metadata: Mapping[str, object]
    message: str = ""

    def texts(self, tool_name: str) -> list[str]:
        """Return what the model reads of the call: its message, then each object that has text."""
        whole = [text for found in self.objects if (text := found.in_full())]
        said = self.message.split("\n", 1)[0] if whole else self.message  # the rest only excerpts
        return [f"{tool_name}: {said}", *whole]


class Environment:
    """Everything the tools have found: `environment[tool][name]`, one entry per call.

    An object that is already there (same `id`) is not stored twice. `hidden_environment` is state
    that tools leave for each other under names of their own (`RANKING`, ...). `to_llm_context` has
    none of it; a strategy may put a name of its own into a prompt, as `tree` does its `summary`.
    """

    def __init__(self) -> None:
        self.environment: dict[str, dict[str, list[Stored]]] = {}
        self.hidden_environment: dict[str, Any] = {}
        self._calls: list[tuple[str, Stored]] = []
        self._seen: set[str] = set()

    def add(self, tool_name: str, result: Result) -> int:
        """Store a result; return how many of its objects are new."""
        new = [found for found in result.objects if not found.id or found.id not in self._seen]
        self._seen |= {found.id for found in new}
        stored = Stored(new, result.metadata, result.message)
        self.environment.setdefault(tool_name, {}).setdefault(result.name, []).append(stored)
        self._calls.append((tool_name, stored))
        return len(new)

    def clear(self) -> None:
        """Forget what was found, so that it can be found again; what is hidden stays."""
        self.environment.clear()
        self._calls.clear()
        self._seen.clear()

    def is_empty(self) -> bool:
        """Return whether no tool has found anything."""
        return not self._calls

    def find(self, tool_name: str, name: str | None = None) -> list[Stored]:
        """Return what a tool found, or what it found under one name, oldest first."""
        named = self.environment.get(tool_name, {})
        if name is not None:
            return named.get(name, [])
        return [stored for calls in named.values() for stored in calls]

    def objects(self, kind: type[T]) -> Iterator[T]:
        """Yield every object of a kind, oldest first within each tool."""
        for tool in self.environment:
            for stored in self.find(tool):
                for found in stored.objects:
                    if isinstance(found, kind):
                        yield found

    @property
    def messages(self) -> list[tuple[str, str]]:
        """The tool and message of every result, oldest first."""
        return [(tool, stored.message) for tool, stored in self._calls]

    def texts(self) -> list[str]:
        """Return what the model reads of everything, oldest first: messages and whole objects."""
        return [text for tool, stored in self._calls for text in stored.texts(tool)]

    def estimate_tokens(self) -> int:
        """Estimate the tokens of all that was found, as a prompt would hold it."""
        return sum(map(_tokens, self.texts()))

    def to_llm_context(self, max_tokens: int = 10000) -> str:
        """Return what was found as prompt text: messages, and objects with their places.

        Over `max_tokens` the newest calls are kept, and of each call its first objects, its best;
        the text of an object is cut, a message is not.
        """
        kept: list[str] = []
        left = max_tokens
        for tool, stored in reversed(self._calls):
            texts: list[str] = []
            for text in stored.texts(tool):
                fits = _tokens(text) <= left
                if fits or texts or not kept:
                    texts.append(text if fits else text[: int(left * _CHARS_PER_TOKEN)])
                left = left - _tokens(text) if fits else 0
                if not left:
                    break
            kept[:0] = texts
            if not left:
                break
        return "\n".join(kept)


def _tokens(text: str) -> int:
    return int(len(text) / _CHARS_PER_TOKEN) + 1


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step of a turn, as the answer and `--debug` see it."""

    iteration: int
    tool: str
    reasoning: str
    inputs: Mapping[str, object]
    query: str
    results: int
    new_entries: int
    message: str
    seconds: float
    answers: bool = False
    confidence: Confidence = "high"


@dataclass
class TurnState:
    """The state that passes between the loop and the tools (the seeds' TreeData).

    `tasks_completed` are the seconds of each call of a tool, `errors` what its failures say to the
    next decision, `collection_names` what the library holds besides files (`JOURNAL`, `PAGES`).
    """

    question: Question
    library: Library
    settings: Settings
    history: tuple[Message, ...] = ()
    environment: Environment = field(default_factory=Environment)
    tasks_completed: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    collection_names: tuple[str, ...] = ()
    trace: list[TraceStep] = field(default_factory=list)
    scope: Scope = WHOLE  # nothing outside it is looked at

    @property
    def cited_before(self) -> tuple[str, ...]:
        """The files that the answer before cited, if the question leans on it."""
        return self.history[-1].files if self.history and self.question.leans_on else ()

    async def files(self) -> list[FileRecord]:
        """Return the files within the scope; for a period also those with entries in it."""
        files = await self.library.files()
        if not self.scope:
            return files
        entries = await self.library.entries() if self.scope.dated else ()
        dated = {entry.file for entry in entries if self.scope.holds(entry.file, entry.date)}
        filters = self.scope.filters()
        return [file for file in files if file.path in dated or passes(file, filters)]


In = TypeVar("In", bound=Inputs)


class Action(Generic[In]):
    """Something the agent can do. Subclasses set the class attributes and `__call__`."""

    name: ClassVar[str]
    inputs: type[In]

    def __call__(self, state: TurnState, inputs: In) -> AsyncIterator[Result | Error | Progress]:
        """Run it and yield what comes of it."""
        raise NotImplementedError


class Tool(Action[In]):
    """An action that a model may choose, too.

    `description` is a single line, as every token of a decision prompt costs time at each question.
    `available_when` is for the documentation. `end` marks the tool that ends a turn.
    """

    description: ClassVar[str]
    available_when: ClassVar[str] = "always"
    end: ClassVar[bool] = False

    def is_tool_available(self, state: TurnState) -> bool:
        """Return whether the tool can be chosen now."""
        return True

    def run_if_true(self, state: TurnState) -> In | None:
        """Return inputs to run with at once, without a decision; `None` to wait for one."""
        return None


AnyAction = Action[Any]
AnyTool = Tool[Any]
