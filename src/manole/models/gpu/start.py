"""The start of an engine on a graphics processor, or on the CPU where that fails.

The engine works out how many layers have room (llama.cpp's `fit`), and runs in a child process. A
driver may still crash, hang or refuse, while the model loads or in an answer. Then the CPU takes
over, and a note keeps later starts from trying again with this model file and build of the engine.
`manole doctor --fix` and `manole models tune` drop the notes.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from importlib.metadata import distribution
from pathlib import Path

import httpx
from pydantic import BaseModel, ConfigDict, Field

from manole.errors import ModelError
from manole.hooks import ENGINES
from manole.models.chat.rates import PROSE
from manole.models.engine.child import ChildLlama
from manole.models.engine.llamacpp import VERSION, LlamaCpp
from manole.models.engine.options import EngineOptions
from manole.models.engine.prefixes import Prefixes
from manole.models.gpu.devices import devices
from manole.models.weights.files import read_kept, write_kept
from manole.settings import ModelSettings

FILE_NAME = "gpu.json"
_FIRST_S = 120.0  # for a first answer, set by hand: a device that takes longer hangs
_LOG = logging.getLogger(__name__)

# A function that starts the program `options.native` with a model: its name, the path of its
# weights, its settings, options and kept prefixes. Raises `ModelError`.
EngineKind = Callable[
    [str, Path, ModelSettings, EngineOptions, Prefixes | None], Awaitable[ChildLlama]
]


class _Notes(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    build: str = ""  # of the usual engine, from whose source the compiled one is
    failed: dict[str, str] = Field(default_factory=dict)  # names of models, by weights and engine


@dataclass(frozen=True, slots=True)
class Wanted:
    """Weights to be loaded, and how. `weights` is their fingerprint.

    `native_sha256` is the hash of `options.native`, if that is to run them. `keep`: keep evaluated
    prompt prefixes on disk.
    """

    name: str
    path: Path
    weights: str
    cache: Path
    settings: ModelSettings
    options: EngineOptions
    native_sha256: str | None = None
    projector: Path | None = None
    keep: bool = True

    @property
    def key(self) -> str:
        """The key of the note on these weights with this engine."""
        return f"{self.weights} {self.native_sha256 or VERSION}"

    async def start(self) -> tuple[ChildLlama, str]:
        """Start the engine; the second value says if a GPU failed, now or earlier.

        Raises `ModelError` if the CPU fails, too.
        """
        if not self.options.gpu or self.settings.gpu == "off":
            return await self._open(on_gpu=False), ""
        notice = f"{failure(self.name)} `manole doctor --fix` tries it anew."
        if self.key in failed(self.cache):
            return await self._open(on_gpu=False), notice
        try:
            model = await self._open(on_gpu=True)
            if model.on_gpu:
                await _first_answer(model)
        except ModelError as error:
            if not await asyncio.to_thread(devices, self.options.native):
                raise
            model = await self._open(on_gpu=False)
            await asyncio.to_thread(self._fail)
            _LOG.warning("%s (%s)", notice, error.message)
            return model, notice
        if model.on_gpu:
            model.on_end = self._fail
            model.hint = "Ask again: the CPU answers from now on, without a graphics processor."
        return model, ""

    async def _open(self, *, on_gpu: bool) -> ChildLlama:
        # What a GPU evaluated is not for the CPU that takes over from it.
        identity = f"{self.key} {self.options.kv}{' gpu' if on_gpu else ''}"
        prefixes = Prefixes.at(self.cache / "prefixes", identity) if self.keep else None
        options = replace(self.options, gpu=on_gpu)
        asked = (self.name, self.path, self.settings, options, prefixes)
        if self.options.native is None:
            return await LlamaCpp.load(*asked, self.projector)
        load = ENGINES.get("compiled")
        if load is None:
            raise ModelError("The plug-in that starts it is not installed.")
        return await load(*asked)

    def _fail(self) -> None:
        """Note that a GPU failed; if the disk refuses, the next start tries it again."""
        kept = _Notes(build=_build(), failed={**failed(self.cache), self.key: self.name})
        with contextlib.suppress(OSError):
            write_kept(self.cache / FILE_NAME, kept)


def failed(cache: Path) -> dict[str, str]:
    """Return the names of the models that failed on a GPU with this build, by `Wanted.key`."""
    kept = read_kept(cache / FILE_NAME, _Notes)
    return kept.failed if kept.build == _build() else {}


def failure(name: str) -> str:
    """Return the sentence that says so of a model."""
    return f"{name} failed on the graphics processor; the CPU is used."


def forget(cache: Path) -> None:
    """Drop the notes, so that a GPU is tried anew. Raises `OSError`."""
    (cache / FILE_NAME).unlink(missing_ok=True)


def _build() -> str:
    """Return 64 hex digits that change with the installed files of the engine."""
    files = distribution("xllamacpp").read_text("RECORD") or VERSION
    return hashlib.sha256(files.encode()).hexdigest()


async def _first_answer(model: ChildLlama) -> None:
    """Let the model read and write a little. If it cannot, close it and raise `ModelError`."""
    try:
        async with asyncio.timeout(_FIRST_S):
            await model.likeliest(PROSE, 2)
    except BaseException as error:
        await model.close()
        if not isinstance(error, httpx.HTTPError | TimeoutError | ValueError):
            raise
        why = str(error) or type(error).__name__
        raise ModelError(f"The engine broke off at its first answer ({why}).") from None
