"""The models of this machine as a page shows them: their costs, which are at hand and in use.

Listing them fetches nothing. Models that cannot be verified are left out unless they are at hand,
because a person must agree to fetch them at the command line (`manole models fetch --trust`).
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import Field

from manole.errors import ManoleError, UsageError
from manole.models.catalog.table import Kind, ModelSpec
from manole.models.choose import chat_for, recommended
from manole.models.encode.reranker import OFF
from manole.models.endpoints import ENDPOINTS, chosen_embedder
from manole.models.machine.outlook import Outlook as MachineOutlook
from manole.models.machine.outlook import here, outlook, weights_bytes
from manole.models.vision import vision_at_hand
from manole.models.voice import reads_recordings, voice_at_hand
from manole.models.weights.cache import ModelStatus, Weights
from manole.models.weights.sources import bytes_to_fetch, can_be_verified, source_in_words
from manole.serve.base import Sent, Spoken
from manole.serve.fetches import Fetches, FetchState
from manole.settings import Settings

_Look = Callable[[ModelSpec], MachineOutlook]
Role = Literal["chat", "embed", "rerank", "vision", "voice"]
_ROLES: dict[Kind, Role] = {
    "chat": "chat",
    "embedder": "embed",
    "reranker": "rerank",
    "vision": "vision",
    "voice": "voice",
}


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
    role: Role
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
        description="whose hashes a fetch compares with, not verified here so far; empty: verified",
    )
    outlook: Outlook | None = Field(description="of a chat or vision model of the table")
    recommended: bool = Field(description="the best chat model for this machine")


class ModelManager:
    """The models in `weights` that are at hand or may be fetched, and their `fetches`."""

    def __init__(self, weights: Weights) -> None:
        self.fetches = Fetches(weights)
        self.weights = weights

    async def models(self, settings: Settings) -> list[WeightsItem]:
        """List every model; a model is in use if a question or a sync would take it now."""
        return await asyncio.to_thread(self._list, settings)

    async def free_bytes(self) -> int:
        """Return the free bytes of the disk that models are kept on."""
        return await asyncio.to_thread(_free, self.weights.cache_dir)

    async def fetch(self, name: str, settings: Settings) -> WeightsItem:
        """Begin to fetch a model; return its state. Raises `UsageError` for an unknown name."""
        self.check(name)
        if await asyncio.to_thread(self.weights.path, name) is None:
            self.fetches.start(name)
        return await self._one(name, settings)

    async def stop(self, name: str, settings: Settings) -> WeightsItem:
        """Stop fetching a model; return its state. Raises `UsageError` for an unknown name."""
        self.check(name)
        await self.fetches.stop(name)
        return await self._one(name, settings)

    async def remove(self, name: str, settings: Settings) -> None:
        """Delete a model from this machine. Raises `UsageError` for one in use."""
        if name in await asyncio.to_thread(in_use, settings, self.weights):
            raise UsageError(f"{name} is in use.", "Choose another one first.")
        await self.fetches.stop(name)
        await asyncio.to_thread(self.weights.remove, name)

    def check(self, name: str) -> None:
        """Raise `UsageError` for a name that the catalog does not have."""
        known = [spec.name for spec in self.weights.catalog.values() if spec.kind in _ROLES]
        if name not in known:
            raise UsageError(f"There is no model called {name}.", f"There are: {', '.join(known)}.")

    async def _one(self, name: str, settings: Settings) -> WeightsItem:
        def described() -> WeightsItem:
            status = next(s for s in self.weights.status() if s.spec.name == name)
            return self._described(status, in_use(settings, self.weights), _looking(settings))

        return await asyncio.to_thread(described)

    def _list(self, settings: Settings) -> list[WeightsItem]:
        used, look = in_use(settings, self.weights), _looking(settings)
        shown = [
            self._described(status, used, look)
            for status in self.weights.status()
            if status.spec.kind in _ROLES
            and (status.at_hand or status.spec.name in used or can_be_verified(status.spec))
        ]
        if best := recommended(settings, self.weights):
            for model in shown:
                model.recommended = model.name == best.spec.name
        return [*_elsewhere(used, self.weights), *shown]

    def _described(self, status: ModelStatus, used: dict[str, Role], look: _Look) -> WeightsItem:
        spec = status.spec
        return WeightsItem(
            name=spec.name,
            role=_ROLES[spec.kind],
            size=_size(spec),
            present=status.at_hand,
            in_use=spec.name in used,
            licence=spec.licence,
            source=source_in_words(spec),
            about=spec.description,
            partial_bytes=status.partial_bytes,
            fetching=None if status.at_hand else self.fetches.fetching(spec.name),
            error=None if status.at_hand else self.fetches.error(spec.name),
            pinned_by=status.pinned_by,
            outlook=Outlook.model_validate(look(spec)) if spec.traits else None,
            recommended=False,
        )


def in_use(settings: Settings, weights: Weights) -> dict[str, Role]:
    """Return the models that would be taken now, by name; wrong names in the settings are left out.

    Where `auto` finds no chat model at hand, the one that a question would fetch counts.
    """
    found: dict[str, Role] = {}
    chat = settings.model.name
    with contextlib.suppress(ManoleError):
        found[chat if chat.startswith(ENDPOINTS) else chat_for(settings, weights)[0].name] = "chat"
    found[chosen_embedder(settings)] = "embed"
    if settings.index.reranker != OFF:
        found[settings.index.reranker] = "rerank"
    with contextlib.suppress(ManoleError):
        vision = vision_at_hand(settings, weights)
        found |= {vision: "vision"} if vision else {}
    with contextlib.suppress(ManoleError):
        voice = voice_at_hand(settings, weights)
        runs = voice and (voice.startswith(ENDPOINTS) or reads_recordings(engine=True))
        found |= {voice: "voice"} if voice and runs else {}
    return found


def _looking(settings: Settings) -> _Look:
    """Return a function from a model to its outlook on this machine."""
    return partial(outlook, machine=here(settings.cache_dir), context=settings.model.context)


def _elsewhere(used: dict[str, Role], weights: Weights) -> Iterator[WeightsItem]:
    """Yield the models in use that are an endpoint or a file of the person's own."""
    for name, role in used.items():
        if name.startswith(ENDPOINTS):
            source = "an endpoint of yours"
        elif name not in weights.catalog and name.lower().endswith((".gguf", ".bin")):
            source = "a file of yours"
        else:
            continue
        yield WeightsItem(
            name=name, role=role, size=0, present=True, in_use=True, licence="unknown",
            source=source, about="", partial_bytes=0, fetching=None, error=None, pinned_by="",
            outlook=None, recommended=False,
        )  # fmt: skip


def _size(spec: ModelSpec) -> int:
    sizes = [bytes_to_fetch(file) for file in spec.files]
    if all(sizes):
        return sum(sizes)
    return weights_bytes(spec) if spec.traits else 0


def _free(folder: Path) -> int:
    """Return the free bytes of the disk of `folder`, which need not exist yet."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return shutil.disk_usage(folder).free
