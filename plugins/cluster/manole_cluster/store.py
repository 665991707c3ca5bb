"""A library's tables on object storage: the same tables and formats as on a disk.

An object appears whole or not at all, and LanceDB's commits are conditional puts; so there is
nothing to sync, to mark or to mend. A lease in place of a lock ensures that there is one writer.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from manole.index.store.lance import LanceStore
from manole.index.store.lance_tables import connect
from manole.index.store.local_disk import Versions
from manole.index.store.malloc import give_back
from manole.index.store.vector_index import FILE, LIMITS, MISSING, VectorIndex
from manole.index.store.vocabulary import FILE as VOCABULARY
from manole.index.store.writer_lock import failures
from manole_cluster.bucket import Bucket, options
from manole_cluster.lease import Lease
from manole_cluster.notes import Notes

TABLES = "tables"


class BucketStorage:
    """`manole.index.store.local_disk.Storage` below a bucket's address.

    `path` is the folder of `notes`, the small files beside the tables.
    """

    def __init__(self, bucket: Bucket, notes: Notes, path: Path) -> None:
        self.path = path
        self._bucket = bucket
        self._notes = notes
        self._lease = Lease(bucket)

    async def connect(self) -> Any:
        """See `Storage`."""
        with failures(self.path):
            return await connect(str(self._bucket.address / TABLES), storage_options=options())

    def lock(self) -> AbstractAsyncContextManager[None]:
        """See `Storage`. A lease."""
        return self._lease.held()

    async def is_broken(self) -> bool:
        """See `Storage`. Never."""
        return False

    async def mend(self, vectors: VectorIndex) -> str | None:
        """See `Storage`. There is nothing to mend."""
        return None

    async def begin(self) -> Versions | None:
        """See `Storage`."""

        def settled() -> Versions | None:
            try:
                note: Versions | None = json.loads(self._notes.settled() or b"null")
            except ValueError:
                return None
            return note

        return await asyncio.to_thread(settled)

    async def flush(self) -> None:
        """See `Storage`. Nothing needs to be synced; but without the lease, no more is written."""
        self._lease.check()
        await asyncio.to_thread(give_back)

    async def settle(self, versions: Versions) -> None:
        """See `Storage`."""
        self._lease.check()
        for name in (FILE, VOCABULARY):
            await asyncio.to_thread(self._notes.push, name)
        await asyncio.to_thread(self._notes.settle, json.dumps(versions).encode())

    def end(self) -> None:
        """See `Storage`."""

    async def removable(self, table: str, keep: timedelta) -> int:
        """See `Storage`."""
        until = datetime.now(UTC) - keep

        def count() -> int:
            listed = self._bucket.list(f"{TABLES}/{table}.lance/_versions")
            return max(0, sum(item.modified < until for item in listed) - 1)

        return await asyncio.to_thread(count)


async def open_store(bucket: Bucket, notes: Notes, path: Path) -> LanceStore:
    """Open the tables for reading; `path` is the folder of `notes`.

    Raises `IndexVersionError`, `StoreError`.
    """
    storage = BucketStorage(bucket, notes, path)
    return await LanceStore.opened(storage, VectorIndex(path, LIMITS))


async def discard(bucket: Bucket) -> None:
    """Remove the tables, whatever they hold. Raises `IndexBusyError`."""
    async with Lease(bucket).held():
        await asyncio.to_thread(bucket.delete, TABLES)
        await asyncio.to_thread(bucket.remove, FILE)
        await asyncio.to_thread(bucket.remove, VOCABULARY)


async def without_vectors(store: LanceStore) -> set[str]:
    """Return the ids of files with passages that have no vector."""
    with failures(store.path):
        table = store.tables["passages"]
        if not await table.count_rows(MISSING):
            return set()
        found = await table.query().where(MISSING).select(["file_id"]).to_arrow()
    return set(found["file_id"].to_pylist())
