"""Models: what they cost, and fetching and removing them."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter
from fastapi import Path as InPath
from pydantic import Field

from manole.errors import UsageError
from manole.serve.http.base import Sent, Spoken
from manole.serve.http.depends import LOCAL_ONLY, REFUSED, ServiceDep
from manole.serve.http.description import responses
from manole.serve.http.errors import StillUsedError, not_found

router = APIRouter(prefix="/models", tags=["models"])

Model = Annotated[str, InPath(pattern=r"^[\w.-]+$", description="a name of GET /models")]


class FetchState(Sent):
    """The progress of fetching a model."""

    done_bytes: int
    total_bytes: int


class Outlook(Sent):
    """Whether this machine has room for a model, and how quick it was."""

    memory: int = Field(description="bytes it takes as it runs, about", validation_alias="needed")
    fits: bool = Field(description="this machine has room for it")
    quick_enough: bool | None = Field(
        description="null: no model was measured yet", validation_alias="quick"
    )
    answer_seconds: float | None = Field(
        description="of an answer; null: not measured here", validation_alias="answer_s"
    )


class WeightsItem(Sent):
    """A model, whether it is there, and what fetching it means."""

    name: str = Field(examples=["qwen2.5-coder-1.5b-instruct"])
    role: Literal["chat", "embed", "rerank", "vision", "voice"]
    size: int = Field(description="bytes to fetch, about; 0: nobody published it")
    present: bool
    in_use: bool = Field(description="a question or a sync takes it, and fetches it if need be")
    licence: str
    source: Spoken = Field(description="where it is fetched from")
    about: Spoken
    partial_bytes: int = Field(description="left of a fetch that was stopped")
    fetching: FetchState | None
    error: Spoken | None = Field(description="why the last fetch failed, and what can be done")
    pinned_by: Spoken = Field(
        description="whose hashes a fetch compares with, not verified here so far; empty: verified"
    )
    outlook: Outlook | None = Field(description="of a chat or vision model of the table")
    recommended: bool = Field(description="the best chat model for this machine")


class WeightsList(Sent):
    """The models, and the room for more."""

    models: list[WeightsItem]
    free_bytes: int = Field(description="of the disk that models are kept on")


@router.get("", summary="List the models")
async def list_weights(service: ServiceDep) -> WeightsList:
    """List the models, what fetching each costs, and which are in use. Fetches nothing."""
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
    """Begin to fetch a model, or join the fetch under way; it goes on when the client leaves.

    Files are verified before they are used. A fetch that was stopped goes on from there.
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
    """Delete a model from this machine; it can be fetched again. A model in use stays."""
    with not_found():
        service.models.check(name)
    try:
        await service.models.remove(name, service.settings)
    except UsageError as error:
        raise StillUsedError(error.message, error.hint) from None
