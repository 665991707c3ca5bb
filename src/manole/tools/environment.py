"""The state that tools share during one turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TypeVar

from manole.index.search.hybrid import passes
from manole.index.search.scope import WHOLE, Scope
from manole.index.store.records import FileRecord
from manole.library import Library
from manole.models.chat.protocol import Message
from manole.settings import Settings
from manole.tools.base import Confidence, Result
from manole.tools.objects import Found

T = TypeVar("T", bound=Found)

# A token is about 3.5 characters of English in the models' vocabularies.
_CHARS_PER_TOKEN = 3.5


@dataclass(frozen=True, slots=True)
class Stored:
    """What one call of a tool found that was new."""

    objects: Sequence[Found]
    metadata: Mapping[str, object]


@dataclass
class Hidden:
    """What tools leave for each other, and no prompt shall see."""

    ranking: Sequence[str] = ()  # ids of what the last search found, best first
    anchored: tuple[str, ...] = ()  # files that an identifier in the question led to
    summary: str = ""  # what stands in for the messages


class Environment:
    """Everything the tools have found: `environment[tool][name]`, one entry a call.

    An object that is already there (same `id`) is not stored twice.
    """

    def __init__(self) -> None:
        self.environment: dict[str, dict[str, list[Stored]]] = {}
        self.hidden_environment = Hidden()
        self._messages: list[tuple[str, str]] = []
        self._seen: set[str] = set()

    def add(self, tool_name: str, result: Result) -> int:
        """Store a result. Returns how many of its objects are new."""
        new = [found for found in result.objects if not found.id or found.id not in self._seen]
        self._seen |= {found.id for found in new}
        stored = Stored(new, result.metadata)
        self.environment.setdefault(tool_name, {}).setdefault(result.name, []).append(stored)
        self._messages.append((tool_name, result.message))
        return len(new)

    def find(self, tool_name: str, name: str | None = None) -> list[Stored]:
        """What a tool found, or what it found under one name, oldest first."""
        named = self.environment.get(tool_name, {})
        if name is not None:
            return named.get(name, [])
        return [stored for calls in named.values() for stored in calls]

    def objects(self, kind: type[T]) -> Iterator[T]:
        """Every object of a kind, oldest first."""
        for tool in self.environment:
            for stored in self.find(tool):
                for found in stored.objects:
                    if isinstance(found, kind):
                        yield found

    @property
    def messages(self) -> list[tuple[str, str]]:
        """`(tool, message)` of every result, oldest first."""
        return list(self._messages)

    def summarized(self, summary: str) -> None:
        """Put a summary in place of all messages; it is kept hidden, too. The objects stay."""
        self.hidden_environment.summary = summary
        self._messages = [("summarize", summary)]

    def estimate_tokens(self) -> int:
        """About how many tokens the messages would take in a prompt."""
        return int(sum(len(m) for _, m in self._messages) / _CHARS_PER_TOKEN)

    def to_llm_context(
        self, max_tokens: int = 10000, count: Callable[[str], int] | None = None
    ) -> str:
        """The messages as prompt text, newest kept when they exceed `max_tokens`."""
        counter = count or (lambda text: int(len(text) / _CHARS_PER_TOKEN) + 1)
        kept: list[str] = []
        left = max_tokens
        for tool, message in reversed(self._messages):
            line = f"{tool}: {message}"
            cost = counter(line)
            if cost > left:
                if not kept:
                    kept.append(line[: int(left * _CHARS_PER_TOKEN)])
                break
            kept.append(line)
            left -= cost
        return "\n".join(reversed(kept))


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step of a turn, as the synthesizer and `--debug` see it."""

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
    """All state that passes between the loop and the tools."""

    question: str
    library: Library
    settings: Settings
    today: date
    history: tuple[Message, ...] = ()
    environment: Environment = field(default_factory=Environment)
    tasks_completed: dict[str, list[float]] = field(default_factory=dict)  # tool -> seconds
    errors: list[str] = field(default_factory=list)
    collections: tuple[str, ...] = ()
    trace: list[TraceStep] = field(default_factory=list)
    scope: Scope = WHOLE  # nothing outside it is looked at

    async def files(self) -> list[FileRecord]:
        """The library's files within the scope; of a period also those with entries of it."""
        files = await self.library.files()
        if not self.scope:
            return files
        entries = await self.library.entries() if self.scope.dated else ()
        told = {entry.file for entry in entries if self.scope.holds(entry.file, entry.date)}
        filters = self.scope.filters()
        return [file for file in files if file.path in told or passes(file, filters)]
