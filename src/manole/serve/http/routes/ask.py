"""Questions: `/agentic_search` and the `/journal_chat` family."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request

from manole.agent.events import Event
from manole.serve.http.depends import ServiceDep, client_of, library_to_ask
from manole.serve.http.description import responses
from manole.serve.http.live import LiveResponse, unless_gone
from manole.serve.http.models import ChatRequest, ChatResponse, EventLine, Question, SearchRequest
from manole.serve.http.turns import answered, broken_off, ndjson
from manole.serve.open_library import TurnOptions

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
    """The events of one turn as NDJSON. Closing the connection stops the turn."""
    opened = await library_to_ask(service, asked)
    events = opened.ask(asked.query, **how(asked, request, asked.strategy, asked.thorough))
    return LiveResponse(ndjson(events), broken_off, request.app.state.closing)


def how(
    asked: Question, request: Request, strategy: str | None, thorough: bool | None = None
) -> dict[str, Any]:
    """Return what `OpenLibrary.ask` and `OpenLibrary.begin` take besides the question."""
    return {
        "client": client_of(request),
        "conversation": asked.conversation,
        "history": [said.message() for said in asked.history],
        "options": TurnOptions(
            scope=asked.within,
            strategy=strategy,
            max_iterations=asked.max_iterations,
            thorough=thorough,
            today=asked.today,
        ),
    }


@router.post("/journal_chat", summary="Ask, and get the whole answer")
async def journal_chat(asked: ChatRequest, request: Request, service: ServiceDep) -> ChatResponse:
    """One search and one answer; with `use_agent`, a search in steps."""
    if asked.use_agent:
        return await journal_chat_agent(asked, request, service)
    opened = await library_to_ask(service, asked)
    events = opened.ask(asked.message, **how(asked, request, "simple"))
    return await unless_gone(request, answered(events))


@router.post("/journal_chat_agent", summary="Ask, and get the whole answer of a search in steps")
async def journal_chat_agent(
    asked: ChatRequest, request: Request, service: ServiceDep
) -> ChatResponse:
    """As `/journal_chat` with `use_agent`."""
    return await unless_gone(request, answered(await _in_steps(asked, request, service)))


@router.post(
    "/journal_chat_agent/stream",
    summary="Ask with a history, and read each step as it happens",
    response_class=LiveResponse,
    responses=STREAM,
)
async def journal_chat_agent_stream(
    asked: ChatRequest, request: Request, service: ServiceDep
) -> LiveResponse:
    """As `/agentic_search`, for a message with its history."""
    events = await _in_steps(asked, request, service)
    return LiveResponse(ndjson(events), broken_off, request.app.state.closing)


async def _in_steps(
    asked: ChatRequest, request: Request, service: ServiceDep
) -> AsyncIterator[Event]:
    """Ask with the journal's searches where the library holds entries, else the agent's loop."""
    opened = await library_to_ask(service, asked)
    strategy = "journal" if await opened.library.entries() else "agent"
    return opened.ask(asked.message, **how(asked, request, strategy))
