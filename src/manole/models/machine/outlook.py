"""Whether a machine has room for a model, and how long that would take to answer.

A machine is one value: memory, cores, graphics processors, and a `Speed` of two numbers. Reading a
prompt is multiplying, so a model reads `Speed.weights / active weights` tokens a second; writing
waits for memory, so it writes `Speed.bytes / bytes of those weights` tokens a second. Both follow
from what any one model did here (`Speed.of`), and then hold for every other one, about: a small
model reaches less of a machine than a large one. Where nothing ran they are reckoned from what a
processor's maker promises (`Speed.promised`).

A model **fits** if weights, context and engine leave the rest of the system its share of memory. It
is **quick enough** if a usual question is answered in `TOLERABLE_S` seconds: `WARM` tokens read
(the instructions are kept) and `WRITTEN` written. The first question ever reads `COLD`.
"""

from __future__ import annotations

import contextlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import psutil
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from manole.errors import UsageError
from manole.models.catalog.table import ModelSpec, Traits
from manole.models.cores import physical_cores
from manole.models.gpu.devices import Gpu

COLD, WARM, WRITTEN = 700, 300, 60  # tokens of a usual question and its answer
TOLERABLE_S = 15.0
CONTEXT = 8192  # tokens, as `model.context` is unless it is set
_SHARE = 0.6  # of the main memory that a model may take
_GPU_SHARE = 0.9
_ENGINE = 512 * 2**20  # bytes: compute buffers, and copies of sequences that had to make room
_USED_READING, _USED_WRITING = 0.5, 0.7  # of what a maker promises, at best
# Bits a weight takes in a file, with what is kept more exactly; for files of unknown size.
_BITS = {"Q2_0": 2.3, "Q5_": 5.8, "Q8_0": 8.6, "-f16": 16.0}
_USUAL_BITS = 5.0
_CGROUP = Path("/sys/fs/cgroup/memory.max")


class Speed(BaseModel):
    """Weights multiplied in a second of reading, bytes of weights fetched in one of writing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    weights: float = Field(gt=0)
    bytes: float = Field(gt=0)
    how: Literal["measured", "reckoned"] = "measured"
    model: str = ""  # with which it was measured

    @classmethod
    def of(cls, spec: ModelSpec, read: float, write: float) -> Speed:
        """From the tokens a second that a model of the catalog read and wrote."""
        return cls(weights=read * active(spec), bytes=write * active_bytes(spec), model=spec.name)

    @classmethod
    def promised(cls, gflops: float, gb_s: float) -> Speed:
        """From a maker's arithmetic (a weight takes two operations) and memory bandwidth."""
        return cls(
            weights=gflops * 1e9 / 2 * _USED_READING,
            bytes=gb_s * 1e9 * _USED_WRITING,
            how="reckoned",
        )

    def read(self, spec: ModelSpec) -> float:
        """Tokens a second that a model of the catalog reads."""
        return self.weights / active(spec)

    def write(self, spec: ModelSpec) -> float:
        """Tokens a second that it writes."""
        return self.bytes / active_bytes(spec)


@dataclass(frozen=True, slots=True)
class Place:
    """Memory that a model may take, in bytes, and how fast the processor beside it is."""

    name: str
    room: int
    speed: Speed | None


@dataclass(frozen=True, slots=True)
class Machine:
    """Memory in bytes. `speed` is the processor's, `gpu_speed` that of the first of `gpus`."""

    name: str
    memory: int
    free: int
    cores: int
    gpus: tuple[Gpu, ...] = ()
    speed: Speed | None = None
    gpu_speed: Speed | None = None

    @property
    def places(self) -> tuple[Place, ...]:
        """Where a model may run, the faster one first."""
        gpus = self.gpus[:1] if self.gpu_speed else ()
        return (
            *(Place(g.description, int(g.total * _GPU_SHARE), self.gpu_speed) for g in gpus),
            Place("main memory", int(self.memory * _SHARE), self.speed),
        )

    def place(self, spec: ModelSpec, context: int = CONTEXT) -> Place | None:
        """The first place with room for a model; `None` where it fits nowhere."""
        needed = memory(spec, context)
        return next((place for place in self.places if needed <= place.room), None)


