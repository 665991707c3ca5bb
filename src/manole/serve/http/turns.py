"""From a turn's events to what is sent: a line each, or one answer with its trace."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

from manole.agent.events import Complete, Decision, Event, ResultEvent
from manole.errors import ManoleError
from manole.serve.http.live import Lines
from manole.serve.http.models import ChatResponse, TraceEntry
from manole.serve.http.spoken import told
from manole.serve.turns import failed


async def ndjson(events: AsyncIterator[Event]) -> Lines:
    """Each event as a line of JSON."""
    async with aclosing(events) as stream:  # type: ignore[type-var]  # a generator
        async for event in stream:
            yield line(event)


def line(event: Event) -> bytes:
    """One event as a line of JSON, in the language that was asked for."""
    return told(event).model_dump_json().encode() + b"\n"


def broken_off(error: ManoleError) -> bytes:
    """Return the lines that end a failed stream: the error, and an empty `complete`."""
    return b"".join(map(line, failed(error)))


async def answered(events: AsyncIterator[Event]) -> ChatResponse:
    """Return the whole turn as one answer, its decisions and results as `search_trace`."""
    end = Complete(answer="")
    entries: list[TraceEntry] = []
    seen: set[str] = set()
    async with aclosing(events) as stream:  # type: ignore[type-var]  # a generator
        async for event in stream:
            if isinstance(event, Decision):
                query = event.inputs.get("query")
                entry = TraceEntry(
                    iteration=event.step,
                    tool=event.tool,
                    reasoning=event.reasoning,
                    query=str(query) if query else None,
                )
                entries.append(entry)
            elif isinstance(event, ResultEvent) and entries:
                names = {str(found["id"]) for found in event.objects if "id" in found}
                entries[-1].results_count += len(event.objects)
                entries[-1].new_entries_added += len(names - seen)
                seen |= names
            elif isinstance(event, Complete):
                end = event
    return ChatResponse(
        response=end.answer,
        found=end.found,
        outcome=end.outcome,
        sources=end.sources,
        confidence=end.confidence,
        search_trace=entries,
    )
