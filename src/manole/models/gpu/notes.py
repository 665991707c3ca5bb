"""What is known of models on graphics processors, remembered between starts in the cache.

One note for the weights, the engine with its options, the devices and their drivers: with another
of any of them nothing is known yet, and it is tried.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from manole.models.gpu.devices import Gpu, driver
from manole.models.kept import read_kept, write_kept

FILE_NAME = "gpu.json"
REST = timedelta(days=1)  # in which a GPU is left alone that an engine ended on
_MORE = 1.1  # free memory has to have grown by this factor before what failed is tried again


class Token(BaseModel):
    """A token that a model said, its logarithmic probability, and those of the next likeliest."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: int
    logprob: float | None  # `None`: not a number
    others: dict[int, float | None] = Field(default_factory=dict)


class Note(BaseModel):
    """How a model ran on a GPU. Rates are tokens a second; 0 where none was measured."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str  # for people
    gpu: str  # for people
    layers: int = Field(ge=0)
    total: int = Field(ge=0)
    failed: int = Field(0, ge=0)  # the fewest layers that did not load; 0: all did
    free: int = 0  # bytes that were free then, as the devices claimed
    wrong: str = ""  # how what it computes differs; such a GPU is not used
    slow: bool = False  # it reads far more slowly than the CPU; such a GPU is not used either
    checked: bool = False
    ended: datetime | None = None  # when the engine ended in the midst of an answer, or hung
    read_rate: float = 0
    cpu_read_rate: float = 0

    def unused(self) -> bool:
        """Whether it is not to be used, whatever has room on it."""
        return bool(self.wrong) or self.slow or self.resting()

    def resting(self) -> bool:
        """Whether the engine ended or hung on it lately."""
        return self.ended is not None and datetime.now(UTC) - self.ended < REST

    def limit(self, layers: int, free: int) -> int:
        """Of `layers`, those to begin with: not those that failed with no less memory free."""
        known = self.failed and layers >= self.failed and free <= self.free * _MORE
        return self.layers if known else layers


class Answer(BaseModel):
    """What a processor said to the text of the check."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tokens: list[Token]
    read_rate: float = 0


class _Notes(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int = 1
    notes: dict[str, Note] = Field(default_factory=dict)
    answers: dict[str, Answer] = Field(default_factory=dict)  # of the CPU, by weights and engine


def key_for(weights: str, engine: str, gpus: Sequence[Gpu]) -> str:
    """Return the key of a note. `engine` names the engine and the options that take memory."""
    named = [f"{gpu.name} {gpu.description} {gpu.total}" for gpu in gpus]
    text = "\n".join([weights, engine, *named, driver()])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def recall(cache: Path, key: str) -> Note | None:
    """The note under `key`; `None` without one, or when the file is damaged."""
    return _read(cache).notes.get(key)


def recall_answer(cache: Path, key: str) -> Answer | None:
    """Return the CPU's answer to the check, remembered under `key`."""
    return _read(cache).answers.get(key)


def remember(cache: Path, key: str, kept: Note | Answer) -> None:
    """Remember a note or an answer. Where the disk refuses, the next start checks again."""
    known = _read(cache)
    part = "notes" if isinstance(kept, Note) else "answers"
    known = known.model_copy(update={part: getattr(known, part) | {key: kept}})
    with contextlib.suppress(OSError):
        write_kept(cache / FILE_NAME, known)


def forget(cache: Path) -> None:
    """Try every GPU anew from the next start on."""
    (cache / FILE_NAME).unlink(missing_ok=True)


def _read(cache: Path) -> _Notes:
    return read_kept(cache / FILE_NAME, _Notes)
