"""Models: what they cost, and fetching and removing them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from fastapi import Path as InPath
from pydantic import Field

from manole.errors import UsageError
from manole.serve.base import Sent
from manole.serve.http.depends import LOCAL_ONLY, REFUSED, ServiceDep
from manole.serve.http.description import responses
from manole.serve.http.errors import StillUsedError, not_found
from manole.serve.model_manager import WeightsItem

router = APIRouter(prefix="/models", tags=["models"])

Model = Annotated[str, InPath(pattern=r"^[\w.-]+$", description="a name of GET /models")]


class WeightsList(Sent):
    """The models, and the room for more."""

    models: list[WeightsItem]
    free_bytes: int = Field(description="of the disk that models are kept on")


@router.get("", summary="List the models")
async def list_weights(service: ServiceDep) -> WeightsList:
    """List the models, what fetching each costs, and which are in use. Fetches nothing."""
    found = await service.models.models(service.settings)
    return WeightsList(models=found, free_bytes=await service.models.free_bytes())


@router.post(
    "/{name}/fetch", summary="Fetch a model", status_code=202,
    dependencies=LOCAL_ONLY, responses=REFUSED | responses(404),
)  # fmt: skip
async def fetch_weights(service: ServiceDep, name: Model) -> WeightsItem:
    """Begin to fetch a model, or join the fetch under way; it goes on when the client leaves.

    Files are verified before they are used. A fetch that was stopped goes on from there.
    """
    with not_found():
        return await service.models.fetch(name, service.settings)


@router.delete(
    "/{name}/fetch", summary="Stop fetching a model", status_code=202,
    dependencies=LOCAL_ONLY, responses=REFUSED | responses(404),
)  # fmt: skip
async def stop_fetch(service: ServiceDep, name: Model) -> WeightsItem:
    """Stop a fetch that a page began; what has arrived is kept."""
    with not_found():
        return await service.models.stop(name, service.settings)


@router.delete(
    "/{name}", summary="Remove a model", status_code=204,
    dependencies=LOCAL_ONLY, responses=REFUSED | responses(404, 409),
)  # fmt: skip
async def remove_weights(service: ServiceDep, name: Model) -> None:
    """Delete a model from this machine; it can be fetched again. A model in use stays."""
    with not_found():
        service.models.check(name)
    try:
        await service.models.remove(name, service.settings)
    except UsageError as error:
        raise StillUsedError(error.message, error.hint) from None
