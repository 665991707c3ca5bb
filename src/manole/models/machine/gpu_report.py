"""A report on the graphics processor and the chat model, made without loading the model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from manole.models.engine.llamacpp import VERSION
from manole.models.engine.options import EngineOptions, fingerprint
from manole.models.gpu.notes import Note, recall
from manole.models.gpu.offload import Place, why_not_all
from manole.models.gpu.placing import Wanted, gpus_for
from manole.models.machine.tuning import key_for
from manole.models.machine.tuning import recall as recall_choice
from manole.settings import ModelSettings


@dataclass(frozen=True, slots=True)
class GpuReport:
    """The `layers` of `total` that the next start puts on `gpu`; `why` says why not all, or none.

    `fault`: a graphics processor ought to work and does not. Rates are tokens read per second, 0 if
    not measured.
    """

    gpu: str = ""
    layers: int = 0
    total: int = 0
    why: str = ""
    fault: bool = False
    tried: bool = False
    read_rate: float = 0.0
    cpu_read_rate: float = 0.0

    @property
    def text(self) -> str:
        """The report in a sentence or two."""
        if not self.layers:
            return f"none. {self.why}"
        out = f"{self.gpu}, {self.layers} of {self.total} layers"
        if self.read_rate and self.cpu_read_rate:
            out += f"; it reads {self.read_rate:.0f} tokens/s, the CPU {self.cpu_read_rate:.0f}"
        elif not self.tried:
            out += "; it is checked when it is first used"
        return f"{out}. {self.why}".strip()

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON values, with its text."""
        return asdict(self) | {"text": self.text}


def gpu_report(name: str, path: Path, cache: Path, settings: ModelSettings) -> GpuReport:
    """Report on the weights at `path`. Asks the engine for its devices. Raises `OSError`."""
    if settings.gpu == "off":
        return GpuReport(why="model.gpu is off.")
    weights = fingerprint(path)
    choice = recall_choice(cache, key_for(weights, VERSION))
    options = choice.options(cache) if choice else EngineOptions()
    native = options.native
    gpus = gpus_for(settings, native)
    title = " and ".join(gpu.description for gpu in gpus)
    if not gpus:
        return GpuReport(why=_none(native))
    if choice is not None and (choice.gpu is False or (native and choice.gpu is None)):
        why = "The CPU was faster, or answered otherwise, when `manole models tune` measured."
        if choice.gpu is None:
            why = f"{title} was not there, or not usable, when `manole models tune` measured."
        return GpuReport(gpu=title, why=why)
    wanted = Wanted(name, path, weights, cache, settings, options)
    place = wanted.place(str(choice.native_sha256) if choice and native else VERSION, gpus)
    return _of(place, recall(cache, place.key))


def _of(place: Place, note: Note | None) -> GpuReport:
    layers = place.layers(note)
    unused = note is not None and note.unused()
    why = why_not_all(place, note)
    return GpuReport(
        gpu=place.title,
        layers=0 if unused else layers,
        total=place.room.total,
        why=why,
        fault=(unused and not (note and note.slow)) or layers < place.room.layers,
        tried=note is not None,
        read_rate=note.read_rate if note else 0.0,
        cpu_read_rate=note.cpu_read_rate if note else 0.0,
    )


def _none(native: Path | None) -> str:
    if native is None:
        return (
            f"The engine ({VERSION}) finds none that it can use; where there is one, "
            "`manole models tune --compile` may build an engine that can."
        )
    return "The engine compiled here finds none that it can use."
