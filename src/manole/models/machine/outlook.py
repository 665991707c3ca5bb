"""The outlook for a model on a machine: whether it has room, and how long it takes to answer.

A machine is one value: memory, cores, graphics processors, and a `Speed` of two numbers. Reading a
prompt is multiplying, so a model reads `Speed.weights / active weights` tokens per second; writing
waits for memory, so it writes `Speed.bytes / bytes of those weights` tokens per second. Both follow
from the rates of any one model here (`Speed.of`), and then hold for every other, roughly: a small
model uses less of a machine than a large one. If nothing ran yet, they are estimated from the
promises of a processor's maker (`Speed.promised`).

A model **fits** if weights, context and engine leave the rest of the system its share of memory. It
is **quick enough** if it answers a usual question in `TOLERABLE_S` seconds: `WARM` tokens read (the
instructions are kept) and `WRITTEN` tokens written. The very first question reads `COLD` tokens.
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

CONTEXT = 8192  # tokens, the default of `model.context`
# Set by hand.
COLD, WARM, WRITTEN = 700, 300, 60  # tokens of a usual question and its answer
TOLERABLE_S = 15.0
_SHARE = 0.6  # of the main memory, for a model
_GPU_SHARE = 0.9
_ENGINE = 512 * 2**20  # bytes: compute buffers, and copies of sequences that had to make room
_USED_READING, _USED_WRITING = 0.5, 0.7  # of a maker's promises, at best
# Bits per weight in a file, about, with its parts of higher precision; for files of unknown size.
_BITS = {"Q2_0": 2.3, "Q5_": 5.8, "Q8_0": 8.6, "-f16": 16.0}
_USUAL_BITS = 5.0
_CGROUP = Path("/sys/fs/cgroup/memory.max")


class Speed(BaseModel):
    """Weights multiplied per second of reading, bytes of weights fetched per second of writing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    weights: float = Field(gt=0)
    bytes: float = Field(gt=0)
    how: Literal["measured", "reckoned"] = "measured"
    model: str = ""  # with which it was measured

    @classmethod
    def of(cls, spec: ModelSpec, read: float, write: float) -> Speed:
        """Derive the speed from a model's tokens per second of reading and writing."""
        return cls(weights=read * active(spec), bytes=write * active_bytes(spec), model=spec.name)

    @classmethod
    def promised(cls, gflops: float, gb_s: float) -> Speed:
        """Estimate it from a maker's operations (two per weight) and memory bandwidth."""
        return cls(
            weights=gflops * 1e9 / 2 * _USED_READING,
            bytes=gb_s * 1e9 * _USED_WRITING,
            how="reckoned",
        )

    def read(self, spec: ModelSpec) -> float:
        """Return the tokens per second that a model of the catalog reads."""
        return self.weights / active(spec)

    def write(self, spec: ModelSpec) -> float:
        """Return the tokens per second that it writes."""
        return self.bytes / active_bytes(spec)


@dataclass(frozen=True, slots=True)
class Place:
    """Memory for a model, in bytes, and the speed of the processor beside it."""

    name: str
    room: int
    speed: Speed | None


@dataclass(frozen=True, slots=True)
class Machine:
    """A computer. Memory is in bytes; `speed` is the CPU's, `gpu_speed` the first GPU's."""

    name: str
    memory: int
    free: int
    cores: int
    gpus: tuple[Gpu, ...] = ()
    speed: Speed | None = None
    gpu_speed: Speed | None = None

    @property
    def places(self) -> tuple[Place, ...]:
        """The places where a model may run, the faster one first."""
        gpus = self.gpus[:1] if self.gpu_speed else ()
        return (
            *(Place(g.description, int(g.total * _GPU_SHARE), self.gpu_speed) for g in gpus),
            Place("main memory", int(self.memory * _SHARE), self.speed),
        )

    def place(self, spec: ModelSpec, context: int = CONTEXT) -> Place | None:
        """Return the first place with room for a model, or `None`."""
        needed = memory(spec, context)
        return next((place for place in self.places if needed <= place.room), None)


@dataclass(frozen=True, slots=True)
class Outlook:
    """An estimate for a model on a machine. Seconds are `None` if no speed is known.

    `first_s`: until the first word of the first answer; `answer_s`: for a later answer; `page_s`:
    for a page or photo, by a vision model.
    """

    spec: ModelSpec
    needed: int
    place: Place | None
    first_s: float | None = None
    answer_s: float | None = None
    page_s: float | None = None

    @property
    def fits(self) -> bool:
        """Whether the model has room."""
        return self.place is not None

    @property
    def quick(self) -> bool:
        """Whether its answers come soon enough; an unknown speed counts as enough."""
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
    """Return the bytes a running model takes; without traits, those of its files and engine."""
    kv = spec.traits.kv if spec.traits else 0
    return weights_bytes(spec) + kv * context + _ENGINE


def weights_bytes(spec: ModelSpec) -> int:
    """Return the bytes of the files, estimated from the weights if nobody published a size."""
    if spec.size or spec.traits is None:
        return spec.size
    return round((spec.traits.weights * _bits(spec) + spec.traits.eyes * 16) / 8 * 1e9)


def active(spec: ModelSpec) -> float:
    """Return the number of weights that a token is computed with."""
    traits = _traits(spec)
    return (traits.active or traits.weights) * 1e9


def active_bytes(spec: ModelSpec) -> float:
    """Return the bytes of the weights that a token is computed with."""
    traits = _traits(spec)
    size = spec.files[0].size or traits.weights * _bits(spec) / 8 * 1e9
    return size * active(spec) / (traits.weights * 1e9)


def here(speed: Speed | None, gpus: tuple[Gpu, ...] = ()) -> Machine:
    """Describe this machine; `speed` is the remembered one (`tuning.recall_speed`)."""
    system = psutil.virtual_memory()
    total = min(system.total, _allowed())
    return Machine(
        "this machine", total, min(system.available, total), physical_cores(), gpus, speed
    )


def machine_in(path: Path) -> Machine:
    """Read a machine described in TOML, such as one to buy. Raises `UsageError`.

    It has `name`, `memory_gb`, `cores`, and `[processor]` and perhaps `[gpu]` with the maker's
    `gflops` and `gb_s`; `[gpu]` also has `memory_gb` and `name`.
    """
    try:
        described = _Described.model_validate(tomllib.loads(path.read_text("utf-8")))
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
    total, gpu = int(described.memory_gb * 1e9), described.gpu
    size = int(gpu.memory_gb * 1e9) if gpu else 0
    return Machine(
        described.name,
        total,
        total,
        described.cores,
        (Gpu("gpu", gpu.name, size, size),) if gpu else (),
        Speed.promised(described.processor.gflops, described.processor.gb_s),
        Speed.promised(gpu.gflops, gpu.gb_s) if gpu else None,
    )


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")
    gflops: float = Field(gt=0, allow_inf_nan=False)
    gb_s: float = Field(gt=0, allow_inf_nan=False)


class _Graphics(_Part):
    name: str = "GPU"
    memory_gb: float = Field(gt=0, allow_inf_nan=False)


class _Described(BaseModel):
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
    """Return the bytes that a container allows its processes."""
    with contextlib.suppress(OSError, ValueError):
        return int(_CGROUP.read_text("ascii"))
    return 2**63
