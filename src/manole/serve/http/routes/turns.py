"""Questions as jobs of the server: begin, follow from any event on, stop."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi import Path as InPath
from pydantic import BeforeValidator

from manole.errors import ManoleError
from manole.serve.base import Sent
from manole.serve.http.depends import LibraryName, ServiceDep
from manole.serve.http.description import responses
from manole.serve.http.errors import NotFoundError
from manole.serve.http.live import Lines, LiveResponse
from manole.serve.http.questions import SearchRequest
from manole.serve.http.routes.ask import STREAM, how, library_to_ask, line
from manole.serve.service import Service
from manole.serve.turns import TurnJob

router = APIRouter(prefix="/turns", tags=["ask"], responses=responses(404))

Id = Annotated[str, InPath(pattern="^[0-9a-f]{16}$", description="the turn's id")]


class TurnState(Sent):
    """A question that is being answered, or just was. `events` is their number so far."""

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


@router.post("", summary="Ask, and leave", status_code=202, responses=responses(400, 409, 503))
async def begin_turn(asked: SearchRequest, request: Request, service: ServiceDep) -> TurnState:
    """Begin to answer a question. The turn goes on whether or not anybody reads its events."""
    opened = await library_to_ask(service, asked)
    job = opened.begin(asked.query, **how(asked, request, asked.strategy, asked.thorough))
    return TurnState.model_validate(job)


@router.get("", summary="What is being answered, and was just now")
async def list_turns(service: ServiceDep, library: LibraryName = None) -> TurnList:
    """List running turns and the last that ended, oldest first."""
    found = [job for job in service.turns.known if library in (None, job.library)]
    return TurnList(turns=[TurnState.model_validate(job) for job in found])


@router.get(
    "/{id}/events",
    summary="Read a turn's events, from any of them on",
    response_class=LiveResponse,
    responses=STREAM,
)
async def follow_turn(
    id: Id,
    request: Request,
    service: ServiceDep,
    after: Annotated[int, Query(ge=0, description="how many events are known already")] = 0,
) -> LiveResponse:
    """Stream the events behind the first `after` as NDJSON, as they come, to the turn's end.

    A turn that has ended can be read for a while; its conversation keeps its events.
    """
    lines = _lines(_known(service, id), after)
    return LiveResponse(lines, _unfinished, request.app.state.closing)


@router.delete("/{id}", summary="Stop a turn", status_code=204)
async def stop_turn(id: Id, service: ServiceDep) -> None:
    """Stop a turn, the model's call included. Its events so far are kept."""
    await _known(service, id).stop()


def _unfinished(_: ManoleError) -> bytes:
    """Return no last line for a broken stream: its reader asks again for the rest."""
    return b""


async def _lines(job: TurnJob, after: int) -> Lines:
    async for event in job.follow(after):
        yield line(event)


def _known(service: Service, id: str) -> TurnJob:
    if (job := service.turns.get(id)) is None:
        raise NotFoundError(
            f"There is no turn {id}, or no longer.",
            "GET /libraries/{name}/conversations/{id} has those that were kept.",
        )
    return job
