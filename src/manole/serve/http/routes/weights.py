"""Models: what they cost, fetching them in the background, and stopping that."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from fastapi import Path as InPath

from manole.errors import UsageError
from manole.serve.http.depends import ServiceDep
from manole.serve.http.description import responses
from manole.serve.http.errors import StillUsedError, not_found
from manole.serve.http.local_only import LOCAL_ONLY, REFUSED
from manole.serve.http.weights_models import WeightsItem, WeightsList

router = APIRouter(prefix="/models", tags=["models"])

Model = Annotated[str, InPath(pattern=r"^[\w.-]+$", description="a name of GET /models")]


@router.get("", summary="List the models")
async def list_weights(service: ServiceDep) -> WeightsList:
    """Which models there are, what fetching each means, and which are in use. Fetches nothing."""
    found = await service.models.models(service.settings)
    return WeightsList(
        models=[WeightsItem.model_validate(item) for item in found],
        free_bytes=await service.models.free_bytes(),
    )


@router.post(
    "/{name}/fetch", summary="Fetch a model", status_code=202,
    dependencies=LOCAL_ONLY, responses=REFUSED | responses(404),
)  # fmt: skip
async def fetch_weights(service: ServiceDep, name: Model) -> WeightsItem:
    """Begin to fetch a model, or join the fetch that is under way; it goes on by itself.

    What arrives is verified before it is used. A fetch that was stopped goes on where it was.
    """
    with not_found():
        return WeightsItem.model_validate(await service.models.fetch(name, service.settings))


@router.delete(
    "/{name}/fetch", summary="Stop fetching a model", status_code=202,
    dependencies=LOCAL_ONLY, responses=REFUSED | responses(404),
)  # fmt: skip
async def stop_fetch(service: ServiceDep, name: Model) -> WeightsItem:
    """Stop a fetch that a page began; what has arrived is kept."""
    with not_found():
        return WeightsItem.model_validate(await service.models.stop(name, service.settings))


@router.delete(
    "/{name}", summary="Remove a model", status_code=204,
    dependencies=LOCAL_ONLY, responses=REFUSED | responses(404, 409),
)  # fmt: skip
async def remove_weights(service: ServiceDep, name: Model) -> None:
    """Delete it from this machine; it can be fetched again. One that is in use stays."""
    with not_found():
        service.models.check(name)
    try:
        await service.models.remove(name, service.settings)
    except UsageError as error:
        raise StillUsedError(error.message, error.hint) from None
