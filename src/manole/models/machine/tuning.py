"""The fastest options that `manole models tune` found here, and the speed of this machine.

There is one choice of options for each model, processor and version of the engine. The speed
(`outlook.Speed`) is kept for each processor and engine: the fastest that tuning, a probe or real
answers measured, because any slower measurement was disturbed. The file is written whole, at the
end of a measurement, so that an interrupted one leaves nothing behind.
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
from manole.models.machine.outlook import Speed
from manole.models.weights.files import is_own, read_kept, sha256_of, write_kept

FILE_NAME = "tuning.json"
_RATES = ("weights", "bytes")
_CLEARLY = 1.05  # times as fast, set by hand: less is not worth a write


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
    speeds: dict[str, Speed] = Field(default_factory=dict)


def recall(cache: Path, key: str) -> Choice | None:
    """Return the choice under `key`; `None` without one, or if the file is damaged."""
    return read_kept(cache / FILE_NAME, _Remembered).choices.get(key)


def remember(cache: Path, key: str, choice: Choice) -> None:
    """Keep `choice`, durably and in one piece. Raises `OSError`."""
    kept = read_kept(cache / FILE_NAME, _Remembered)
    write_kept(cache / FILE_NAME, kept.model_copy(update={"choices": kept.choices | {key: choice}}))


def recall_speed(cache: Path) -> Speed | None:
    """Return the remembered speed of this machine; `None` if nothing was measured."""
    return read_kept(cache / FILE_NAME, _Remembered).speeds.get(_speed_key())


def remember_speed(cache: Path, speed: Speed) -> None:
    """Keep a speed that is clearly faster than the known one. Raises `OSError`."""
    kept, key = read_kept(cache / FILE_NAME, _Remembered), _speed_key()
    known = kept.speeds.get(key)
    if known is not None:
        best = {name: max(getattr(speed, name), getattr(known, name)) for name in _RATES}
        if all(best[name] < getattr(known, name) * _CLEARLY for name in _RATES):
            return
        speed = speed.model_copy(update=best)
    write_kept(cache / FILE_NAME, kept.model_copy(update={"speeds": kept.speeds | {key: speed}}))


def _speed_key() -> str:
    """Return the key of the speed. The engine is not loaded: choosing a model need not wait."""
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
