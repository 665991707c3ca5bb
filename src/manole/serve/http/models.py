"""Requests and responses of the HTTP interface, with their examples.

Unknown fields are refused, so that a misspelt one is noticed. Questions are checked by the service
itself; `pattern` stands in the description only.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    RootModel,
)

from manole.agent.events import Event, Outcome, Source
from manole.index.search.scope import MOST, Scope
from manole.models.chat.protocol import Message
from manole.serve.http.base import Asked, Sent
from manole.serve.http.spoken import Reasoned, Spoken, told, told_report
from manole.settings import Strategy

Iterations = Annotated[int, Field(ge=1, le=20)]
ID = r"^[A-Za-z0-9_-]{1,64}$"

_WORDS: dict[str, Any] = {"minLength": 1, "pattern": r"[^\W_]"}
_Place = Annotated[str, Field(max_length=1000)]


class Scoped(Asked):
    """The part of a library that is asked."""

    scope: _Place | Annotated[list[_Place], Field(max_length=MOST)] | None = Field(
        None, description="only this folder or file of the library, or only these"
    )
    since: date | None = Field(None, description="only what is dated on or after this day")
    until: date | None = Field(None, description="only what is dated on or before this day")

    @property
    def within(self) -> str | None:
        """The scope as text. Raises `UsageError`."""
        return Scope.text(self.scope, self.since, self.until)


class HistoryMessage(Asked):
    """Something that was said before."""

    role: Literal["user", "assistant"]
    content: str = Field(max_length=20_000)

    def message(self) -> Message:
        """Return the message as the agent reads it."""
        return Message(self.role, self.content)


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
    history: list[HistoryMessage] = Field([], max_length=100, description="oldest first")
    today: date | None = Field(
        None, description='the day that "last month" counts from; else today'
    )


class SearchRequest(Question):
    """A question (`query`; `question` is the same) and how it is to be answered."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"query": "When does the rental contract end?"}]}
    )

    query: str = Field(
        validation_alias=AliasChoices("query", "question"),
        description="what you want to know",
        json_schema_extra=_WORDS,
    )
    strategy: Strategy | None = Field(None, description="how the answer is made; else as set")
    thorough: bool | None = Field(None, description="let the model read what rules cannot")


class ChatRequest(Question):
    """A message (`message`; `query` is the same) with what was said before."""

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
        json_schema_extra=_WORDS,
    )
    use_agent: bool = Field(False, description="search in steps; else one search, one answer")


class TraceEntry(Sent):
    """One step of the search."""

    iteration: int
    tool: str
    reasoning: Spoken
    query: str | None = None
    results_count: int = 0
    new_entries_added: int = 0


class ChatResponse(Sent):
    """An answer, what it stands on, and how it was found."""

    response: str = Field(examples=["The contract ends on 30 June 2026 [1]."])
    found: bool = Field(True, description="false: the files do not say it")
    outcome: Outcome = "answered"
    sources: list[Source]
    confidence: Literal["high", "medium", "low"]
    search_trace: list[TraceEntry]


class EventLine(RootModel[Event]):
    """A line of a stream; the last one is `complete`."""


class Found(Sent):
    """A passage that fits."""

    file: str = Field(examples=["home/rental-contract.pdf"])
    page: int | None = None
    line: int | None = None
    line_end: int | None = None
    score: float = Field(description="how well it fits, 0 to 1")
    text: str
    also: list[str] = Field(description="other files that hold the same text")
    title: str | None = None
    date: str | None = Field(None, description="the document's own date")
    modified: str = Field(description="when the file was changed")
    format: str | None = Field(None, examples=["pdf"])
    snippet: str = Field(description="the sentences that fit, 300 characters at most")
    marks: list[tuple[int, int]] = Field(
        description="the query's words in the snippet: first character, and one after the last"
    )


class SearchResults(Sent):
    """Passages, the best first, or those with the latest date."""

    results: list[Found]


class FoundLine(Sent):
    """A line that made a page fit."""

    text: str
    box: list[float] = Field(
        description="left, top, right, bottom as parts of the page",
        min_length=4,
        max_length=4,
        examples=[[0.1, 0.32, 0.41, 0.34]],
    )
    similarity: float


