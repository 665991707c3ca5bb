"""The choice, files and loading of a model, alike for vision and speech models.

A setting names a model of the table, a file of one's own or an endpoint; "off" is none, and "auto"
the preferred one of those that are at hand. What nobody named is not fetched.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from manole.errors import ModelError, UsageError, WeightsError
from manole.models.catalog.table import CATALOG, Kind, ModelSpec
from manole.models.endpoints import endpoint_of
from manole.models.weights.cache import Weights

NAMES = {"vision": "vision model", "voice": "speech model"}


class Closable(Protocol):
    """A model that holds memory or connections."""

    async def close(self) -> None:
        """Give them back."""
        ...


Model = TypeVar("Model", bound=Closable)


class Loader(Generic[Model]):
    """Loads a model with `load` on first use, once.

    `reason` says, in a sentence, why there is none though there should be.
    """

    def __init__(self, load: Callable[[], Awaitable[Model | None]]) -> None:
        self.reason = ""
        self._load = load
        self._lock = asyncio.Lock()
        self._asked = False
        self._model: Model | None = None

    async def get(self) -> Model | None:
        """The model; `None` where none is at hand. Raises `UsageError`, `SettingsError`."""
        async with self._lock:
            if not self._asked:
                self._asked, self.reason = True, ""
                try:
                    self._model = await self._load()
                except (ModelError, WeightsError) as error:
                    self.reason = error.message
            return self._model

    async def close(self) -> None:
        """Free the model, if it was loaded; `get` loads it again."""
        model, self._model, self._asked = self._model, None, False
        if model is not None:
            await model.close()


def model_at_hand(
    kind: Kind, name: str, weights: Weights, *, files: tuple[str, ...], otherwise: str
) -> str | None:
    """The name of the model that would be used; `None` where there is none.

    `name` is what the setting says, `files` are the endings of files of one's own, and `otherwise`
    says what may be named beside the table. Raises `UsageError` for a name that is none of these.
    """
    if name == "off":
        return None
    table = models_of(kind)
    if name == "auto":
        return next((spec.name for spec in table if weights.path(spec.name)), None)
    if not endpoint_of(name)[0] and not name.endswith(files):
        spec = CATALOG.get(name)
        if spec is None or spec.kind != kind:
            known = ", ".join(spec.name for spec in table)
            raise UsageError(
                f"{kind}.name = {name} is no {NAMES[kind]}.", f"Known are {known}; or {otherwise}."
            )
    return name


def models_of(kind: Kind) -> list[ModelSpec]:
    """The models of the table of this kind, the preferred one first."""
    found = (spec for spec in CATALOG.values() if spec.kind == kind)
    return sorted(found, key=lambda spec: -spec.preference)


def files_of(name: str, weights: Weights, *, named: bool) -> dict[str, Path]:
    """The files of a model of the table, fetched where it was `named`. Raises `WeightsError`."""
    if named:
        return weights.ensure(name)
    found = weights.whole(name)
    if found is None:
        raise WeightsError(f"{name} has the wrong bytes; `manole models fetch {name}` mends it.")
    return found
