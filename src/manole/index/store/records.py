"""The records of a store: files, passages, pages, and the filters of a search.

Filters are typed values, never text in a query language.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

import numpy as np
import numpy.typing as npt

from manole.documents.model import Box, Status

Vectors = npt.NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]  # texts to unit vectors


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file of a library as the index knows it. `path` is relative to its root, with `/`.

    `id` is given when the file is first seen and survives renames. `size` is in bytes,
    `content_hash` is the BLAKE2b-256 of the bytes in hex, or "" when they were never read.
    """

    id: str
    root: str
    path: str
    size: int
    mtime_ns: int
    content_hash: str
    status: Status
    reason: str | None = None
    format: str | None = None
    title: str | None = None
    date: date | None = None
    date_source: str | None = None
    pages: int = 0
    passages: int = 0
    indexed_at: datetime | None = None
    metadata: dict[str, str] = field(default_factory=dict)

    @property
    def extension(self) -> str:
        """Lower-case extension with its dot, or "" (`notes/a.PDF` gives `.pdf`)."""
        name = self.path.rsplit("/", 1)[-1]
        dot = name.rfind(".")
        return name[dot:].lower() if dot > 0 else ""

    @property
    def modified(self) -> datetime:
        """The file's modified time, local time zone."""
        return datetime.fromtimestamp(self.mtime_ns / 1e9).astimezone()


@dataclass(frozen=True, slots=True)
class PassageRecord:
    """A passage as the store keeps it, with the fields of its file that filters need."""

    id: str  # "<file id>:<ordinal>"
    file_id: str
    root: str
    path: str
    ordinal: int
    page: int | None
    line_start: int
    line_end: int
    start: int
    end: int
    text: str
    headings: tuple[str, ...] = ()
    boxes: tuple[Box, ...] = ()
    title: str | None = None
    date: date | None = None
    mtime_ns: int = 0


@dataclass(frozen=True, slots=True)
class Filters:
    """The restrictions of a search. `extensions` are lower case with dot; dates are inclusive.

    `within` are folders and files, matched by whole path components: `invoices` matches
    `invoices/a.pdf` and the file `invoices`, not `invoices-old/a.pdf`.
    """

    within: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    date_from: date | None = None
    date_to: date | None = None

    @property
    def places(self) -> tuple[str, ...]:
        """`within` as the index writes paths; empty if one of them is the whole library."""
        plain = tuple(place.removeprefix("./").strip("/") for place in self.within)
        return () if any(place in {"", "."} for place in plain) else plain


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage that a ranking found, not yet read.

    `score` is the ranking's own: cosine similarity or BM25. `place` is its current row.
    """

    id: str
    place: int
    score: float

    @property
    def file_id(self) -> str:
        """The id of its file."""
        return self.id.rpartition(":")[0]


@dataclass(frozen=True, slots=True)
class Contents:
    """Passages in no particular order: the file and the text of each, and whether it has a vector.

    `vectors` (n × dimensions) holds those of embedded passages, in the same order.
    """

    file_ids: list[str]
    texts: list[str]
    embedded: list[bool]
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class PageRecord:
    """The lines of one page, each with its box. `page` is `None` in a picture."""

    id: str  # "<file id>:<page>"
    file_id: str
    page: int | None
    texts: tuple[str, ...]
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Tuned:
    """The measurement of an index over vectors: the effort of a search and its recall."""

    trained: int  # vectors it was made from
    rows: int  # vectors there were when it was measured
    nprobes: int
    refine: int
    recall: float  # of the ten best, 0 to 1
    samples: int
    measured: str  # ISO date and time, UTC


@dataclass(frozen=True, slots=True)
class Described:
    """An index over vectors. It has `indexed` of `rows`, in `parts` parts."""

    kind: str
    rows: int
    indexed: int
    parts: int
    bytes: int
    tuned: Tuned | None
