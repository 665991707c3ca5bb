"""The embedded store: two LanceDB tables, `files` and `passages`.

How it stays whole:

* a change is one commit a table, passages before file rows, and each can be done again. A kill in
  between leaves a file row that does not fit its passages; `stale` finds these (each passage keeps
  the content hash of its file), and the next sync reads those files again. The versions are noted
  when every commit was completed, and nothing is looked for while they are the same;
* where the tables lie decides how a commit is made to last (`local_disk.py`);
* one writer at a time; readers see the newest commit at each query;
* filters and deletions are typed expressions, never text made from names or questions.

Passages have no vector at first: their words can be searched at once. The embedder's name is part
of the table's schema, so that vectors of two embedders cannot be mixed.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from pathlib import Path

from lancedb.expr import col

from manole.errors import IndexBusyError, StoreError
from manole.index.store import row_changes, rows
from manole.index.store.lance_folding import Folding
from manole.index.store.lance_pages import NO_PAGES, counted, pages_of
from manole.index.store.lance_queries import LanceQueries
from manole.index.store.lance_tables import LanceTables
from manole.index.store.local_disk import LocalDisk, Storage
from manole.index.store.malloc import kept_small
from manole.index.store.records import FileRecord, PassageRecord, Vectors
from manole.index.store.vector_index import LIMITS, Limits, VectorIndex
from manole.index.store.writer_lock import failures


class LanceStore(LanceQueries):
    """One library's tables. Open with `LanceStore.open`; write inside `writing()`.

    `storage` is where the tables lie, and `tables.vectors` finds the nearest vectors. `kind` is the
    store's name in the description of an index.
    """

    def __init__(self, tables: LanceTables, storage: Storage, kind: str) -> None:
        super().__init__(tables)
        self.kind = kind
        self.notice: str | None = None  # what opening had to mend, in a sentence
        self._storage = storage
        self._folding = Folding(tables, storage)
        self._settled: Mapping[str, int] | None = None  # versions that the last sync left, complete
        self._finished = False

    @classmethod
    async def open(cls, path: Path, *, limits: Limits = LIMITS) -> LanceStore:
        """Open the index in the folder `path` for reading.

        `limits` decide when vectors get an index. Raises `IndexVersionError`, `StoreError`.
        """
        return await cls.opened(LocalDisk(path), VectorIndex(path, limits))

    @classmethod
    async def opened(
        cls, storage: Storage, vectors: VectorIndex, *, kind: str = "lancedb"
    ) -> LanceStore:
        """Open the tables in `storage`; `vectors` finds the nearest vectors. See `open`."""
        tables = LanceTables(storage.path, await storage.connect(), vectors)
        store = cls(tables, storage, kind)
        if await storage.is_broken():
            # Not while a writer is at work, which mends it itself; nor on a read-only disk.
            with contextlib.suppress(IndexBusyError, StoreError):
                async with storage.lock():
                    store.notice = await storage.mend(vectors)
        await tables.load()
        return store

    @classmethod
    async def discard(cls, path: Path) -> None:
        """Remove the tables in `path`, whatever they hold. Raises `IndexBusyError`."""
        await LocalDisk(path).discard()

    # Writing ---------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def writing(
        self, *, dimensions: int, embedder: str, pages: tuple[str, int] | None = None
    ) -> AsyncIterator[None]:
        """Hold the writer's lock, mend what a kill left, create missing tables.

        See `Store.writing`.
        """
        believed, storage = self.embedder, self._storage
        async with storage.lock():
            if await storage.is_broken():
                self.notice = await storage.mend(self.tables.vectors) or self.notice
            await self.tables.load()
            if believed == embedder != self.embedder and self.exists:
                raise IndexBusyError(
                    f"The index {self.path.name} has just been given another embedder.",
                    "Try again: nothing is lost.",
                )
            self._settled = await storage.begin()
            self._finished = False
            try:
                with kept_small():
                    await self.tables.prepare(dimensions, embedder, pages)
                    with failures(self.path):
                        await self._words.begin(settled=await self._is_settled())
                    await storage.flush()
                    yield
                    await storage.flush()
                    if not self._finished:
                        await self._folding.tidy()
                        await self._folding.keep_up()
                        await storage.flush()
                    with failures(self.path):
                        await self._words.keep()
                        versions = await self.tables.versions()
                await storage.settle(versions)
            finally:
                storage.end()
                self._words.end()

    async def replace(
        self,
        files: Sequence[tuple[FileRecord, Sequence[PassageRecord]]],
        vectors: Vectors | None = None,
        *,
        new: bool = False,
    ) -> None:
        """Put files in place with all their passages. See `Store.replace`.

        `vectors` (n × dimensions) holds those of the passages, in order; without it these have
        none.
        """
        if not files:
            return
        table = self.tables["passages"]
        with failures(self.path):
            written = await row_changes.put_passages(table, files, vectors, new=new)
            if written is not None:
                await self._words.learn(written)
            await self._put_files([file for file, _ in files], new=new)
        await self._folding.meanwhile()
        await self._storage.flush()

    async def touch(self, files: Sequence[FileRecord]) -> None:
        """Update what is kept of files whose content is the same: times, root and path."""
        with failures(self.path):
            for part in rows.chunks(files):
                await row_changes.put_files(self.tables["passages"], part)
                await self._put_files(part)
        await self._storage.flush()

    async def delete(self, file_ids: Iterable[str]) -> None:
        """Remove files and their passages."""
        ids = list(file_ids)
        with failures(self.path):
            for part in rows.chunks(ids):
                await self.tables["passages"].delete(col("file_id").isin(part))
                await self.pages.delete(part)
                await self.tables["files"].delete(col("id").isin(part))
        await self._storage.flush()

    async def put_vectors(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Add vectors (n × dimensions, unit length) to passages; ids that are gone are ignored."""
        if not ids:
            return
        if vectors.shape != (len(ids), self.dimensions):
            raise StoreError(
                f"Vectors of shape {vectors.shape} do not fit {len(ids)} passages of "
                f"{self.dimensions} dimensions."
            )
        with failures(self.path):
            for at in range(0, len(ids), rows.CHUNK):
                part = slice(at, at + rows.CHUNK)
                await row_changes.put_vectors(self.tables["passages"], ids[part], vectors[part])
        await self._folding.meanwhile()
        await self._storage.flush()

    async def put_page_vectors(self, ids: Sequence[str], vectors: Sequence[Vectors]) -> None:
        """Add the vectors of pages; ids that are gone are ignored."""
        await self.pages.put_vectors(ids, vectors)
        await self._storage.flush()

    async def finish(self, *, fully: bool = False) -> None:
        """Fold new rows into the indexes and remove old versions; see `Store.finish`."""
        await self._folding.at_end(fully=fully)
        self._finished = True
        await self._storage.flush()

    async def stale(self) -> tuple[set[str], set[str]]:
        """Find what an interrupted commit left; see `Store.stale`."""
        with failures(self.path):
            if await self._is_settled():
                return set(), set()
            made = await counted(self.tables["passages"])
        files = await self.files()
        wrong, orphans = misfits(files, made)
        pages = await self.pages.counts()
        wrong |= {f.id for f in files if pages.pop(f.id, NO_PAGES) != pages_of(f)}
        return wrong, orphans | pages.keys()

    # Inside ----------------------------------------------------------------------------------

    async def _put_files(self, files: Sequence[FileRecord], *, new: bool = False) -> None:
        if new:
            await self.tables["files"].add(rows.file_table(files))
            return
        merge = self.tables["files"].merge_insert("id").when_matched_update_all()
        await merge.when_not_matched_insert_all().execute(rows.file_table(files))

    async def _is_settled(self) -> bool:
        """Return whether nothing was written since a sync that completed every commit."""
        if self._settled != await self.tables.versions():
            self._settled = None  # for good: a version that was taken back may come again
        return self._settled is not None


def misfits(
    files: Iterable[FileRecord], passages: Iterable[tuple[str, str, int]]
) -> tuple[set[str], set[str]]:
    """Find what an interrupted commit left, given counts of passages by file id and hash.

    Returns the ids of files whose passages do not fit their row, and the ids without a row.
    """
    found: dict[str, list[tuple[str, int]]] = {}
    for file_id, content_hash, count in passages:
        found.setdefault(file_id, []).append((content_hash, count))
    wrong = set()
    for file in files:
        expected = [(file.content_hash, file.passages)] if file.passages else []
        if found.pop(file.id, []) != expected:
            wrong.add(file.id)
    return wrong, set(found)
