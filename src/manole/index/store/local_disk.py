"""The place of an index's tables, and what keeps them whole there: a disk of this machine.

Commits are synced to the disk; a mark (`dirty`) stands while a writer works. Opening after a power
cut, with the mark there or a file cut short, mends the tables. The newest version of each is read
in full; one that cannot be read is taken back, and the version before it is tried. If none is left,
all tables are set aside and the index begins anew. Once the newest version is known to be whole,
files that are cut short belong to no version (a kill leaves those) and are removed. Reading a table
needs no index, so an index is only built again: one when a file of its own is cut short, all of
them after a power cut. The table of pages is made from the files at any time: damaged, it goes.

`Storage` is the interface of any place for tables.
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

import psutil

from manole import private
from manole.files import read_json, write_file
from manole.index.store import durability, vector_index, vocabulary
from manole.index.store.lance_pages import NAME as PAGES
from manole.index.store.lance_tables import SETTLED, TABLES, connect, open_table, rebuild
from manole.index.store.malloc import give_back
from manole.index.store.vector_index import VectorIndex
from manole.index.store.writer_lock import failures, writer_lock

Versions = Mapping[str, int]  # of tables

TAKEN_BACK = "The index was cut short; its last complete state is back in place."
SET_ASIDE = "The index was damaged beyond repair; it has to be built again."
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_SAME_BOOT_S = 300.0  # set by hand: a clock that is corrected moves the moment of starting as well


class Storage(Protocol):
    """A place for the tables of one index; `path` is the folder of the files beside them."""

    path: Path

    async def connect(self) -> Any:
        """Connect LanceDB to it. Raises `StoreError`."""

    def lock(self) -> AbstractAsyncContextManager[None]:
        """Hold the writer's lock. Raises `IndexBusyError`."""

    async def is_broken(self) -> bool:
        """Return whether it needs mending before it is read, or a writer is at work."""

    async def mend(self, vectors: VectorIndex) -> str | None:
        """Make it readable, inside the lock; return a sentence if something was lost."""

    async def begin(self) -> Versions | None:
        """Begin a writer's work; return what `settle` noted, unless a writer failed since."""

    async def flush(self) -> None:
        """Make durable all that was written. Raises `StoreError` if the lock was lost."""

    async def settle(self, versions: Versions) -> None:
        """Note the versions in which files and passages fit: every commit was completed."""

    def end(self) -> None:
        """End the writer's work, whether it settled or failed."""

    async def removable(self, table: str, keep: timedelta) -> int:
        """Return the number of a table's versions but the newest that are older than `keep`."""


class LocalDisk:
    """A `Storage` in the folder `path` of this machine."""

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
        return self._mark.stands or await asyncio.to_thread(self._has_cut_files)

    async def mend(self, vectors: VectorIndex) -> str | None:
        """See `Storage`. Opens tables anew: the store's connection may have cached the old ones."""
        with failures(self.path):
            power_cut = self._mark.power_cut
            pages = self._folder(PAGES)
            if pages.exists() and not await self._is_whole(PAGES):
                shutil.rmtree(pages)
            notice = None
            for name in TABLES:
                notice = await self._mend_table(name, vectors, power_cut) or notice
                if notice == SET_ASIDE:
                    break
            # An interrupted run's files were perhaps never synced.
            await asyncio.to_thread(durability.Durable(self._tables, trust=False).flush)
            self._mark.remove()
        return notice

    async def begin(self) -> Versions | None:
        """See `Storage`. The note is removed before anything is written."""
        note = self.path / SETTLED
        with failures(self.path):
            settled: Versions | None = read_json(note, lambda versions: versions)
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
            write_file(self.path / SETTLED, json.dumps(versions))
            self._mark.remove()

    def end(self) -> None:
        """See `Storage`."""
        self._durable = None

    async def removable(self, table: str, keep: timedelta) -> int:
        """See `Storage`."""
        return await asyncio.to_thread(durability.removable, self._folder(table), keep)

    async def discard(self) -> None:
        """Remove the tables, whatever they hold. Raises `IndexBusyError`."""
        async with writer_lock(self.path):
            with failures(self.path):
                await asyncio.to_thread(shutil.rmtree, self._tables, ignore_errors=True)
                for name in (SETTLED, vector_index.FILE, vocabulary.FILE):
                    (self.path / name).unlink(missing_ok=True)

    # Inside ----------------------------------------------------------------------------------

    def _folder(self, name: str) -> Path:
        """Return where a table's files lie."""
        return self._tables / f"{name}.lance"

    def _has_cut_files(self) -> bool:
        """Return whether any file is cut short, of whatever version."""
        return any(any(durability.cut_short(self._folder(name))) for name in (*TABLES, PAGES))

    async def _mend_table(self, name: str, vectors: VectorIndex, power_cut: bool) -> str | None:
        """Mend one table; return a sentence for the user if something was lost.

        After a `power_cut`, a correct ending does not prove that a file is whole.
        """
        folder, notice = self._folder(name), None
        if not folder.exists():
            return None
        if not durability.manifests(folder) and not any(folder.glob("data/*")):
            shutil.rmtree(folder)  # it was just being made
            return None
        while not await self._is_whole(name):
            if not durability.drop_newest(folder):
                self._set_aside()
                return SET_ASIDE
            notice = TAKEN_BACK
        left = list(durability.cut_short(folder))
        indexes = folder / "_indices"
        broken = {path.parent.name for path in left if path.is_relative_to(indexes)}
        if power_cut or broken:
            table = await open_table(self.path, name)
            await rebuild(table, name, vectors, None if power_cut else broken)
        for path in left:
            path.unlink(missing_ok=True)
        return notice

    async def _is_whole(self, name: str) -> bool:
        """Return whether a table's newest version can be read in full."""
        if not durability.newest_is_whole(self._folder(name)):
            return False
        try:
            async for _ in await (await open_table(self.path, name)).query().to_batches():
                pass
        except Exception:  # the engine raises anything for a damaged table
            return False
        return True

    def _set_aside(self) -> None:
        """Move the tables aside, in place of any moved before, and begin with an empty folder."""
        aside = self._tables.with_name("broken")
        shutil.rmtree(aside, ignore_errors=True)
        self._tables.rename(aside)
        self._tables.mkdir()


class Mark:
    """The file that exists while a writer works. It names this run of the machine.

    So a killed writer, whose files are all there, is distinguished from a power cut.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def stands(self) -> bool:
        """Whether the file exists: a writer works, or was interrupted."""
        return self._path.exists()

    @property
    def power_cut(self) -> bool:
        """Whether the file was made before the machine was started; not without a file."""
        try:
            made = self._path.read_text("utf-8", errors="replace")
        except OSError:
            return False
        try:
            return abs(float(made) - float(_boot())) > _SAME_BOOT_S
        except ValueError:
            return made != _boot()

    def set(self) -> None:
        """Create the file, durably, before the first write."""
        write_file(self._path, _boot())

    def remove(self) -> None:
        """Remove the file."""
        self._path.unlink(missing_ok=True)


def _boot() -> str:
    """Return a name for this run of the machine."""
    try:
        return _BOOT.read_text("ascii").strip()
    except OSError:
        return f"{psutil.boot_time():.0f}"
