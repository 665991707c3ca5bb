"""The tool `ask`: a whole turn of the local model over the files, with its citations."""

from __future__ import annotations

from collections.abc import Container
from datetime import date
from typing import Literal

from pydantic import BaseModel, Field

from manole.agent import events
from manole.agent.conversations.markdown import harmless
from manole.index.search.scope import Scope
from manole.serve.base import HistoryMessage
from manole.serve.open_library import TurnOptions
from manole.tools.base import Inputs
from manole.tools.objects import shorten
from manole_mcp.contents import scope_of
from manole_mcp.replies import Call, Cited, Offer, Reply
from manole_mcp.uris import cited

_QUOTED = {"n", "file", "page", "line", "quote"}  # of a source
_ENDED = {"answer", "confidence", "found", "outcome"}  # of a turn's end
_EVIDENCE = 900  # characters of a message about the evidence; set by hand


class AskInputs(Inputs):
    """`ask`: a question, and the files that its answer may come from."""

    question: str = Field(min_length=1, max_length=100_000, description="a question, in words")
    scope: str | tuple[str, ...] = Field(
        "", max_length=4096, description="only this folder or file, or only these"
    )
    since: date | None = Field(None, description="only what is dated on or after this day")
    until: date | None = Field(None, description="only what is dated on or before this day")
    history: tuple[HistoryMessage, ...] = Field((), max_length=100, description="what came before")
    today: date | None = Field(None, description='the day that "last month" counts from')


class CitedSource(Cited):
    """The source that an `[n]` of the answer points to; `quote` stands in the file."""

    n: int
    file: str
    page: int | None
    line: int | None
    quote: str


class AskOutputs(BaseModel):
    """An answer; `found` says whether the files hold it."""

    answer: str
    sources: list[CitedSource]
    confidence: Literal["high", "medium", "low"]
    found: bool
    outcome: events.Outcome


async def ask(call: Call, inputs: AskInputs) -> Reply:
    """Answer a question in one turn, and report its progress."""
    paths = await scope_of(call, inputs.scope)
    options = TurnOptions(scope=Scope.text(paths, inputs.since, inputs.until), today=inputs.today)
    history = [message.message() for message in inputs.history]
    writing = False

    async def report(event: events.Event) -> None:
        nonlocal writing
        if isinstance(event, events.Token):
            if not writing:
                await call.report("Writing the answer.")
            writing = True
        elif line := progress_line(event):
            await call.report(line)

    end = await call.opened.answer(
        inputs.question, on_event=report, client=call.client, history=history, options=options
    )
    files = await call.opened.library.files()
    return reply(end, {file.path for file in files if file.passages})


def reply(end: events.Complete, readable: Container[str]) -> Reply:
    """Return the end of a turn as text with its sources, and as data; link `readable` files.

    Programs show the text as Markdown, so it is made harmless; the data stays as it is.
    """
    used = [source for source in end.sources if source.cited]
    places = [cited(source.file, source.page, source.line) for source in used]
    sources = [CitedSource(**source.model_dump(include=_QUOTED)) for source in used]
    text = end.answer
    if sources:
        shown = [
            f"[{source.n}] {place.words}" + (f": “{source.quote}”" if source.quote else "")
            for source, place in zip(sources, places, strict=True)
        ]
        text += "\n\nSources:\n" + "\n".join(shown)
    if end.found and end.confidence != "high":
        text += f"\n\nConfidence: {end.confidence}."
    data = AskOutputs(**end.model_dump(include=_ENDED), sources=sources)
    return Reply(harmless(text), data, tuple(place for place in places if place.path in readable))


def progress_line(event: events.Event) -> str | None:
    """Return an event as a line for a person who waits; `None` for events of no interest."""
    match event:
        case events.Decision():
            inputs = ", ".join(f"{name}={value}" for name, value in event.inputs.items())
            return shorten(f"{event.tool}({inputs})")
        case events.EvidenceEvent():
            return shorten("Found: " + "; ".join(map(quoted, event.extracts)), _EVIDENCE)
        case events.StatusEvent(debug=True):
            return None
        case (
            events.StatusEvent()
            | events.ResultEvent()
            | events.ErrorEvent()
            | events.ChoicesEvent()
        ):
            return shorten(event.message)
    return None


def quoted(extract: events.Extract) -> str:
    """Return an extract's deciding words, and their place."""
    words = " … ".join(extract.text[start:end] for start, end in extract.marks)
    return f"“{shorten(words, 200)}” ({cited(extract.file, extract.page, extract.line).words})"


OFFER = Offer(
    "ask",
    "Ask the files",
    "Answer a question from the user's files with a small local model; the answer cites its "
    "sources as [n]. Takes seconds to a minute. For mere look-ups search and read are quicker.",
    AskInputs,
    AskOutputs,
    ask,
)
