"""Responses about models: what they cost, and how far they are fetched."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from manole.serve.http.base import Sent
from manole.serve.http.spoken import Spoken


class FetchState(Sent):
    """The progress of fetching a model."""

    done_bytes: int
    total_bytes: int


class WeightsItem(Sent):
    """A model, whether it is there, and what fetching it means."""

    name: str = Field(examples=["qwen2.5-coder-1.5b-instruct"])
    role: Literal["chat", "embed", "vision"]
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


class WeightsList(Sent):
    """The models, and the room for more."""

    models: list[WeightsItem]
    free_bytes: int = Field(description="of the disk that models are kept on")
