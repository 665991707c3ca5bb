"""Health check."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import Field

from manole import __version__
from manole.serve.base import Sent
from manole.serve.http.depends import ServiceDep

router = APIRouter(tags=["health"])


class ModelState(Sent):
    """The chat model: its setting, and whether it is in memory."""

    name: str = Field(examples=["auto"])
    loaded: bool


class QueueState(Sent):
    """The number of questions under way (`turns`), of those that wait, and the limit of all.

    `at_once` is how many of them a model answers at the same time.
    """

    turns: int
    waiting: int
    limit: int
    at_once: int


class Health(Sent):
    """The state of the server, and how busy it is."""

    status: Literal["ok"] = "ok"
    version: str
    library: str | None
    model: ModelState
    queue: QueueState


@router.get("/health", summary="Whether it runs, and how busy it is")
async def health(service: ServiceDep) -> Health:
    """Return the version, whether the model is in memory, and the queue."""
    settings, queue = service.settings, service.queue
    loaded = service.loader.loaded if service.loader else True
    return Health(
        version=__version__,
        library=service.default.name if service.default else None,
        model=ModelState(name=settings.model.name, loaded=loaded),
        queue=QueueState(
            turns=queue.turns,
            waiting=queue.waiting,
            limit=queue.limit,
            at_once=queue.at_once,
        ),
    )
