"""Notes on models on graphics processors, kept in the cache between starts.

There is one note for each combination of weights, engine with options, devices and drivers. A new
combination is tried first.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from manole.models.gpu.devices import Gpu, driver
from manole.models.weights.files import read_kept, write_kept

FILE_NAME = "gpu.json"
# Both set by hand.
REST = timedelta(days=1)  # without a GPU on which an engine ended
_MORE = 1.1  # growth of free memory before a number of layers that failed is tried again


class Token(BaseModel):
    """A token of an answer, its log probability, and those of the next likeliest."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: int
    logprob: float | None  # `None`: not a number
    others: dict[int, float | None] = Field(default_factory=dict)


class Note(BaseModel):
    """A note on a model on a GPU. Rates are tokens per second; 0 if not measured."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str  # for readers of the file, as is `gpu`
    gpu: str
    layers: int = Field(ge=0)
    total: int = Field(ge=0)
    failed: int = Field(0, ge=0)  # the fewest layers that did not load; 0 if all did
    free: int = 0  # bytes then free, as the devices claimed
    wrong: str = ""  # how its results differ; such a GPU is not used
    slow: bool = False  # it reads far more slowly than the CPU; nor is it used then
    checked: bool = False
    ended: datetime | None = None  # when the engine ended in the middle of an answer, or hung
    read_rate: float = 0
    cpu_read_rate: float = 0

    def unused(self) -> bool:
        """Return whether the GPU is not to be used, whatever room it has."""
        return bool(self.wrong) or self.slow or self.resting()

    def resting(self) -> bool:
        """Return whether the engine ended or hung on the GPU within a day."""
        return self.ended is not None and datetime.now(UTC) - self.ended < REST

    def limit(self, layers: int, free: int) -> int:
        """Return the layers to begin with: fewer if these failed with no less memory free."""
        known = self.failed and layers >= self.failed and free <= self.free * _MORE
        return self.layers if known else layers


class Answer(BaseModel):
    """The answer of a GPU or the CPU to the text of the check."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tokens: list[Token]
    read_rate: float = 0


class _Notes(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int = 1
    notes: dict[str, Note] = Field(default_factory=dict)
    answers: dict[str, Answer] = Field(default_factory=dict)  # the CPU's, by weights and engine


def key_for(weights: str, engine: str, gpus: Sequence[Gpu]) -> str:
    """Return the key of a note. `engine` names the engine and the options that take memory."""
    named = [f"{gpu.name} {gpu.description} {gpu.total}" for gpu in gpus]
    text = "\n".join([weights, engine, *named, driver()])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def recall(cache: Path, key: str) -> Note | None:
    """Return the note under `key`; `None` without one, or if the file is damaged."""
    return _read(cache).notes.get(key)


def recall_answer(cache: Path, key: str) -> Answer | None:
    """Return the CPU's answer to the check, remembered under `key`."""
    return _read(cache).answers.get(key)


def remember(cache: Path, key: str, kept: Note | Answer) -> None:
    """Remember a note or an answer; if the disk refuses, the next start checks again."""
    known = _read(cache)
    part = "notes" if isinstance(kept, Note) else "answers"
    known = known.model_copy(update={part: getattr(known, part) | {key: kept}})
    with contextlib.suppress(OSError):
        write_kept(cache / FILE_NAME, known)


def forget(cache: Path) -> None:
    """Forget all notes, so that every GPU is tried anew. Raises `OSError`."""
    (cache / FILE_NAME).unlink(missing_ok=True)


def _read(cache: Path) -> _Notes:
    return read_kept(cache / FILE_NAME, _Notes)
