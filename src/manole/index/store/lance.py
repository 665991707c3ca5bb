"""The embedded store: two LanceDB tables, `files` and `passages`.

How it stays whole:

* a change is one commit a table, passages before file rows, and each can be done again. A kill in
  between leaves a file row that does not fit its passages; `stale` finds these (each passage keeps
  the content hash of its file), and the next sync reads those files again. Where every commit was
  completed, the versions are noted, so that this need not be looked for;
* commits are synced to disk; a mark (`dirty`) stands while a writer works. Opening after a power
  cut, with the mark there or a file cut short, reads the newest version in full and takes it back
  if that fails. If no version can be read, the tables are set aside and the index begins anew;
* one writer at a time (a file lock); readers see the newest commit at each query;
* filters and deletions are typed expressions, never text made from names or questions.

Passages have no vector at first: their words can be searched at once. The embedder's name is part
of the table's schema, so that vectors of two embedders cannot be mixed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path

import pyarrow as pa
from lancedb.expr import col

from manole.errors import IndexBusyError, StoreError
from manole.index.store import durability, recovery, row_changes, rows
from manole.index.store.lance_pages import NO_PAGES, pages_of
from manole.index.store.lance_queries import ID_CHUNK, LanceQueries
from manole.index.store.malloc import give_back, kept_small
from manole.index.store.protocol import FileRecord, PassageRecord, Vectors
from manole.index.store.vector_index import Limits
from manole.index.store.writer_lock import failures, writer_lock


class LanceStore(LanceQueries):
    """One library's tables. Open with `LanceStore.open`; write inside `writing()`."""

    kind = "lancedb"  # its name in an index's description
    _durable: durability.Durable | None = None
    _finished = False

    @classmethod
    async def open(
        cls, path: Path, *, dimensions: int = 0, embedder: str = "", limits: Limits | None = None
    ) -> LanceStore:
        """Open the index in `path` for reading.

        `dimensions` and `embedder` are of use where there are no tables yet; an index that is
        there says itself what it was made with. `limits` say when vectors get an index. Raises
        `IndexVersionError`, `StoreError`.
        """
        store = cls(path, await cls._connect(path), dimensions, embedder, limits)
        await store._open()
        return store

    @classmethod
    async def discard(cls, path: Path) -> None:
        """Remove the tables in `path`, whatever they hold. Raises `IndexBusyError`."""
        await cls._discard(path)

    # Writing ---------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def writing(
        self, *, dimensions: int, embedder: str, pages: tuple[str, int] | None = None
    ) -> AsyncIterator[None]:
        """Hold the writer's lock; mend what a kill left; create missing tables.

        With another embedder than the index was made with, all vectors are dropped (they are
        missing afterwards). Raises `IndexBusyError` when another process writes.
        """
        believed = self.embedder
        async with writer_lock(self.path):
            if self._mark.stands or await asyncio.to_thread(self._looks_broken):
                await self._mend()
            await self._load()
            if believed == embedder != self.embedder and self.exists:
                raise IndexBusyError(
                    f"The index {self.path.name} has just been given another embedder.",
                    "Try again: nothing is lost.",
                )
            with failures(self.path):
                self._unsettle()
                self._mark.set()
            self._durable = durability.Durable(self.path / "tables")
            self._finished = False
            try:
                with kept_small():
                    await self._prepare(dimensions, embedder, pages)
                    with failures(self.path):
                        await self._begin_words()
                    await self._flush()
                    yield
                    await self._flush()
                    if not self._finished:
                        await self._tidy()
                        await self._keep_up()
                        await self._flush()
                    with failures(self.path):
                        await self._keep_words()
                await self._settle()
                with failures(self.path):
                    self._mark.remove()
            finally:
                self._durable = None
                self._end_words()

    async def replace(
        self,
        files: Sequence[tuple[FileRecord, Sequence[PassageRecord]]],
        vectors: Vectors | None = None,
        *,
        new: bool = False,
    ) -> None:
        """Put files in place with all their passages. See `Store.replace`.

        `vectors` are those of all these passages, in their order (n x dimensions); without, they
        have none.
        """
        if not files:
            return
        table = self._tables["passages"]
        with failures(self.path):
            written = await row_changes.put_passages(table, files, vectors, new=new)
            if written is not None:
                await self._learn(written)
            await self._put_files([file for file, _ in files], new=new)
        await self._fold_meanwhile()
        await self._flush()

    async def rename(self, old: FileRecord, new: FileRecord) -> None:
        """Move a file with its passages; vectors are kept. `new` has the id of `old`."""
        await self._update_passages([new])

    async def touch(self, files: Sequence[FileRecord]) -> None:
        """Update what is kept of files whose content is the same: times, path."""
        await self._update_passages(files)

    async def delete(self, file_ids: Iterable[str]) -> None:
        """Remove files and their passages."""
        ids = list(file_ids)
        with failures(self.path):
            for at in range(0, len(ids), ID_CHUNK):
                part = ids[at : at + ID_CHUNK]
                await self._tables["passages"].delete(col("file_id").isin(part))
                await self.pages.delete(part)
                await self._tables["files"].delete(col("id").isin(part))
        await self._flush()

    async def put_vectors(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Add vectors (n x dimensions, unit length) to passages; ids that are gone are ignored."""
        if not ids:
            return
        if vectors.shape != (len(ids), self.dimensions):
            raise StoreError(
                f"Vectors of shape {vectors.shape} do not fit {len(ids)} passages of "
                f"{self.dimensions} dimensions."
            )
        with failures(self.path):
            for at in range(0, len(ids), ID_CHUNK):
                part = slice(at, at + ID_CHUNK)
                await row_changes.put_vectors(self._tables["passages"], ids[part], vectors[part])
        await self._fold_meanwhile()
        await self._flush()

    async def change_vectors(self, dimensions: int, embedder: str, made: pa.Table) -> None:
        """Put other vectors (columns `id`, `vector`), another embedder's, in place of all."""
        with failures(self.path):
            await self._put_vectors_anew(rows.passages_schema(dimensions, embedder), made)
        await self._load()
        await self._flush()

    async def put_page_vectors(self, ids: Sequence[str], vectors: Sequence[Vectors]) -> None:
        """Add the vectors of pages; ids that are gone are ignored."""
        await self.pages.put_vectors(ids, vectors)
        await self._flush()

    async def finish(self, *, fully: bool = False) -> None:
        """End of a sync: fold new rows into the indexes, remove old versions.

        Where little has changed this is left to a later sync, unless `fully`.
        """
        await self._fold(fully)
        self._finished = True
        await self._flush()

    async def stale(self) -> tuple[set[str], set[str]]:
        """What an interrupted commit left.

        The ids of files whose passages do not fit their row (to be read again), and the ids
        that have passages but no row (to be deleted).
        """
        with failures(self.path):
            if await self._is_settled():
                return set(), set()
            query = self._tables["passages"].query().select(["file_id", "content_hash"])
            table = await query.to_arrow()
        counted = table.group_by(["file_id", "content_hash"]).aggregate([([], "count_all")])
        made = [(r["file_id"], r["content_hash"], r["count_all"]) for r in counted.to_pylist()]
        files = await self.files()
        wrong, orphans = recovery.misfits(files, made)
        pages = await self.pages.counts()
        wrong |= {f.id for f in files if pages.pop(f.id, NO_PAGES) != pages_of(f)}
        return wrong, orphans | pages.keys()

    # Inside ----------------------------------------------------------------------------------

    async def _put_files(self, files: Sequence[FileRecord], *, new: bool = False) -> None:
        if new:
            await self._tables["files"].add(rows.file_table(files))
            return
        merge = self._tables["files"].merge_insert("id").when_matched_update_all()
        await merge.when_not_matched_insert_all().execute(rows.file_table(files))

    async def _update_passages(self, files: Sequence[FileRecord]) -> None:
        """Rewrite what passages have of their file's row, and the rows."""
        with failures(self.path):
            for at in range(0, len(files), ID_CHUNK):
                part = files[at : at + ID_CHUNK]
                await row_changes.put_files(self._tables["passages"], part)
                await self._put_files(part)
        await self._flush()

    async def flush(self) -> None:
        """Have what was written so far stand on the disk."""
        await self._flush()

    async def _flush(self) -> None:
        if self._durable is not None:
            with failures(self.path):
                await asyncio.to_thread(self._durable.flush)
            await asyncio.to_thread(give_back)
