"""A report on the graphics processor and the chat model, made without loading the model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from manole.models.engine.llamacpp import VERSION
from manole.models.engine.options import EngineOptions, fingerprint
from manole.models.gpu.devices import devices
from manole.models.gpu.start import Wanted, failed, failure
from manole.models.machine.tuning import key_for, recall
from manole.settings import ModelSettings


@dataclass(frozen=True, slots=True)
class GpuReport:
    """The graphics processor that the next start uses, or else why it uses none."""

    gpu: str = ""
    why: str = ""

    @property
    def text(self) -> str:
        """The report in a sentence or two."""
        return f"none. {self.why}" if self.why else f"{self.gpu}, for as many layers as have room."

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON values, with its text."""
        return asdict(self) | {"text": self.text}


def gpu_report(name: str, path: Path, cache: Path, settings: ModelSettings) -> GpuReport:
    """Report on the weights at `path`. Asks the engine for its devices. Raises `OSError`."""
    if settings.gpu == "off":
        return GpuReport(why="model.gpu is off.")
    weights = fingerprint(path)
    choice = recall(cache, key_for(weights, VERSION))
    options = choice.options(cache) if choice else EngineOptions()
    native = options.native
    title = " and ".join(devices(native))
    if not title:
        return GpuReport(why=_none(native))
    if choice is not None and (choice.gpu is False or (native and choice.gpu is None)):
        why = "The CPU was faster, or answered otherwise, when `manole models tune` measured."
        if choice.gpu is None:
            why = f"{title} was not there, or not usable, when `manole models tune` measured."
        return GpuReport(title, why)
    sha256 = choice.native_sha256 if choice and native else None
    wanted = Wanted(name, path, weights, cache, settings, options, sha256)
    return GpuReport(title, failure(name) if wanted.key in failed(cache) else "")


def _none(native: Path | None) -> str:
    if native is None:
        return (
            f"The engine ({VERSION}) finds none that it can use; where there is one, "
            "`manole models tune --compile` may build an engine that can."
        )
    return "The engine compiled here finds none that it can use."
