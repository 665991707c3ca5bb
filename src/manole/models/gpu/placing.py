"""The start of the usual or the compiled engine, on a GPU or on the CPU."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from manole.errors import ModelError
from manole.hooks import ENGINES
from manole.models.engine.llamaserver import LlamaServer
from manole.models.engine.options import EngineOptions, fingerprint
from manole.models.engine.prefixes import Prefixes
from manole.models.gpu.devices import Gpu, devices, listed
from manole.models.gpu.layers import room
from manole.models.gpu.offload import Open, Place, Started, start
from manole.settings import ModelSettings

if TYPE_CHECKING:
    from manole.models.engine.apart import LlamaApart
    from manole.models.engine.llamacpp import LlamaCpp


@dataclass(frozen=True, slots=True)
class Wanted:
    """Weights to be loaded, with settings and options. `weights` is their fingerprint.

    `keep`: keep evaluated prompt prefixes on disk.
    """

    name: str
    path: Path
    weights: str
    cache: Path
    settings: ModelSettings
    options: EngineOptions
    projector: Path | None = None
    keep: bool = True

    def place(self, engine: str, gpus: tuple[Gpu, ...]) -> Place:
        """Return the place where `engine` could load them."""
        kv, context = self.options.kv, self.settings.context
        marks = (self.weights, fingerprint(self.projector) if self.projector else "")
        return Place(
            self.cache,
            self.name,
            " ".join(filter(None, marks)),
            f"{engine} {context} {self.options.ubatch} {kv} {self.options.flash}",
            gpus,
            room(self.path, gpus, context, kv, self.projector),
        )

    def prefixes(self, engine: str, layers: int) -> Prefixes | None:
        """Return the kept prefixes; those that a GPU evaluated are for a GPU."""
        if not self.keep:
            return None
        mark = f"{self.weights} {engine} {self.options.kv}{' gpu' if layers else ''}"
        return Prefixes.at(self.cache / "prefixes", mark)


def gpus_for(settings: ModelSettings, native: Path | None = None) -> tuple[Gpu, ...]:
    """List the devices that the settings allow and the usual or compiled engine can use."""
    if settings.gpu == "off":
        return ()
    return devices() if native is None else listed(native)


async def start_usual(
    wanted: Wanted, engine: type[LlamaCpp] | type[LlamaApart], *, on_gpu: bool
) -> Started:
    """Start `engine`; on a GPU, always in a child process. Raises `ModelError`."""
    from manole.models.engine.apart import LlamaApart
    from manole.models.engine.llamacpp import VERSION

    async def open_(layers: int) -> LlamaServer:
        options = replace(wanted.options, native=None, layers=layers)
        kept = wanted.prefixes(VERSION, layers)
        kind = LlamaApart if layers else engine
        return await kind.load(
            wanted.name, wanted.path, wanted.settings, options, kept, wanted.projector
        )

    gpus = await asyncio.to_thread(gpus_for, wanted.settings) if on_gpu else ()
    return await _start(wanted, VERSION, gpus, open_)


# A function that starts the program `options.native` with a model: its name, the path of its
# weights, its settings, options and kept prefixes. Raises `ModelError`.
EngineKind = Callable[
    [str, Path, ModelSettings, EngineOptions, Prefixes | None], Awaitable[LlamaServer]
]


async def start_native(wanted: Wanted, engine: str, *, on_gpu: bool) -> Started:
    """Start the engine compiled here, whose SHA-256 is `engine`. Raises `ModelError`."""
    load = ENGINES.get("compiled")
    if load is None:
        raise ModelError("The plug-in that starts it is not installed.")

    async def open_(layers: int) -> LlamaServer:
        options = replace(wanted.options, layers=layers)
        kept = wanted.prefixes(engine, layers)
        return await load(wanted.name, wanted.path, wanted.settings, options, kept)

    native = wanted.options.native
    gpus = await asyncio.to_thread(gpus_for, wanted.settings, native) if on_gpu else ()
    return await _start(wanted, engine, gpus, open_)


async def _start(wanted: Wanted, engine: str, gpus: tuple[Gpu, ...], open_: Open) -> Started:
    if not gpus:
        return Started(await open_(0))
    return await start(await asyncio.to_thread(wanted.place, engine, gpus), open_)
