"""`LanceStore` on object storage: the same tables and formats, without what is about a local disk.

An object appears whole or not at all, and LanceDB's commits are conditional puts; so there is
nothing to sync, to mark or to mend. One writer is seen to by a lease in place of a lock.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import lancedb

from manole.index.store.lance import LanceStore
from manole.index.store.lance_tables import INDEX_CACHE, KEEP_VERSIONS, METADATA_CACHE
from manole.index.store.malloc import give_back, kept_small
from manole.index.store.vector_index import FILE, Limits, missing
from manole.index.store.vocabulary import FILE as VOCABULARY
from manole.index.store.writer_lock import failures
from manole_cluster.bucket import Bucket, options
from manole_cluster.lease import Lease
from manole_cluster.notes import Notes

TABLES = "tables"


class RemoteStore(LanceStore):
    """One library's tables below a bucket's address. Open with `RemoteStore.open_at`."""

    _bucket: Bucket
    _notes: Notes
    _lease: Lease

    @classmethod
    async def open_at(
        cls, bucket: Bucket, notes: Notes, path: Path, *, limits: Limits | None = None
    ) -> RemoteStore:
        """Open the tables for reading; `path` is the folder of `notes`.

        Raises `IndexVersionError`, `StoreError`.
        """
        with failures(path):
            connection = await lancedb.connect_async(
                str(bucket.address / TABLES),
                read_consistency_interval=timedelta(0),
                storage_options=options(),
                session=lancedb.Session(INDEX_CACHE, METADATA_CACHE),
            )
        store = cls(path, connection, limits=limits)
        store._bucket, store._notes, store._lease = bucket, notes, Lease(bucket)
        await store._load()
        return store

    @classmethod
    async def discard_at(cls, bucket: Bucket) -> None:
        """Remove the tables, whatever they hold. Raises `IndexBusyError`."""
        async with Lease(bucket).held():
            await asyncio.to_thread(bucket.delete, TABLES)
            await asyncio.to_thread(bucket.remove, FILE)
            await asyncio.to_thread(bucket.remove, VOCABULARY)

    @contextlib.asynccontextmanager
    async def writing(
        self, *, dimensions: int, embedder: str, pages: tuple[str, int] | None = None
    ) -> AsyncIterator[None]:
        """Hold the lease; create missing tables. As `LanceStore.writing`."""
        async with self._lease.held():
            await asyncio.to_thread(self._unsettle)
            self._finished = False
            with kept_small():
                await self._prepare(dimensions, embedder, pages)
                await self._begin_words()
                try:
                    yield
                finally:
                    self._end_words()
                self._lease.check()
                if not self._finished:
                    await self._tidy()
                    await self._keep_up()
                await self._keep_words()
            self._lease.check()
            await asyncio.to_thread(self._notes.push, VOCABULARY)
            await self._settle()

    async def without_vectors(self) -> set[str]:
        """The ids of files with passages that have no vector."""
        with failures(self.path):
            table = self._table("passages")
            condition = missing(await table.schema())
            if not await table.count_rows(condition):
                return set()
            found = await table.query().where(condition).select(["file_id"]).to_arrow()
        return set(found["file_id"].to_pylist())

    async def _keep_up(self) -> bool:
        before = self.vectors.tuned
        made = await super()._keep_up()
        if self.vectors.tuned != before:
            await asyncio.to_thread(self._notes.push, FILE)
        return made

    async def _removable(self, name: str) -> int:
        until = datetime.now(UTC) - KEEP_VERSIONS

        def count() -> int:
            listed = self._bucket.list(f"{TABLES}/{name}.lance/_versions")
            return max(0, sum(item.modified < until for item in listed) - 1)

        return await asyncio.to_thread(count)

    async def _settle(self) -> None:
        note = json.dumps(await self._versions()).encode()
        await asyncio.to_thread(self._notes.settle, note)

    def _unsettle(self) -> None:
        try:
            self._settled = json.loads(self._notes.settled() or b"null")
        except ValueError:
            self._settled = None

    async def _flush(self) -> None:
        """Nothing is to be synced; but nothing more is written by one who lost the lease."""
        self._lease.check()
        await asyncio.to_thread(give_back)
