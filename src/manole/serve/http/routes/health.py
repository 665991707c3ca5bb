"""Health check."""

from __future__ import annotations

from fastapi import APIRouter

from manole import __version__
from manole.serve.http.depends import ServiceDep
from manole.serve.http.models import Health, ModelState, QueueState

router = APIRouter(tags=["health"])


@router.get("/health", summary="Whether it runs, and how busy it is")
async def health(service: ServiceDep) -> Health:
    """The version, whether the model is in memory, and the queue."""
    settings, queue = service.settings, service.queue
    loaded = service.loader.loaded if service.loader else True
    return Health(
        version=__version__,
        library=service.default.name if service.default else None,
        model=ModelState(name=settings.model.name, loaded=loaded),
        queue=QueueState(
            turns=queue.turns,
            waiting=queue.waiting,
            limit=settings.serve.queue,
            at_once=queue.at_once,
        ),
    )