@dataclass(frozen=True, slots=True)
class Outlook:
    """An estimate of a model on a machine. Seconds are `None` where no speed is known.

    `first_s`: to the first word of the first question; `answer_s`: of any later one;
    `page_s`: a page or photo described, of a vision model.
    """

    spec: ModelSpec
    needed: int
    place: Place | None
    first_s: float | None = None
    answer_s: float | None = None
    page_s: float | None = None

    @property
    def fits(self) -> bool:
        """Whether there is room for it."""
        return self.place is not None

    @property
    def quick(self) -> bool:
        """Whether its answers are worth waiting for; what nobody knows is not doubted."""
        return self.answer_s is None or self.answer_s <= TOLERABLE_S


def outlook(spec: ModelSpec, machine: Machine, context: int = CONTEXT) -> Outlook:
    """Estimate memory and seconds of a chat or vision model on `machine`."""
    needed, place = memory(spec, context), machine.place(spec, context)
    if place is None or place.speed is None or spec.traits is None:
        return Outlook(spec, needed, place)
    read, written = place.speed.read(spec), WRITTEN / place.speed.write(spec)
    if spec.kind == "vision":
        seen = spec.traits.eyes * 1e9 * spec.traits.patches / place.speed.weights
        return Outlook(spec, needed, place, page_s=seen + spec.traits.tokens / read + written)
    return Outlook(spec, needed, place, COLD / read, WARM / read + written)


def memory(spec: ModelSpec, context: int = CONTEXT) -> int:
    """Bytes a model takes while it runs; of one without traits, its files and the engine."""
    kv = spec.traits.kv if spec.traits else 0
    return weights_bytes(spec) + kv * context + _ENGINE


def weights_bytes(spec: ModelSpec) -> int:
    """Bytes of the files, reckoned from the weights where nobody published a size."""
    if spec.size or spec.traits is None:
        return spec.size
    return round((spec.traits.weights * _bits(spec) + spec.traits.eyes * 16) / 8 * 1e9)


def active(spec: ModelSpec) -> float:
    """Weights that a token is computed with."""
    traits = _traits(spec)
    return (traits.active or traits.weights) * 1e9


def active_bytes(spec: ModelSpec) -> float:
    """Bytes of them."""
    traits = _traits(spec)
    size = spec.files[0].size or traits.weights * _bits(spec) / 8 * 1e9
    return size * active(spec) / (traits.weights * 1e9)


def here(speed: Speed | None, gpus: tuple[Gpu, ...] = ()) -> Machine:
    """The machine we run on; `speed` is what is remembered of it (`tuning.recall_speed`)."""
    system = psutil.virtual_memory()
    total = min(system.total, _allowed())
    return Machine(
        "this machine", total, min(system.available, total), physical_cores(), gpus, speed
    )


def told(path: Path) -> Machine:
    """A machine that somebody describes in TOML, such as one to buy. Raises `UsageError`.

    `memory_gb`, `cores`, and either part with `gflops` and `gb_s` as its maker promises them
    (`[gpu]` has `memory_gb` and `name`, too).
    """
    try:
        said = _Told.model_validate(tomllib.loads(path.read_text("utf-8")))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}.") from None
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"{path}: {field}: {first['msg'][0].lower()}{first['msg'][1:]}.",
            "It has name, memory_gb, cores, [processor] gflops and gb_s, and perhaps [gpu].",
        ) from None
    total, gpu = int(said.memory_gb * 1e9), said.gpu
    size = int(gpu.memory_gb * 1e9) if gpu else 0
    return Machine(
        said.name,
        total,
        total,
        said.cores,
        (Gpu("gpu", gpu.name, size, size),) if gpu else (),
        Speed.promised(said.processor.gflops, said.processor.gb_s),
        Speed.promised(gpu.gflops, gpu.gb_s) if gpu else None,
    )


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")
    gflops: float = Field(gt=0, allow_inf_nan=False)
    gb_s: float = Field(gt=0, allow_inf_nan=False)


class _Graphics(_Part):
    name: str = "GPU"
    memory_gb: float = Field(gt=0, allow_inf_nan=False)


class _Told(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    memory_gb: float = Field(gt=0, allow_inf_nan=False)
    cores: int = Field(ge=1)
    processor: _Part
    gpu: _Graphics | None = None


def _traits(spec: ModelSpec) -> Traits:
    if spec.traits is None:
        raise ValueError(f"nothing is known of {spec.name}")
    return spec.traits


def _bits(spec: ModelSpec) -> float:
    source: Any = next(iter(spec.files[0].sources), None)
    name = getattr(source, "filename", "")
    return next((bits for mark, bits in _BITS.items() if mark in name), _USUAL_BITS)


def _allowed() -> int:
    """Bytes that a container lets its processes have."""
    with contextlib.suppress(OSError, ValueError):
        return int(_CGROUP.read_text("ascii"))
    return 2**63
