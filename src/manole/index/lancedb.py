"""The embedded store: two LanceDB tables, `files` and `passages`.

How it stays whole:

* a change is one commit a table, passages before file rows, and each can be done again. A kill in
  between leaves a file row that does not fit its passages; `stale` finds these (each passage keeps
  the content hash of its file), and the next sync reads those files again;
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
import shutil
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from lancedb.expr import col
from lancedb.index import FTS

from manole.errors import IndexBusyError, IndexVersionError, NotIndexedError, StoreError
from manole.index import durability, mending, rows
from manole.index.expressions import expression, match_query
from manole.index.guard import failures, writer_lock
from manole.index.heap import give_back, kept_small
from manole.index.lancepages import NO_PAGES, LancePages, pages_of
from manole.index.store import FileRecord, Filters, PassageRecord, Scored, Vectors

TABLES = ("files", "passages")
# A reader holds a version only while a query runs; ten minutes are far more than that.
KEEP_VERSIONS = timedelta(minutes=10)
FOLD_AFTER = 10_000  # rows outside the full-text index make a search slow
ID_CHUNK = 1000
INDEX_CACHE, METADATA_CACHE = 256 * 2**20, 64 * 2**20  # bytes at most; by default 6 and 1 GB
NO_VECTOR = "vector IS NULL"
FULL_TEXT = FTS(
    base_tokenizer="icu/split",  # words of languages without spaces, too
    language="English",
    stem=True,
    remove_stop_words=False,  # "to be or not to be" is a question as well
    ascii_folding=True,
)


class LanceStore:
    """One library's tables. Open with `LanceStore.open`; write inside `writing()`."""

    def __init__(self, path: Path, connection: Any, dimensions: int, embedder: str) -> None:
        self.path = path
        self.dimensions = dimensions
        self.embedder = embedder
        self.notice: str | None = None  # what opening had to mend, in a sentence
        self.pages = LancePages(path, connection)
        self._connection = connection
        self._tables: dict[str, Any] = {}
        self._durable: durability.Durable | None = None
        self._unfolded = 0

    @classmethod
    async def open(cls, path: Path, *, dimensions: int = 0, embedder: str = "") -> LanceStore:
        """Open the index in `path` for reading.

        `dimensions` and `embedder` are of use where there are no tables yet; an index that is
        there says itself what it was made with. Raises `IndexVersionError`, `StoreError`.
        """
        with failures(path):
            await asyncio.to_thread(path.mkdir, parents=True, exist_ok=True)
            connection = await lancedb.connect_async(
                path / "tables",
                read_consistency_interval=timedelta(0),
                session=lancedb.Session(INDEX_CACHE, METADATA_CACHE),
            )
        store = cls(path, connection, dimensions, embedder)
        if await asyncio.to_thread(store._looks_broken):
            with contextlib.suppress(IndexBusyError):  # a writer is at work, and will mend it
                async with writer_lock(path):
                    await store._mend()
        await store._load()
        return store

    @classmethod
    async def discard(cls, path: Path) -> None:
        """Remove the tables in `path`, whatever they hold. Raises `IndexBusyError`."""
        async with writer_lock(path):
            with failures(path):
                await asyncio.to_thread(shutil.rmtree, path / "tables", ignore_errors=True)

    async def refresh(self) -> None:
        """Look again for tables that another process made since."""
        await self._load()

    @property
    def exists(self) -> bool:
        """Whether there are tables to read."""
        return len(self._tables) == len(TABLES)

    # Writing ---------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def writing(
        self, *, dimensions: int, embedder: str, pages: tuple[str, int] | None = None
    ) -> AsyncIterator[None]:
        """Hold the writer's lock; mend what a kill left; create missing tables.

        With another embedder than the index was made with, all vectors are dropped (they are
        missing afterwards). Raises `IndexBusyError` when another process writes.
        """
        async with writer_lock(self.path):
            dirty = self.path / "dirty"
            interrupted = dirty.exists()
            if interrupted or await asyncio.to_thread(self._looks_broken):
                await self._mend()
            with failures(self.path):
                dirty.touch()
                durability.sync_path(self.path)
            # An interrupted run's files were perhaps never synced.
            self._durable = durability.Durable(self.path / "tables", trust=not interrupted)
            try:
                with kept_small():
                    await self._prepare(dimensions, embedder, pages)
                    yield
                    await self._flush()
                with failures(self.path):
                    dirty.unlink(missing_ok=True)
            finally:
                self._durable = None

    async def replace(self, files: Sequence[tuple[FileRecord, Sequence[PassageRecord]]]) -> None:
        """Put files in place with all their passages (without vectors). See `Store.replace`."""
        if not files:
            return
        table = self._tables["passages"]
        with failures(self.path):
            data = rows.passage_table(files, await table.schema())
            mine = col("file_id").isin([file.id for file, _ in files])
            if data.num_rows:
                await (
                    table.merge_insert("id")
                    .when_matched_update_all()
                    .when_not_matched_insert_all()
                    .when_not_matched_by_source_delete(mine)
                    .execute(data, on_bad_vectors="null")
                )
            else:
                await table.delete(mine)
            await self._put_files([file for file, _ in files])
            self._unfolded += data.num_rows
            if self._unfolded >= FOLD_AFTER:
                await table.optimize(cleanup_older_than=KEEP_VERSIONS)
                self._unfolded = 0
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
            merge = self._tables["passages"].merge_insert("id").when_matched_update_all()
            await merge.execute(rows.vector_table(ids, vectors))
        await self._flush()

    async def put_page_vectors(self, ids: Sequence[str], vectors: Sequence[Vectors]) -> None:
        """Add the vectors of pages; ids that are gone are ignored."""
        await self.pages.put_vectors(ids, vectors)
        await self._flush()

    async def finish(self) -> None:
        """End of a sync: fold new rows into the indexes, remove old versions."""
        with failures(self.path):
            for name in TABLES:
                await self._tables[name].optimize(cleanup_older_than=KEEP_VERSIONS)
        await self.pages.finish(KEEP_VERSIONS)
        self._unfolded = 0
        await self._flush()

    async def stale(self) -> tuple[set[str], set[str]]:
        """What an interrupted commit left.

        The ids of files whose passages do not fit their row (to be read again), and the ids
        that have passages but no row (to be deleted).
        """
        with failures(self.path):
            query = self._tables["passages"].query().select(["file_id", "content_hash"])
            table = await query.to_arrow()
        counted = table.group_by(["file_id", "content_hash"]).aggregate([([], "count_all")])
        made = [(r["file_id"], r["content_hash"], r["count_all"]) for r in counted.to_pylist()]
        files = await self.files()
        wrong, orphans = mending.misfits(files, made)
        pages = await self.pages.counts()
        wrong |= {f.id for f in files if pages.pop(f.id, NO_PAGES) != pages_of(f)}
        return wrong, orphans | pages.keys()

    # Reading ---------------------------------------------------------------------------------

    async def files(self) -> list[FileRecord]:
        """Every file known, in path order."""
        with failures(self.path):
            table = await self._table("files").query().to_arrow()
        records = [rows.file_record(row) for row in table.to_pylist()]
        return sorted(records, key=lambda file: (file.path, file.root))

    async def missing_vectors(self, limit: int) -> list[PassageRecord]:
        """Passages that have no vector yet, in file order."""
        query = self._table("passages").query().where(NO_VECTOR).limit(limit)
        return await self._records(query)

    async def nearest(self, vector: Vectors, limit: int, filters: Filters) -> list[Scored]:
        """The passages with the highest cosine similarity to `vector`, best first."""
        query = self._table("passages").query().nearest_to(vector).distance_type("cosine")
        found = await self._rows(query, "_distance", limit, filters)
        return [Scored(rows.passage_record(row), 1.0 - row["_distance"]) for row in found]

    async def match(self, query: str, limit: int, filters: Filters) -> list[Scored]:
        """The passages with the highest BM25 score for the words of `query`, best first.

        The query is words only: no operator, quote or field name in it means anything.
        """
        words = rows.pack(query)
        if not words.strip():
            return []
        with failures(self.path):
            search = await self._table("passages").search(match_query(words, "words"))
        found = await self._rows(search, "_score", limit, filters)
        return [Scored(rows.passage_record(row), float(row["_score"])) for row in found]

    async def passages(self, file_id: str) -> list[PassageRecord]:
        """A file's passages in order."""
        return (await self.passages_of([file_id]))[file_id]

    async def passages_of(self, file_ids: Sequence[str]) -> dict[str, list[PassageRecord]]:
        """The passages of several files, each in order."""
        found: dict[str, list[PassageRecord]] = {file_id: [] for file_id in file_ids}
        for start in range(0, len(file_ids), 1000):
            part = list(file_ids[start : start + 1000])
            query = self._table("passages").query().where(col("file_id").isin(part))
            for passage in await self._records(query):
                found[passage.file_id].append(passage)
        for passages in found.values():
            passages.sort(key=lambda passage: passage.ordinal)
        return found

    async def count(self) -> tuple[int, int]:
        """Number of passages, and of those that have vectors."""
        with failures(self.path):
            table = self._table("passages")
            total = await table.count_rows()
            return total, total - await table.count_rows(NO_VECTOR)

    async def scan_texts(self) -> AsyncIterator[PassageRecord]:
        """Every passage."""
        async for batch in self._batches(rows.PASSAGE_COLUMNS):
            for row in batch.to_pylist():
                yield rows.passage_record(row)

    async def scan_vectors(self) -> AsyncIterator[tuple[list[str], Vectors]]:
        """Every vector there is, with the id of its file, in batches."""
        async for batch in self._batches(["file_id", "vector"]):
            there = batch.filter(pc.is_valid(batch["vector"]))
            flat = there["vector"].flatten().to_numpy().astype(np.float32)
            yield there["file_id"].to_pylist(), flat.reshape(len(there), -1)

    async def close(self) -> None:
        """Release the store."""
        for table in self._tables.values():
            table.close()
        self._tables = {}
        self.pages.close()
        self._connection.close()

    # Inside ----------------------------------------------------------------------------------

    async def _batches(self, columns: Sequence[str]) -> AsyncIterator[pa.RecordBatch]:
        query = self._table("passages").query().select(list(columns))
        with failures(self.path):
            async for batch in await query.to_batches():
                yield batch

    def _table(self, name: str) -> Any:
        if name not in self._tables:
            raise NotIndexedError("This library has no index yet.", "Run `manole index FOLDER`.")
        return self._tables[name]

    async def _rows(
        self, query: Any, score: str, limit: int, filters: Filters
    ) -> list[dict[str, Any]]:
        condition = expression(filters)
        if condition is not None:
            query = query.where(condition)
        with failures(self.path):
            table = await query.select([*rows.PASSAGE_COLUMNS, score]).limit(limit).to_arrow()
        found: list[dict[str, Any]] = table.to_pylist()
        return found

    async def _records(self, query: Any) -> list[PassageRecord]:
        with failures(self.path):
            table = await query.select(rows.PASSAGE_COLUMNS).to_arrow()
        return [rows.passage_record(row) for row in table.to_pylist()]

    async def _put_files(self, files: Sequence[FileRecord]) -> None:
        merge = self._tables["files"].merge_insert("id").when_matched_update_all()
        await merge.when_not_matched_insert_all().execute(rows.file_table(files))

    async def _update_passages(self, files: Sequence[FileRecord]) -> None:
        """Rewrite the columns of passages that come from the file's row, and the rows."""
        columns = ["id", "root", "path", "extension", "day", "words", "text_at", "mtime_ns"]
        table = self._tables["passages"]
        with failures(self.path):
            for at in range(0, len(files), ID_CHUNK):
                part = files[at : at + ID_CHUNK]
                known = {file.id: file for file in part}
                query = table.query().where(col("file_id").isin(list(known)))
                grouped: dict[str, list[PassageRecord]] = {file.id: [] for file in part}
                for passage in await self._records(query):
                    grouped[passage.file_id].append(passage)
                data = rows.passage_table(
                    [(known[key], found) for key, found in grouped.items()], await table.schema()
                ).select(columns)
                if data.num_rows:
                    await table.merge_insert("id").when_matched_update_all().execute(data)
                await self._put_files(part)
        await self._flush()

    async def _flush(self) -> None:
        if self._durable is not None:
            with failures(self.path):
                await asyncio.to_thread(self._durable.flush)
            await asyncio.to_thread(give_back)

    def _looks_broken(self) -> bool:
        return mending.looks_broken(self.path / "tables", TABLES)

    async def _mend(self) -> None:
        """Put the tables into a readable state; a writer's lock is held."""
        # Connections of their own: the store's may have cached what was there before.
        tables = self.path / "tables"

        async def readable(name: str) -> bool:
            try:
                table = await (await lancedb.connect_async(tables)).open_table(name)
                async for _ in await table.query().to_batches():
                    pass
            except Exception:
                return False
            return True

        async def build_index(name: str) -> None:
            if name == "passages":
                table = await (await lancedb.connect_async(tables)).open_table(name)
                await table.create_index("words", config=FULL_TEXT, replace=True)

        with failures(self.path):
            self.notice = await mending.mend(tables, TABLES, readable, build_index) or self.notice

    async def _load(self) -> None:
        """Open the tables that are there, and read what the index was made with."""
        with failures(self.path):
            names = set((await self._connection.list_tables()).tables)
            self._tables = {
                name: await self._connection.open_table(name) for name in TABLES if name in names
            }
            await self.pages.load()
            if "passages" not in self._tables:
                return
            schema = await self._tables["passages"].schema()
        made = (schema.metadata or {}).get(b"manole.format", b"?").decode()
        if made != str(rows.FORMAT):
            raise IndexVersionError(
                f"The index {self.path.name} has format {made}; this version reads {rows.FORMAT}.",
                "`manole index --force FOLDER` builds it again from your files.",
            )
        self.embedder = schema.metadata[b"manole.embedder"].decode()
        self.dimensions = schema.field("vector").type.list_size

    async def _prepare(self, dimensions: int, embedder: str, pages: tuple[str, int] | None) -> None:
        await self._load()
        with failures(self.path):
            if "files" not in self._tables:
                await self._connection.create_table("files", schema=rows.FILES)
            wanted = rows.passages_schema(dimensions, embedder)
            if "passages" not in self._tables:
                table = await self._connection.create_table("passages", schema=wanted)
                await table.create_index("words", config=FULL_TEXT)
            elif (self.embedder, self.dimensions) != (embedder, dimensions):
                await self._drop_vectors(wanted)
        name, wide = pages or (f"lines:{embedder}", dimensions)
        await self.pages.prepare(wide, name)
        await self._load()
        await self._flush()

    async def _drop_vectors(self, schema: pa.Schema) -> None:
        """Write all passages anew, without vectors, as one commit."""
        kept = [name for name in schema.names if name != "vector"]
        table = await self._tables["passages"].query().select(kept).to_arrow()
        empty = pa.nulls(table.num_rows, schema.field("vector").type)
        data = table.append_column("vector", empty).cast(schema)
        fresh = await self._connection.create_table(
            "passages", data, schema=schema, mode="overwrite", on_bad_vectors="null"
        )
        await fresh.create_index("words", config=FULL_TEXT)
