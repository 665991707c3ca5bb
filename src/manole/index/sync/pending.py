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


class Committed:
    """What one sync committed, with the methods of `Store`; each item is handed out once."""

    def __init__(self) -> None:
        self.pages = CommittedPages()
        self._files: dict[str, FileRecord] = {}
        self._passages: dict[str, list[PassageRecord]] = {}

    def note(self, batch: Sequence[Read]) -> None:
        """Keep what was committed, in place of what was kept of the same files."""
        for item in batch:
            self._files[item.file.id] = item.file
            self._passages[item.file.id] = item.passages
            self.pages.waiting[item.file.id] = item.pages

    async def count(self) -> tuple[int, int]:
        """Return zeros: what an earlier sync left is not looked for."""
        return 0, 0

    async def missing_vectors(self, limit: int) -> list[PassageRecord]:
        """Return at least `limit` passages, as far as there are any."""
        return _taken(self._passages, limit)

    async def files(self) -> list[FileRecord]:
        """Return the files of this sync."""
        return list(self._files.values())

    async def files_with(self, key: str) -> list[FileRecord]:
        """Return the files of this sync with this key in their metadata."""
        return [file for file in self._files.values() if key in file.metadata]


class CommittedPages:
    """The pages of files that one sync committed; each is handed out once."""

    def __init__(self) -> None:
        self.waiting: dict[str, list[PageRecord]] = {}
        self._handed_out = 0

    async def missing(self, limit: int) -> list[PageRecord]:
        """Return at least `limit` pages, as far as there are any."""
        taken = _taken(self.waiting, limit)
        self._handed_out += len(taken)
        return taken

    async def count(self) -> tuple[int, int]:
        """Return the number of pages, and of those handed out."""
        return self._handed_out + sum(map(len, self.waiting.values())), self._handed_out


Queue = Store | Committed


def _taken(kept: dict[str, list[T]], limit: int) -> list[T]:
    taken: list[T] = []
    while kept and len(taken) < limit:
        taken += kept.pop(next(iter(kept)))
    return taken
