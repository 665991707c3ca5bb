"""The queue of passages without vectors: asked of the store, or kept in memory for small syncs.

Asking the store means that it looks at every row it has. A sync of a few files would then cost as
much as the library is large, so it keeps what it committed, and hands that to the embedder. If it
is killed, the next whole sync finds what is missing in the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from manole.index.store.protocol import Store
from manole.index.store.records import FileRecord, PageRecord, PassageRecord
from manole.index.sync.records import Read

T = TypeVar("T")


class Queue(Protocol):
    """What a sync has put into the store, and what of it has no vector."""

    def note(self, batch: Sequence[Read]) -> None:
        """These were committed."""
        ...

    async def counts(self) -> tuple[int, int]:
        """Passages, and those of them with vectors, before the sync."""
        ...

    async def passages(self, limit: int) -> list[PassageRecord]:
        """Passages without vectors."""
        ...

    async def pages(self, limit: int) -> list[PageRecord]:
        """Pages without vectors."""
        ...

    async def page_counts(self) -> tuple[int, int]:
        """Pages, and those of them with vectors."""
        ...

    async def files(self) -> list[FileRecord]:
        """The files that these passages and pages are of."""
        ...

    async def files_with(self, key: str) -> list[FileRecord]:
        """Those of them whose metadata has this key: something is still to be done with them."""
        ...


class Everything:
    """The whole store as the queue."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def note(self, batch: Sequence[Read]) -> None:
        """The store knows."""

    async def counts(self) -> tuple[int, int]:
        """Passages of the library, and those with vectors."""
        return await self._store.count()

    async def passages(self, limit: int) -> list[PassageRecord]:
        """Passages without vectors."""
        return await self._store.missing_vectors(limit)

    async def pages(self, limit: int) -> list[PageRecord]:
        """Pages without vectors."""
        return await self._store.pages.missing(limit)

    async def page_counts(self) -> tuple[int, int]:
        """Pages of the library, and those with vectors."""
        return await self._store.pages.count()

    async def files(self) -> list[FileRecord]:
        """Every file."""
        return await self._store.files()

    async def files_with(self, key: str) -> list[FileRecord]:
        """Every file with this key."""
        return await self._store.files_with(key)


class Committed:
    """Only what this sync committed; handed out once."""

    def __init__(self) -> None:
        self._files: dict[str, FileRecord] = {}
        self._passages: dict[str, list[PassageRecord]] = {}
        self._pages: dict[str, list[PageRecord]] = {}
        self._paged = 0

    def note(self, batch: Sequence[Read]) -> None:
        """Keep them in place of what was kept of the same files."""
        for item in batch:
            self._files[item.file.id] = item.file
            self._passages[item.file.id] = item.passages
            self._pages[item.file.id] = item.pages

    async def counts(self) -> tuple[int, int]:
        """None: those that an earlier sync left are not asked for."""
        return 0, 0

    async def passages(self, limit: int) -> list[PassageRecord]:
        """At least `limit` passages, as far as there are any."""
        return _taken(self._passages, limit)

    async def pages(self, limit: int) -> list[PageRecord]:
        """At least `limit` pages, as far as there are any."""
        taken = _taken(self._pages, limit)
        self._paged += len(taken)
        return taken

    async def page_counts(self) -> tuple[int, int]:
        """Pages of these files."""
        return self._paged + sum(map(len, self._pages.values())), self._paged

    async def files(self) -> list[FileRecord]:
        """The files of this sync."""
        return list(self._files.values())

    async def files_with(self, key: str) -> list[FileRecord]:
        """The files of this sync with this key."""
        return [file for file in self._files.values() if key in file.metadata]


def _taken(kept: dict[str, list[T]], limit: int) -> list[T]:
    taken: list[T] = []
    while kept and len(taken) < limit:
        taken += kept.pop(next(iter(kept)))
    return taken
