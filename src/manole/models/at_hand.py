"""The choice, files and loading of a model, the same for vision and speech models.

A setting names a model of the table, a file of the user's or an endpoint; "off" means no model, and
"auto" the preferred one of those at hand. A model that nobody named is not fetched.
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
        """Free them."""
        ...


Model = TypeVar("Model", bound=Closable)


class Loader(Generic[Model]):
    """Loads a model with `load` on first use, once.

    `reason` is a sentence on why a wanted model could not be loaded, or empty.
    """

    def __init__(self, load: Callable[[], Awaitable[Model | None]]) -> None:
        self.reason = ""
        self._load = load
        self._lock = asyncio.Lock()
        self._asked = False
        self._model: Model | None = None

    async def get(self) -> Model | None:
        """Return the model, or `None` if none is at hand. Raises `UsageError`, `SettingsError`."""
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
    """Return the name of the model that would be used, or `None`.

    `name` is the value of the setting, `files` are the endings of a user's own files, and
    `otherwise` describes the names that are allowed beside the table's. Raises `UsageError` for any
    other name.
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
    """Return the models of this kind in the table, the preferred one first."""
    found = (spec for spec in CATALOG.values() if spec.kind == kind)
    return sorted(found, key=lambda spec: -spec.preference)


def files_of(name: str, weights: Weights, *, named: bool) -> dict[str, Path]:
    """Return the files of a model of the table; fetch them if `named`. Raises `WeightsError`."""
    if named:
        return weights.ensure(name)
    found = weights.whole(name)
    if found is None:
        raise WeightsError(f"{name} has the wrong bytes; `manole models fetch {name}` mends it.")
    return found