class FoundPage(Sent):
    """A page, or a picture (then without a number), that fits."""

    file: str = Field(examples=["home/boiler-thermaro-b24-manual.pdf"])
    page: int | None = None
    score: float = Field(description="how well it fits, 0 to 1")
    lines: list[FoundLine]


class PageResults(Sent):
    """Pages, the best first."""

    results: list[FoundPage]


class LibraryItem(Sent):
    """A library that has an index, or is open."""

    name: str = Field(examples=["household-1f3a9c04"])
    title: str | None = Field(None, description="what a person calls it")
    roots: list[str]
    files: int = 0
    passages: int = 0
    updated: str | None = None
    problem: Spoken | None = None
    default: bool = Field(False, description="used where a request names none")
    exclude: list[str] = Field([], description="patterns of what is left out")
    indexed: bool = Field(False, description="a sync has come to its end")


class LibraryList(Sent):
    """The libraries that may be asked."""

    libraries: list[LibraryItem]


class FileItem(Reasoned):
    """A file, its status and what is known of it."""

    file: str
    root: str
    status: Literal["indexed", "partial", "skipped", "failed"]
    format: str | None = None
    title: str | None = None
    date: str | None = None
    modified: str
    size: int
    pages: int
    passages: int


class FileList(Sent):
    """A part of the list of files; `total` is how many there are in all."""

    library: str
    total: int
    files: list[FileItem]


class LibraryStatus(FileList):
    """The files of a library counted by what became of them, and a part of their list."""

    counts: dict[str, int] = Field(examples=[{"indexed": 53, "skipped": 5}])
    passages: int


class SyncProgress(Sent):
    """The progress of a sync."""

    stage: str
    done: int
    total: int | None
    rate: float
    eta_s: float | None
    current: str | None


class SyncState(Sent):
    """The last sync of this server; `idle` when there was none."""

    library: str
    state: Literal["idle", "running", "done", "failed", "cancelled"]
    progress: SyncProgress | None = None
    report: Annotated[dict[str, Any] | None, PlainSerializer(told_report)] = None
    error: Spoken | None = None
    would_drop: bool = Field(
        False, description="it failed since most files are gone; `yes=true` lets them go"
    )


class ModelState(Sent):
    """The chat model: its setting, and whether it is in memory."""

    name: str = Field(examples=["auto"])
    loaded: bool


class QueueState(Sent):
    """Questions under way (`turns`), those of them that wait, and how many may be in all.

    `at_once` is how many of them a model answers at the same time.
    """

    turns: int
    waiting: int
    limit: int
    at_once: int


class Health(Sent):
    """That the server runs, and how busy it is."""

    status: Literal["ok"] = "ok"
    version: str
    library: str | None
    model: ModelState
    queue: QueueState


class NewConversation(Asked):
    """A conversation to begin; its title is made from the first question where none is given."""

    title: str | None = Field(None, max_length=200, json_schema_extra=_WORDS)


class Renamed(Asked):
    """A conversation's new title."""

    title: str = Field(max_length=200, examples=["The deposit"], json_schema_extra=_WORDS)


class ConversationItem(Sent):
    """A conversation without its turns."""

    id: str
    title: str
    created: datetime
    updated: datetime
    turns: int


class ConversationList(Sent):
    """Conversations, the latest first."""

    conversations: list[ConversationItem]


class TurnItem(Sent):
    """A question and every event of its answer."""

    n: int
    question: str
    scope: str | None
    asked: datetime
    events: list[Annotated[Event, AfterValidator(told)]]
    rating: Literal["up", "down"] | None = None
    comment: str | None = None


class TurnState(Sent):
    """A question that is being answered, or was just now. `events`: how many there are so far."""

    id: str
    library: str
    conversation: str | None
    question: str
    scope: str | None
    asked: datetime
    state: Literal["running", "done", "stopped"]
    events: Annotated[int, BeforeValidator(len)]


class TurnList(Sent):
    """Turns that go on, and some that ended."""

    turns: list[TurnState]


class WholeConversation(Sent):
    """A conversation with its turns."""

    conversation: ConversationItem
    turns: list[TurnItem]


class Feedback(Asked):
    """A person's rating of an answer; null takes an earlier one back."""

    rating: Literal["up", "down"] | None
    comment: str | None = Field(None, max_length=2000)
