"""The `Store` protocol: the interface of anything that keeps passages.

`PassageReader` is the part that showing and mapping files needs, and all that several libraries
together offer. `lance.py` is the embedded store; another store is one more class with these
methods. Filters are typed values, never text in a query language.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from manole.index.store.records import (
    Contents,
    Described,
    FileRecord,
    Filters,
    PageRecord,
    PassageRecord,
    Ranked,
    Vectors,
)

if TYPE_CHECKING:
    from manole.index.store.vocabulary import Reading


class Listing(Protocol):
    """A list of all files in path order, in a form that its store can update."""

    @property
    def files(self) -> list[FileRecord]:
        """The files."""


class PageReader(Protocol):
    """A source of the lines of pages."""

    async def get(self, ids: Sequence[str]) -> dict[str, PageRecord]:
        """Return the pages that exist, with their lines, by id."""


class PageStore(PageReader, Protocol):
    """The pages beside the passages, with the vectors of one `PageEmbedder`."""

    @property
    def embedder(self) -> str:
        """The name of what made their vectors."""

    async def count(self) -> tuple[int, int]:
        """Return the number of pages, and of those that have vectors."""

    async def nearest(
        self, query: Vectors, limit: int, file_ids: Sequence[str] | None
    ) -> list[str]:
        """Return the ids of the best pages by unweighted MaxSim, in these files or in all."""

    async def vectors(self, ids: Sequence[str]) -> dict[str, tuple[PageRecord, Vectors]]:
        """Return the pages that have vectors, with these, by id."""

    async def put(
        self, files: Sequence[FileRecord], pages: Sequence[PageRecord], *, new: bool = False
    ) -> None:
        """Put pages, without vectors, in place of all that these files had.

        It is part of the transaction that `Store.replace` ends. `new` promises that they had none.
        """

    async def missing(self, limit: int) -> list[PageRecord]:
        """Return the pages without vectors."""


class PassageReader(Protocol):
    """A source of the passages and pages of files, to show and map them."""

    @property
    def embedder(self) -> str:
        """The name of what made the vectors."""

    @property
    def pages(self) -> PageReader:
        """The pages beside the passages."""

    async def passages(self, file_id: str, page: int | None = None) -> list[PassageRecord]:
        """Return a file's passages in order, or those of one page."""

    async def passages_of(self, file_ids: Sequence[str]) -> dict[str, list[PassageRecord]]:
        """Return the passages of several files, each in order."""

    def scan_contents(self, file_ids: Sequence[str] | None = None) -> AsyncIterator[Contents]:
        """Yield the texts and vectors of these files' passages, or of all, in batches."""


class Store(PassageReader, Protocol):
    """The files and passages of one library. One writer at a time, any number of readers."""

    kind: str  # its name in the index's description
    path: Path  # the folder of that description
    notice: str | None  # what opening had to mend, in a sentence

    @property
    def dimensions(self) -> int:
        """The dimensions of a passage's vector."""

    @property
    def pages(self) -> PageStore:
        """The pages beside the passages."""

    @property
    def exists(self) -> bool:
        """Whether there is anything to read."""

    async def refresh(self) -> None:
        """Open the index again, which another process may have made or changed."""

    async def count(self) -> tuple[int, int]:
        """Return the number of passages, and of those that have vectors."""

    async def counted(self) -> tuple[int, int]:
        """Return the number of files and of passages, without reading any."""

    def scan_texts(self) -> AsyncIterator[PassageRecord]:
        """Yield every passage."""

    async def sampled_texts(self, count: int) -> list[str]:
        """Return the texts of up to `count` passages, spread over the whole library."""

    async def vector_index(self) -> Described | None:
        """Describe the index over vectors; return `None` where every search is exact."""

    async def close(self) -> None:
        """Release the store."""

    # What a search asks ----------------------------------------------------------------------

    async def made_with(self) -> str:
        """Return the current embedder: another process may have changed it."""

    async def version(self) -> int:
        """Return a number that differs after each change of the passages."""

    async def files(self) -> list[FileRecord]:
        """Return every file known, in path order."""

    async def file_list(self, before: Listing | None = None) -> Listing:
        """List every file, perhaps taking the records of unchanged ones from `before`."""

    async def nearest(self, vector: Vectors, limit: int, filters: Filters) -> list[Ranked]:
        """Return the passages with the highest cosine similarity to `vector`, best first."""

    async def match(self, query: str, limit: int, filters: Filters) -> list[Ranked]:
        """Return the passages with the highest BM25 score for the words of `query`, best first."""

    async def reading(self, query: str) -> Reading:
        """Return how `match` reads the words of `query`."""

    async def misspelt(self, word: str, limit: int) -> list[Ranked]:
        """Return passages with words that are one letter, or an exchange of two, from `word`."""

    async def take(self, found: Sequence[Ranked]) -> list[PassageRecord]:
        """Read the passages found, in this order, but for those deleted meanwhile."""

    async def named(self, ids: Sequence[str]) -> dict[str, PassageRecord]:
        """Return the passages that exist, by their ids."""

    # What a sync does, inside `writing` ------------------------------------------------------

    def writing(
        self, *, dimensions: int, embedder: str, pages: tuple[str, int] | None = None
    ) -> AbstractAsyncContextManager[None]:
        """Hold the writer's lock around a sync. Raises `IndexBusyError`.

        `pages` is the name and the dimensions of the page embedder, by default that of lines. With
        another embedder than the index was made with, all vectors are dropped.
        """

    async def stale(self) -> tuple[set[str], set[str]]:
        """Find what an interrupted commit left.

        Returns the ids of files whose passages do not fit their row (to be read again), and the
        ids that have passages but no row (to be deleted).
        """

    async def files_with(self, key: str) -> list[FileRecord]:
        """Return the files whose metadata has this key, in path order."""

    async def files_at(self, places: Mapping[str, Sequence[str]]) -> list[FileRecord]:
        """Return the files at or below these paths of each root; "" is all of a root."""

    async def statuses(self) -> dict[str, int]:
        """Return the number of files of each status."""

    async def replace(
        self, files: Sequence[tuple[FileRecord, Sequence[PassageRecord]]], *, new: bool = False
    ) -> None:
        """Put files in place with all their passages (without vectors), as one transaction.

        Earlier passages of these files are removed; every other file is untouched. `new` promises
        that the store has none of their ids, so that nothing is looked up.
        """

    async def touch(self, files: Sequence[FileRecord]) -> None:
        """Update the times, root and path of files whose content is the same."""

    async def delete(self, file_ids: Iterable[str]) -> None:
        """Remove files and their passages."""

    async def missing_vectors(self, limit: int) -> list[PassageRecord]:
        """Return the passages that have no vector yet, in file order."""

    async def vectors_of_copies(
        self, file_ids: Sequence[str]
    ) -> list[tuple[PassageRecord, Vectors]]:
        """Return passages and vectors of other files with the same bytes as these.

        For each content it is the file indexed first, even if that has no vectors yet.
        """

    async def put_vectors(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Add vectors (n × dimensions, unit length) to passages."""

    async def put_page_vectors(self, ids: Sequence[str], vectors: Sequence[Vectors]) -> None:
        """Add the vectors of pages, for each page an array (lines × dimensions)."""

    async def finish(self, *, fully: bool = False) -> None:
        """Fold new rows into the indexes and remove old versions, at the end of a sync.

        Unless `fully`, work that pays only after many changes may be left to a later sync.
        """
