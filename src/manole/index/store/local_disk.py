"""The place of an index's tables, and what keeps them whole there: a disk of this machine.

Commits are synced to the disk; a mark (`dirty`) stands while a writer works. Opening after a power
cut, with the mark there or a file cut short, reads the newest version in full and takes it back if
that fails (`recovery.py`). If no version can be read, the tables are set aside and the index begins
anew. `Storage` is the interface of any place for tables.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import lancedb

from manole import private
from manole.index.store import durability, recovery, vector_index, vocabulary
from manole.index.store.lance_indexes import rebuild
from manole.index.store.lance_pages import NAME as PAGES
from manole.index.store.lance_tables import SETTLED, TABLES, connect
from manole.index.store.malloc import give_back
from manole.index.store.vector_index import VectorIndex
from manole.index.store.writer_lock import Mark, failures, writer_lock

Versions = Mapping[str, int]  # of tables


class Storage(Protocol):
    """A place for the tables of one index; `path` is the folder of the files beside them."""

    path: Path

    async def connect(self) -> Any:
        """Connect LanceDB to it. Raises `StoreError`."""

    def lock(self) -> AbstractAsyncContextManager[None]:
        """Hold the writer's lock. Raises `IndexBusyError`."""

    async def is_broken(self) -> bool:
        """Return whether it needs mending before it is read; a working writer looks the same."""

    async def mend(self, vectors: VectorIndex) -> str | None:
        """Make it readable, inside the lock; return what was mended, in a sentence."""

    async def begin(self) -> Versions | None:
        """Begin a writer's work; return what `settle` noted, if nothing was written since."""

    async def flush(self) -> None:
        """Make durable what was written so far. Raises `StoreError` where the lock was lost."""

    async def settle(self, versions: Versions) -> None:
        """Note the versions in which files and passages fit: every commit was completed."""

    def end(self) -> None:
        """End the writer's work, whether it settled or failed."""

    async def removable(self, table: str, keep: timedelta) -> int:
        """Return the number of a table's versions but the newest that are older than `keep`."""


class LocalDisk:
    """The folder `path` of this machine."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._tables = path / "tables"
        self._mark = Mark(path / "dirty")
        self._durable: durability.Durable | None = None

    async def connect(self) -> Any:
        """See `Storage`. Makes the folder."""
        with failures(self.path):
            await asyncio.to_thread(private.make, self.path)
            return await connect(self._tables)

    def lock(self) -> AbstractAsyncContextManager[None]:
        """See `Storage`. A file lock."""
        return writer_lock(self.path)

    async def is_broken(self) -> bool:
        """See `Storage`."""
        names = (*TABLES, PAGES)
        cut = recovery.looks_broken
        return self._mark.stands or await asyncio.to_thread(cut, self._tables, names)

    async def mend(self, vectors: VectorIndex) -> str | None:
        """See `Storage`. By connections of their own: the store's may have cached what was."""

        async def opened(name: str) -> Any:
            return await (await lancedb.connect_async(self._tables)).open_table(name)

        async def readable(name: str) -> bool:
            try:
                async for _ in await (await opened(name)).query().to_batches():
                    pass
            except Exception:
                return False
            return True

        async def build_indexes(name: str, broken: set[str] | None) -> None:
            await rebuild(await opened(name), name, vectors, broken)

        with failures(self.path):
            cut = self._mark.power_cut
            notice = await recovery.mend(
                self._tables, TABLES, (PAGES,), readable, build_indexes, power_cut=cut
            )
            # An interrupted run's files were perhaps never synced.
            await asyncio.to_thread(durability.Durable(self._tables, trust=False).flush)
            self._mark.remove()
        return notice

    async def begin(self) -> Versions | None:
        """See `Storage`. The note is removed before anything is written."""
        note = self.path / SETTLED
        with failures(self.path):
            try:
                settled: Versions | None = json.loads(note.read_text())
            except (OSError, ValueError):
                settled = None
            note.unlink(missing_ok=True)
            self._mark.set()
        self._durable = durability.Durable(self._tables)
        return settled

    async def flush(self) -> None:
        """See `Storage`. Syncs the files that are new."""
        if self._durable is not None:
            with failures(self.path):
                await asyncio.to_thread(self._durable.flush)
            await asyncio.to_thread(give_back)

    async def settle(self, versions: Versions) -> None:
        """See `Storage`."""
        with failures(self.path):
            durability.write_file(self.path / SETTLED, json.dumps(versions))
            self._mark.remove()

    def end(self) -> None:
        """See `Storage`."""
        self._durable = None

    async def removable(self, table: str, keep: timedelta) -> int:
        """See `Storage`."""
        folder = recovery.folder_of(self._tables, table)
        return await asyncio.to_thread(durability.removable, folder, keep)

    async def discard(self) -> None:
        """Remove the tables, whatever they hold. Raises `IndexBusyError`."""
        async with writer_lock(self.path):
            with failures(self.path):
                await asyncio.to_thread(shutil.rmtree, self._tables, ignore_errors=True)
                for name in (SETTLED, vector_index.FILE, vocabulary.FILE):
                    (self.path / name).unlink(missing_ok=True)
