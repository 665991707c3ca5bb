"""Questions: `/agentic_search` and the `/journal_chat` family."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import date
from typing import Any

from fastapi import APIRouter, Request

from manole.agent.events import Complete, Decision, Event, ResultEvent
from manole.agent.journal import asks_journal
from manole.agent.turn import query_of
from manole.errors import ConversationError, ManoleError, UnknownConversationError
from manole.index.search.scope import Scope
from manole.serve.base import translated
from manole.serve.http.depends import ServiceDep, client_of, indexed_library
from manole.serve.http.description import responses
from manole.serve.http.live import Lines, LiveResponse, unless_gone
from manole.serve.http.questions import (
    ChatRequest,
    ChatResponse,
    EventLine,
    Question,
    SearchRequest,
    TraceEntry,
)
from manole.serve.open_library import OpenLibrary, TurnOptions
from manole.serve.service import Service
from manole.serve.turns import failed
from manole.text.question import Question as Asked

router = APIRouter(tags=["ask"], responses=responses(400, 404, 409, 503))

_EXAMPLE = (
    '{"type":"decision","step":1,"tool":"query","reasoning":"a count was asked for"}\n'
    '{"type":"token","content":"21 files: ..."}\n'
    '{"type":"complete","version":1,"answer":"21 files: ...","found":true}\n'
)
STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "model": EventLine,
        "description": "One event a line as it happens; the last is `complete`. An error after "
        "the beginning is an `error` event.",
        "content": {"application/x-ndjson": {"example": _EXAMPLE}},
    }
}


@router.post(
    "/agentic_search",
    summary="Ask, and read each step as it happens",
    response_class=LiveResponse,
    responses=STREAM,
)
async def agentic_search(
    asked: SearchRequest, request: Request, service: ServiceDep
) -> LiveResponse:
    """Stream the events of one turn as NDJSON. Closing the connection stops the turn."""
    opened = await library_to_ask(service, asked)
    events = opened.ask(asked.query, **how(asked, request, asked.strategy, asked.thorough))
    return LiveResponse(_ndjson(events), _broken_off, request.app.state.closing)


def how(
    asked: Question, request: Request, strategy: str | None, thorough: bool | None = None
) -> dict[str, Any]:
    """Return what `OpenLibrary.ask` and `OpenLibrary.begin` take besides the question."""
    return {
        "client": client_of(request),
        "conversation": asked.conversation,
        "history": [message.message() for message in asked.history],
        "options": TurnOptions(
            scope=asked.within,
            strategy=strategy,
            led_by=asked.led_by,
            max_iterations=asked.max_iterations,
            thorough=thorough,
            today=asked.today,
        ),
    }


@router.post("/journal_chat", summary="Ask, and get the whole answer")
async def journal_chat(asked: ChatRequest, request: Request, service: ServiceDep) -> ChatResponse:
    """Answer after one search; with `use_agent`, after a search in steps."""
    if asked.use_agent:
        return await journal_chat_agent(asked, request, service)
    opened = await library_to_ask(service, asked)
    events = opened.ask(asked.message, **how(asked, request, "simple"))
    return await unless_gone(request, _answered(events))


@router.post("/journal_chat_agent", summary="Ask, and get the whole answer of a search in steps")
async def journal_chat_agent(
    asked: ChatRequest, request: Request, service: ServiceDep
) -> ChatResponse:
    """Answer as `/journal_chat` does with `use_agent`."""
    return await unless_gone(request, _answered(await _in_steps(asked, request, service)))


@router.post(
    "/journal_chat_agent/stream",
    summary="Ask with a history, and read each step as it happens",
    response_class=LiveResponse,
    responses=STREAM,
)
async def journal_chat_agent_stream(
    asked: ChatRequest, request: Request, service: ServiceDep
) -> LiveResponse:
    """Stream as `/agentic_search` does, for a message with its history."""
    events = await _in_steps(asked, request, service)
    return LiveResponse(_ndjson(events), _broken_off, request.app.state.closing)


async def _in_steps(
    asked: ChatRequest, request: Request, service: ServiceDep
) -> AsyncIterator[Event]:
    """Ask with the journal's searches where the question is one for it, else the agent's loop."""
    opened = await library_to_ask(service, asked)
    question = Asked(asked.message, asked.today or date.today())
    for_journal = await asks_journal(opened.library, question, Scope.parse(asked.within))
    strategy = "journal" if for_journal else "agent"
    return opened.ask(asked.message, **how(asked, request, strategy))


async def library_to_ask(service: Service, asked: SearchRequest | ChatRequest) -> OpenLibrary:
    """Return the library of a question that can be answered now.

    Everything that can be refused is refused here, so that it gets a status before a stream begins.
    Raises `NotFoundError`, `LibraryError`, `UnknownConversationError`, `BusyError`.
    """
    opened = await indexed_library(service, asked.library)
    if asked.conversation is not None:
        try:
            await asyncio.to_thread(opened.conversations.get, asked.conversation)
        except UnknownConversationError:
            raise
        except ConversationError:
            pass  # the turn reports it, and answers
    service.queue.check()
    return opened


async def _ndjson(events: AsyncIterator[Event]) -> Lines:
    """Yield each event as a line of JSON."""
    async with aclosing(events) as stream:  # type: ignore[type-var]  # a generator
        async for event in stream:
            yield line(event)


def line(event: Event) -> bytes:
    """Return an event as a line of JSON, in the language of the request."""
    return translated(event).model_dump_json().encode() + b"\n"


def _broken_off(error: ManoleError) -> bytes:
    """Return the lines that end a failed stream: the error, and an empty `complete`."""
    return b"".join(map(line, failed(error)))


async def _answered(events: AsyncIterator[Event]) -> ChatResponse:
    """Return a whole turn as one answer, its decisions and results as `search_trace`."""
    end = Complete(answer="")
    entries: list[TraceEntry] = []
    seen: set[str] = set()
    async with aclosing(events) as stream:  # type: ignore[type-var]  # a generator
        async for event in stream:
            if isinstance(event, Decision):
                entry = TraceEntry(
                    iteration=event.step,
                    tool=event.tool,
                    reasoning=event.reasoning,
                    query=query_of(event.inputs) or None,
                    inputs=event.inputs,
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
