"""Requests that ask a question, and the answer, with their examples.

The service itself checks questions; their `pattern` is part of the description only.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, ConfigDict, Field, RootModel

from manole.agent.events import Event, Outcome, Source
from manole.index.search.scope import MOST, Scope
from manole.serve.base import Asked, HistoryMessage, Sent, Spoken
from manole.settings import Strategy

Iterations = Annotated[int, Field(ge=1, le=20)]
ID = r"^[A-Za-z0-9_-]{1,64}$"
WORDS: dict[str, Any] = {"minLength": 1, "pattern": r"[^\W_]"}
_Place = Annotated[str, Field(max_length=1000)]


class Scoped(Asked):
    """The part of a library that a question is about."""

    scope: _Place | Annotated[list[_Place], Field(max_length=MOST)] | None = Field(
        None, description="only this folder or file of the library, or only these"
    )
    since: date | None = Field(None, description="only what is dated on or after this day")
    until: date | None = Field(None, description="only what is dated on or before this day")

    @property
    def within(self) -> str | None:
        """The scope as text. Raises `UsageError`."""
        return Scope.text(self.scope, self.since, self.until)


class Question(Scoped):
    """The fields that every question may have."""

    library: str | None = Field(
        None, pattern=r"^[\w-]+$", description="a name of GET /libraries; else the first"
    )
    conversation: str | None = Field(
        None, pattern=ID, description="keep the turn there, and read what came before"
    )
    max_iterations: Iterations | None = Field(
        None, description="tool calls the turn may make; else as set"
    )
    led_by: Literal["code", "model"] | None = Field(
        None, description="who chooses the searches of a journal; else as set"
    )
    history: list[HistoryMessage] = Field([], max_length=100, description="oldest first")
    today: date | None = Field(
        None, description='the day that "last month" counts from; else today'
    )


class SearchRequest(Question):
    """A question (`query` or `question`), and how to answer it."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"query": "When does the rental contract end?"}]}
    )

    query: str = Field(
        validation_alias=AliasChoices("query", "question"),
        description="what you want to know",
        json_schema_extra=WORDS,
    )
    strategy: Strategy | None = Field(None, description="how the answer is made; else as set")
    thorough: bool | None = Field(None, description="let the model read what rules cannot")


class ChatRequest(Question):
    """A message (`message` or `query`), with the messages before it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "message": "And who holds it?",
                    "history": [
                        {"role": "user", "content": "How high is the deposit?"},
                        {"role": "assistant", "content": "3,540.00 euros [1]."},
                    ],
                    "use_agent": True,
                }
            ]
        }
    )

    message: str = Field(
        validation_alias=AliasChoices("message", "query"),
        description="what you want to know",
        json_schema_extra=WORDS,
    )
    use_agent: bool = Field(False, description="search in steps; else one search, one answer")


class TraceEntry(Sent):
    """One step of the search. `query` is its words, and the days of a range."""

    iteration: int
    tool: str
    reasoning: Spoken
    query: str | None = None
    inputs: dict[str, Any] = Field(default_factory=dict)
    results_count: int = 0
    new_entries_added: int = 0


class ChatResponse(Sent):
    """An answer, its sources, and how it was found."""

    response: str = Field(examples=["The contract ends on 30 June 2026 [1]."])
    found: bool = Field(True, description="false: the files do not say it")
    outcome: Outcome = "answered"
    sources: list[Source]
    confidence: Literal["high", "medium", "low"]
    search_trace: list[TraceEntry]


class EventLine(RootModel[Event]):
    """A line of a stream; the last one is `complete`."""
