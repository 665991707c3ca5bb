"""The fastest options that `manole models tune` found here, and how fast each model was.

There is one choice of options for each model, processor and version of the engine. The speed of a
model is the fastest that tuning or real answers measured with this processor and engine, because
any slower measurement was disturbed. The file is written whole, at the end of a measurement, so
that an interrupted one leaves nothing behind.
"""

from __future__ import annotations

import hashlib
import platform
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from manole.models.catalog.table import ModelSpec, Traits
from manole.models.cores import physical_cores
from manole.models.engine.options import EngineOptions, FlashAttention, KvType
from manole.models.weights.files import is_own, read_kept, sha256_of, write_kept

FILE_NAME = "tuning.json"
# Set by hand.
_READ, _WRITTEN = 300, 60  # tokens of a usual question and its answer; the instructions are kept
_CLEARLY = 1.05  # times as fast; less is not worth a write


class Speed(BaseModel):
    """Tokens per second that a model read and wrote; `active`: see `active`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    read: float = Field(gt=0)
    write: float = Field(gt=0)
    active: float = Field(gt=0)

    @property
    def answer_s(self) -> float:
        """The seconds of a usual answer."""
        return _READ / self.read + _WRITTEN / self.write


class Choice(BaseModel):
    """The fastest options that leave the answers as they are, and their rates."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str  # for readers of the file
    threads: int = Field(ge=0, le=1024)
    ubatch: int = Field(ge=32, le=8192)
    kv: KvType
    flash: FlashAttention
    lookup: int = Field(ge=0, le=64)
    draft: int = Field(ge=1, le=64)
    native: Path | None = None
    native_sha256: str | None = None
    gpu: bool | None = None  # whether a GPU was faster; `None` if there was none
    read_rate: float = Field(ge=0)  # tokens per second
    write_rate: float = Field(ge=0)
    measured: datetime

    def options(self, cache: Path) -> EngineOptions:
        """Return the engine's options; a compiled engine only if it lies unchanged in `cache`."""
        native = self.native if self._is_ours(cache) else None
        return EngineOptions(
            self.threads, self.ubatch, self.kv, self.flash, self.lookup, self.draft, native
        )

    def _is_ours(self, cache: Path) -> bool:
        """Return whether the engine is the one compiled here, and nobody else can exchange it."""
        try:
            if self.native is None or not self.native.resolve().is_relative_to(cache.resolve()):
                return False
            own = is_own(self.native) and is_own(self.native.parent)
            return own and sha256_of(self.native) == self.native_sha256
        except OSError:
            return False


class _Remembered(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int = 1
    choices: dict[str, Choice] = Field(default_factory=dict)
    speeds: dict[str, dict[str, Speed]] = Field(default_factory=dict)


def recall(cache: Path, key: str) -> Choice | None:
    """Return the choice under `key`; `None` without one, or if the file is damaged."""
    return read_kept(cache / FILE_NAME, _Remembered).choices.get(key)


def remember(cache: Path, key: str, choice: Choice) -> None:
    """Keep `choice`, durably and in one piece. Raises `OSError`."""
    kept = read_kept(cache / FILE_NAME, _Remembered)
    write_kept(cache / FILE_NAME, kept.model_copy(update={"choices": kept.choices | {key: choice}}))


def recall_speeds(cache: Path) -> dict[str, Speed]:
    """Return the speed of each model that was measured here, by its name."""
    return read_kept(cache / FILE_NAME, _Remembered).speeds.get(_speed_key(), {})


def remember_speed(cache: Path, spec: ModelSpec, read: float, write: float) -> None:
    """Keep a model's tokens per second if they are clearly more than known. Raises `OSError`."""
    if spec.traits is None:
        return
    speed = Speed(read=read, write=write, active=active(spec.traits))
    kept, key = read_kept(cache / FILE_NAME, _Remembered), _speed_key()
    known = kept.speeds.get(key, {})
    if spec.name in known and known[spec.name].answer_s < speed.answer_s * _CLEARLY:
        return
    speeds = kept.speeds | {key: known | {spec.name: speed}}
    write_kept(cache / FILE_NAME, kept.model_copy(update={"speeds": speeds}))


def active(traits: Traits) -> float:
    """Return the weights that a token is computed with, in thousands of millions."""
    return traits.active or traits.weights


def _speed_key() -> str:
    """Return the key of the speeds. The engine is not loaded: choosing a model need not wait."""
    return key_for("speed", f"xllamacpp {version('xllamacpp')}")


def key_for(weights: str, engine: str) -> str:
    """Return the key of a choice for a fingerprint of weights and an engine, on this processor."""
    return hashlib.sha256(f"{weights}\n{_processor()}\n{engine}".encode()).hexdigest()[:32]


def _processor() -> str:
    """Return the processor with its features, and the number of our cores."""
    lines = [platform.machine(), "", str(physical_cores())]
    try:
        wanted = ("model name", "flags", "Features", "CPU part")
        first = Path("/proc/cpuinfo").read_text("utf-8").split("\n\n")[0]
        lines += [line for line in first.splitlines() if line.startswith(wanted)]
    except OSError:
        lines[1] = platform.processor()  # otherwise avoided, as it may start a program
    return "\n".join(lines)
