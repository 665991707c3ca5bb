"""What `manole models tune` found to be fastest here, remembered.

One choice a model, processor and engine version: with another of any of them the file says nothing.
Beside the choices stands how fast the machine is (`machine.Speed`), one a processor and engine:
the fastest that tuning, a probe or real answers measured, for a machine is as fast as it was once
seen to be. It is written whole, at the end of a measurement, so that one cut short leaves nothing
behind.
"""

from __future__ import annotations

import hashlib
import platform
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from manole.models.cores import physical_cores
from manole.models.engine.options import EngineOptions, FlashAttention, KvType
from manole.models.kept import read_kept, write_kept
from manole.models.machine.outlook import Speed
from manole.models.weights.files import is_own, sha256_of

FILE_NAME = "tuning.json"
_RATES = ("weights", "bytes")
_CLEARLY = 1.05


class Choice(BaseModel):
    """The fastest options that left the answers as they were, and how fast they are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str  # for people
    threads: int = Field(ge=0, le=1024)
    ubatch: int = Field(ge=32, le=8192)
    kv: KvType
    flash: FlashAttention
    lookup: int = Field(ge=0, le=64)
    draft: int = Field(ge=1, le=64)
    native: Path | None = None
    native_sha256: str | None = None
    gpu: bool | None = None  # whether a GPU was faster; `None`: there was none to measure
    read_rate: float = Field(ge=0)  # tokens a second
    write_rate: float = Field(ge=0)
    measured: datetime

    def options(self, cache: Path) -> EngineOptions:
        """As the engine takes them. Only an unchanged compiled engine in `cache` is among them."""
        native = self.native if self._is_ours(cache) else None
        return EngineOptions(
            self.threads, self.ubatch, self.kv, self.flash, self.lookup, self.draft, native
        )

    def _is_ours(self, cache: Path) -> bool:
        """Whether it is the program that was compiled here, and nobody else can exchange it."""
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
    speeds: dict[str, Speed] = Field(default_factory=dict)


def recall(cache: Path, key: str) -> Choice | None:
    """The choice remembered under `key`; `None` without one, or when the file is damaged."""
    return read_kept(cache / FILE_NAME, _Remembered).choices.get(key)


def remember(cache: Path, key: str, choice: Choice) -> None:
    """Keep `choice`, durably and in one piece. Raises `OSError`."""
    kept = read_kept(cache / FILE_NAME, _Remembered)
    write_kept(cache / FILE_NAME, kept.model_copy(update={"choices": kept.choices | {key: choice}}))


def recall_speed(cache: Path) -> Speed | None:
    """Return the remembered speed of this machine; `None` where nothing was measured."""
    return read_kept(cache / FILE_NAME, _Remembered).speeds.get(_speed_key())


def remember_speed(cache: Path, speed: Speed) -> None:
    """Keep what was measured, where it is clearly faster than what is known. Raises `OSError`."""
    kept, key = read_kept(cache / FILE_NAME, _Remembered), _speed_key()
    known = kept.speeds.get(key)
    if known is not None:
        best = {name: max(getattr(speed, name), getattr(known, name)) for name in _RATES}
        if all(best[name] < getattr(known, name) * _CLEARLY for name in _RATES):
            return
        speed = speed.model_copy(update=best)
    write_kept(cache / FILE_NAME, kept.model_copy(update={"speeds": kept.speeds | {key: speed}}))


def _speed_key() -> str:
    """The engine is named without being loaded, for a choice of models need not wait for that."""
    return key_for("speed", f"xllamacpp {version('xllamacpp')}")


def key_for(weights: str, engine: str) -> str:
    """Return the key of a choice: it holds for a fingerprint of weights, a processor, an engine."""
    return hashlib.sha256(f"{weights}\n{_processor()}\n{engine}".encode()).hexdigest()[:32]


def _processor() -> str:
    """The processor with its features, and how many cores of it are ours."""
    lines = [platform.machine(), "", str(physical_cores())]
    try:
        wanted = ("model name", "flags", "Features", "CPU part")
        first = Path("/proc/cpuinfo").read_text("utf-8").split("\n\n")[0]
        lines += [line for line in first.splitlines() if line.startswith(wanted)]
    except OSError:
        lines[1] = platform.processor()  # which starts a program where there is such a file
    return "\n".join(lines)
