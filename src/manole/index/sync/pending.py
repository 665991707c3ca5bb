"""The queue of passages without vectors: the store itself, or memory in a small sync.

To find them, the store looks at every row. That would make the cost of a sync of a few files grow
with the library, so such a sync keeps what it committed and hands it to the embedder. If it is
killed, the next whole sync finds what is missing in the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from manole.index.store.protocol import Store
from manole.index.store.records import FileRecord, PageRecord, PassageRecord
from manole.index.sync.records import Read

T = TypeVar("T")


class Everything:
    """The whole store as the queue."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def note(self, batch: Sequence[Read]) -> None:
        """Do nothing: the store knows what was committed."""

    async def counts(self) -> tuple[int, int]:
        """Count the library's passages, and those with vectors, before the sync."""
        return await self._store.count()

    async def passages(self, limit: int) -> list[PassageRecord]:
        """Return the passages without vectors, `limit` at most."""
        return await self._store.missing_vectors(limit)

    async def pages(self, limit: int) -> list[PageRecord]:
        """Return the pages without vectors, `limit` at most."""
        return await self._store.pages.missing(limit)

    async def page_counts(self) -> tuple[int, int]:
        """Count the library's pages, and those with vectors."""
        return await self._store.pages.count()

    async def files(self) -> list[FileRecord]:
        """Return every file."""
        return await self._store.files()

    async def files_with(self, key: str) -> list[FileRecord]:
        """Return every file with this key in its metadata: something is left to do with it."""
        return await self._store.files_with(key)


class Committed:
    """Only what this sync committed, as the queue; each item is handed out once."""

    def __init__(self) -> None:
        self._files: dict[str, FileRecord] = {}
        self._passages: dict[str, list[PassageRecord]] = {}
        self._pages: dict[str, list[PageRecord]] = {}
        self._paged = 0

    def note(self, batch: Sequence[Read]) -> None:
        """Keep what was committed, in place of what was kept of the same files."""
        for item in batch:
            self._files[item.file.id] = item.file
            self._passages[item.file.id] = item.passages
            self._pages[item.file.id] = item.pages

    async def counts(self) -> tuple[int, int]:
        """Return zeros: what an earlier sync left is not looked for."""
        return 0, 0

    async def passages(self, limit: int) -> list[PassageRecord]:
        """Return at least `limit` passages, as far as there are any."""
        return _taken(self._passages, limit)

    async def pages(self, limit: int) -> list[PageRecord]:
        """Return at least `limit` pages, as far as there are any."""
        taken = _taken(self._pages, limit)
        self._paged += len(taken)
        return taken

    async def page_counts(self) -> tuple[int, int]:
        """Count the pages of these files, and those handed out."""
        return self._paged + sum(map(len, self._pages.values())), self._paged

    async def files(self) -> list[FileRecord]:
        """Return the files of this sync."""
        return list(self._files.values())

    async def files_with(self, key: str) -> list[FileRecord]:
        """Return the files of this sync with this key in their metadata."""
        return [file for file in self._files.values() if key in file.metadata]


Queue = Everything | Committed


def _taken(kept: dict[str, list[T]], limit: int) -> list[T]:
    taken: list[T] = []
    while kept and len(taken) < limit:
        taken += kept.pop(next(iter(kept)))
    return taken
