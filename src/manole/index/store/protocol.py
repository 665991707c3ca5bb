"""The `Store` protocol: what Manole asks of a place that keeps passages.

`lance.py` is the embedded store; a further store is one more file with this signature. Filters
are typed values, never text in a query language.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

import numpy as np
import numpy.typing as npt

from manole.documents.model import Box, Status

Vectors = npt.NDArray[np.float32]


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
    """Restricts a search. `extensions` are lower case with dot; dates are inclusive.

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
        """`within` as the index writes paths; none where one of them is the whole library."""
        plain = tuple(place.removeprefix("./").strip("/") for place in self.within)
        return () if any(place in {"", "."} for place in plain) else plain


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage that a ranking found, not yet read.

    `score` is that ranking's: cosine similarity, or BM25. `place` is where its store has it now.
    """

    id: str
    place: int
    score: float

    @property
    def file_id(self) -> str:
        """The file it is of."""
        return self.id.rpartition(":")[0]


@dataclass(frozen=True, slots=True)
class Contents:
    """Passages in no order: the file of each, its text, and whether it has a vector.

    `vectors` holds those there are, in the same order.
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


class PageStore(Protocol):
    """Keeps the pages of one library, with the vectors of one `PageEmbedder`."""

    embedder: str

    async def put(
        self, files: Sequence[FileRecord], pages: Sequence[PageRecord], *, new: bool = False
    ) -> None:
        """Put pages, without vectors, in place of all that these files had.

        It is part of the transaction that `Store.replace` ends. `new` promises that they had none.
        """
        ...

    async def missing(self, limit: int) -> list[PageRecord]:
        """Pages without vectors."""
        ...

    async def count(self) -> tuple[int, int]:
        """Number of pages, and of those that have vectors."""
        ...

    async def nearest(
        self, query: Vectors, limit: int, file_ids: Sequence[str] | None
    ) -> list[str]:
        """The ids of the pages that fit best by unweighted MaxSim, in these files or in all."""
        ...

    async def get(self, ids: Sequence[str]) -> dict[str, PageRecord]:
        """Pages with their lines, where they are there."""
        ...

    async def vectors(self, ids: Sequence[str]) -> dict[str, tuple[PageRecord, Vectors]]:
        """Pages with their vectors, where they have some."""
        ...


class Store(Protocol):
    """Keeps files and passages of one library. One writer at a time, any number of readers."""

    embedder: str
    dimensions: int

    @property
    def pages(self) -> PageStore:
        """The pages beside the passages."""
        ...

    async def put_page_vectors(self, ids: Sequence[str], vectors: Sequence[Vectors]) -> None:
        """Add the vectors of pages: one a line, each (number of lines × dimensions)."""
        ...

    def writing(
        self, *, dimensions: int, embedder: str, pages: tuple[str, int] | None = None
    ) -> AbstractAsyncContextManager[None]:
        """Hold the writer's lock around a sync. Raises `IndexBusyError`.

        `pages` are name and dimensions of what embeds pages; without, that of lines. With another
        embedder than the index was made with, all vectors are dropped.
        """
        ...

    async def stale(self) -> tuple[set[str], set[str]]:
        """What an interrupted commit left.

        The ids of files whose passages do not fit their row (to be read again), and the ids
        that have passages but no row (to be deleted).
        """
        ...

    async def files(self) -> list[FileRecord]:
        """Every file known, in path order."""
        ...

    async def files_with(self, key: str) -> list[FileRecord]:
        """The files whose metadata has this key, in path order."""
        ...

    async def files_at(self, places: Mapping[str, Sequence[str]]) -> list[FileRecord]:
        """The files at or below these paths of each root; "" is all of a root."""
        ...

    async def counted(self) -> tuple[int, int]:
        """Number of files, and of passages, without looking at any."""
        ...

    async def statuses(self) -> dict[str, int]:
        """Number of files of each status."""
        ...

    async def replace(
        self, files: Sequence[tuple[FileRecord, Sequence[PassageRecord]]], *, new: bool = False
    ) -> None:
        """Put files in place with all their passages (without vectors), as one transaction.

        What these files had before is gone; every other file is untouched. `new` promises that
        the store has none of their ids: nothing is looked up then.
        """
        ...

    async def rename(self, old: FileRecord, new: FileRecord) -> None:
        """Move a file with its passages; vectors are kept."""
        ...

    async def touch(self, files: Sequence[FileRecord]) -> None:
        """Update what is kept of files whose content is the same: times, root and path."""
        ...

    async def delete(self, file_ids: Iterable[str]) -> None:
        """Remove files and their passages."""
        ...

    async def missing_vectors(self, limit: int) -> list[PassageRecord]:
        """Passages that have no vector yet, in file order."""
        ...

    async def vectors_of_copies(
        self, file_ids: Sequence[str]
    ) -> list[tuple[PassageRecord, Vectors]]:
        """Passages with their vectors, of one other file for each that has the same bytes.

        That is the one indexed first. Where it has no vectors yet, there are none.
        """
        ...

    async def put_vectors(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Add vectors (n × dimensions, unit length) to passages."""
        ...

    async def nearest(self, vector: Vectors, limit: int, filters: Filters) -> list[Ranked]:
        """The passages with the highest cosine similarity to `vector`, best first."""
        ...

    async def match(self, query: str, limit: int, filters: Filters) -> list[Ranked]:
        """The passages with the highest BM25 score for the words of `query`, best first."""
        ...

    async def take(self, found: Sequence[Ranked]) -> list[PassageRecord]:
        """The passages that were found, in this order, without those that are gone meanwhile."""
        ...

    async def named(self, ids: Sequence[str]) -> dict[str, PassageRecord]:
        """Passages by their ids, as far as they are there."""
        ...

    async def passages(self, file_id: str, page: int | None = None) -> list[PassageRecord]:
        """A file's passages in order, or those of one page."""
        ...

    async def passages_of(self, file_ids: Sequence[str]) -> dict[str, list[PassageRecord]]:
        """The passages of several files, each in order."""
        ...

    async def count(self) -> tuple[int, int]:
        """Number of passages, and of those that have vectors."""
        ...

    async def version(self) -> int:
        """Another number after each change of the passages."""
        ...

    async def finish(self) -> None:
        """End of a sync: fold new rows into the indexes, remove old versions."""
        ...

    def scan_texts(self) -> AsyncIterator[PassageRecord]:
        """Every passage."""
        ...

    def scan_contents(self, file_ids: Sequence[str] | None = None) -> AsyncIterator[Contents]:
        """The texts and vectors of these files' passages, or of all, in batches."""
        ...

    async def close(self) -> None:
        """Release the store."""
        ...
