"""Files made to break a reader. Each generator writes one input into a folder of its own.

The generators are in the modules beside this one; `every()` gives them all. Whatever is random in
them follows from a seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

SECRET = "zwiebelturm-4711"  # stands in a file outside of every folder; no index may hold it


@dataclass(frozen=True, slots=True)
class Scale:
    """How large the inputs are that cost time: small in tests, large in the benchmark."""

    bomb_mb: int  # what an archive unpacks to
    deep: int  # levels of nesting
    wide: int  # signs of a text made to be slow
    pages: int  # of the PDF of blanks
    tiny: int  # tiny files
    huge_gb: float  # of the one large text
    read_mb: int  # of each large file that is read, the limit raised
    mails: int  # in one mbox
    line: int  # characters of texts in one line
    sparse_mb: int  # size of files that are one hole
    columns: int  # of a table
    side: int  # pixels of a picture


QUICK = Scale(
    bomb_mb=300, deep=20_000, wide=1_000, pages=1_500, tiny=200, huge_gb=0.6, read_mb=20,
    mails=20, line=60_000, sparse_mb=30, columns=2_000, side=12_000,
)  # fmt: skip
FULL = Scale(
    bomb_mb=10_000, deep=1_000_000, wide=50_000, pages=100_000, tiny=1_000_000, huge_gb=20.0,
    read_mb=1_500, mails=100_000, line=50_000_000, sparse_mb=500, columns=1_000_000, side=20_000,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Making:
    """What a generator gets: its folder, the scale, seeded chance, and where the secret lies."""

    folder: Path
    scale: Scale
    chance: random.Random
    secret: Path

    def write(self, name: str, content: str | bytes) -> Path:
        """A file of the input."""
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path


@dataclass(frozen=True, slots=True)
class Input:
    """A hostile input. `expect`: what each of its files may become.

    `left` says that files may be missing from the index (they are no regular files, or hidden).
    `settings` are variables of the environment that it is synced with, when it is alone.
    """

    name: str
    make: Callable[[Making], None]
    expect: frozenset[str]
    left: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)


_INPUTS: list[Input] = []


def hostile(
    name: str, expect: str, *, left: bool = False, settings: Mapping[str, str] | None = None
) -> Callable[[Callable[[Making], None]], Callable[[Making], None]]:
    """Register a generator. `expect`: words of indexed, partial, skipped, failed."""

    def register(make: Callable[[Making], None]) -> Callable[[Making], None]:
        _INPUTS.append(Input(name, make, frozenset(expect.split()), left, settings or {}))
        return make

    return register


def every() -> list[Input]:
    """All inputs, in the order of their modules."""
    from hostile_set import (  # noqa: F401
        bombs,
        large,
        names,
        nesting,
        papers,
        special,
        statements,
        wrong,
    )

    return list(_INPUTS)
