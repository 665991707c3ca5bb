"""The tables of one library in LanceDB: opened, made, mended, folded, and known to be whole.

Folding (LanceDB's `optimize`) joins small pieces of a table into large ones, takes new rows into
its indexes and removes old versions. It writes the full-text index, and what it joins, anew; so it
is done when there is enough to fold, and what a sync costs depends on what it changed. A row
outside the full-text index costs each search 0.07 ms.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.index import FTS, Bitmap, BTree

from manole import private
from manole.errors import IndexBusyError, IndexVersionError, NotIndexedError, StoreError
from manole.index.store import durability, formats, recovery, rows, vector_index, vocabulary
from manole.index.store.lance_pages import NAME as PAGES
from manole.index.store.lance_pages import LancePages
from manole.index.store.lance_words import LanceWords
from manole.index.store.rewriting import rewrite, with_vectors
from manole.index.store.vector_index import Limits, VectorIndex
from manole.index.store.writer_lock import Mark, failures, writer_lock
from manole.text import analysis

TABLES = ("files", "passages")
# A reader holds a version only while a query runs; ten minutes are far more than that.
KEEP_VERSIONS = timedelta(minutes=10)
SMALL = 2_000  # rows up to which folding is cheap, so that it is done sooner:
SMALL_PIECES = 16  # from so many pieces on, or a quarter of the rows outside the full-text index
UNFOLDED = 300  # rows outside the full-text index that a sync may leave: 20 ms of a search
UNFOLDED_MEANWHILE = 10_000  # and those while one runs; or a fiftieth of the table
COMMITS, COMMITS_MEANWHILE = 64, 1000  # pieces, or versions that could be removed, left over
LOOKED_UP = 10_000  # rows from which on filters and changes have indexes
INDEX_CACHE, METADATA_CACHE = 256 * 2**20, 64 * 2**20  # bytes at most; by default 6 and 1 GB
WORDS = "terms"  # the column of the full-text index
WORDS_INDEX = f"{WORDS}_idx"
OLD_WORDS = "words"  # that column in tables of an older format
OLD_WORDS_INDEX = f"{OLD_WORDS}_idx"
SCALARS: dict[str, dict[str, Any]] = {
    "files": {
        "id_idx": BTree(),  # changes
        "path_idx": BTree(),  # those of some folders only
        "content_hash_idx": BTree(),  # copies
    },
    "passages": {
        "id_idx": BTree(),  # changes
        "file_id_idx": BTree(),  # changes, and the passages of a file
        "path_idx": BTree(),  # filters
        "day_idx": BTree(),
        "extension_idx": Bitmap(),
    },
}
SETTLED = "settled.json"
FULL_TEXT = FTS(  # the terms as they are: `text/analysis.py` has made them
    base_tokenizer="whitespace",
    max_token_length=4 * analysis.MOST,  # bytes
    lower_case=False,
    stem=False,
    remove_stop_words=False,  # "to be or not to be" is a question as well
    ascii_folding=False,
)
OLD_FULL_TEXT = FTS(  # of tables of an older format, until a sync brings them up
    base_tokenizer="icu/split",
    language="English",
    stem=True,
    remove_stop_words=False,
    ascii_folding=True,
)


class LanceTables(LanceWords):
    """The tables below `path`. `LanceStore` reads and writes them."""

    def __init__(
        self,
        path: Path,
        connection: Any,
        dimensions: int = 0,
        embedder: str = "",
        limits: Limits | None = None,
    ) -> None:
        self.path = path
        self.dimensions = dimensions
        self.embedder = embedder
        self.notice: str | None = None  # what opening had to mend, in a sentence
        self.pages = LancePages(path, connection)
        self.vectors = VectorIndex(path, limits or Limits())
        self._mark = Mark(path / "dirty")
        self.connection = connection
        self._tables: dict[str, Any] = {}
        super().__init__()
        self._settled: dict[str, int] | None = None  # versions that the last sync left, complete

    @property
    def exists(self) -> bool:
        """Whether there are tables to read."""
        return len(self._tables) == len(TABLES)

    async def refresh(self) -> None:
        """Look again for tables that another process made since."""
        await self._load()

    async def made_with(self) -> str:
        """The embedder of the vectors there are now: another process may have changed it."""
        with failures(self.path):
            self._read_made(await self._table("passages").schema())
        return self.embedder

    async def close(self) -> None:
        """Release the store."""
        for table in self._tables.values():
            table.close()
        self._tables = {}
        self.pages.close()
        self.connection.close()

    def _table(self, name: str) -> Any:
        if name not in self._tables:
            raise NotIndexedError("This library has no index yet.", "Run `manole index FOLDER`.")
        return self._tables[name]

    # Opening and making ----------------------------------------------------------------------

    @staticmethod
    async def _connect(path: Path) -> Any:
        with failures(path):
            await asyncio.to_thread(private.make, path)
            return await lancedb.connect_async(
                path / "tables",
                read_consistency_interval=timedelta(0),
                session=lancedb.Session(INDEX_CACHE, METADATA_CACHE),
            )

    async def _open(self) -> None:
        if self._mark.stands or await asyncio.to_thread(self._looks_broken):
            # A writer is at work, and will mend it; or nothing can be written, and it may do.
            with contextlib.suppress(IndexBusyError, StoreError):
                async with writer_lock(self.path):
                    await self._mend()
        await self._load()

    async def _load(self) -> None:
        """Open the tables that are there, and read what the index was made with."""
        with failures(self.path):
            names = set((await self.connection.list_tables()).tables)
            self._tables = {
                name: await self.connection.open_table(name) for name in TABLES if name in names
            }
            await self.pages.load()
            if "passages" not in self._tables:
                return
            schema = await self._tables["passages"].schema()
        made = (schema.metadata or {}).get(b"manole.format", b"?").decode()
        if made not in map(str, (rows.FORMAT, *rows.OLDER)):
            raise IndexVersionError(
                f"The index {self.path.name} has format {made}; this version reads {rows.FORMAT}.",
                "`manole index --force FOLDER` builds it again from your files.",
            )
        self._read_made(schema)

    def _read_made(self, schema: pa.Schema) -> None:
        self.embedder = schema.metadata[b"manole.embedder"].decode()
        self.dimensions = schema.field("vector").type.list_size

    async def _prepare(self, dimensions: int, embedder: str, pages: tuple[str, int] | None) -> None:
        await self._load()
        with failures(self.path):
            if "files" not in self._tables:
                await self.connection.create_table("files", schema=rows.FILES)
            wanted = rows.passages_schema(dimensions, embedder)
            if "passages" not in self._tables:
                await self.connection.create_table("passages", schema=wanted)
                await self._load()
            else:
                if WORDS not in (await self._tables["passages"].schema()).names:
                    await self._bring_up()
                if (self.embedder, self.dimensions) != (embedder, dimensions):
                    await self._put_vectors_anew(wanted, None)
            await self._index_words()
        name, wide = pages or (f"lines:{embedder}", dimensions)
        await self.pages.prepare(wide, name)
        await self._load()

    async def _bring_up(self) -> None:
        """Write all passages of an older format anew in today's, vectors and all."""
        schema = rows.passages_schema(self.dimensions, self.embedder)
        await self._rewrite(schema, lambda batch: formats.fitted(batch, schema))

    async def _put_vectors_anew(self, schema: pa.Schema, made: pa.Table | None) -> None:
        """Write all passages anew, with the vectors `made` (by `id`) or none."""
        kept = [name for name in schema.names if name not in {"vector", "embedded"}]
        await self._rewrite(schema, with_vectors(schema, made), kept)

    async def _rewrite(self, schema: pa.Schema, fit: Any, columns: list[str] | None = None) -> None:
        await rewrite(self.connection, self._tables["passages"], schema, fit, columns)
        await self._load()
        await self._index_words()

    async def _index_words(self) -> None:
        """Make the full-text index, unless it is there: a kill may have come before it."""
        table = self._tables["passages"]
        if WORDS_INDEX not in {index.name for index in await table.list_indices()}:
            await table.create_index(WORDS, config=FULL_TEXT)

    # Mending ---------------------------------------------------------------------------------

    def _looks_broken(self) -> bool:
        return recovery.looks_broken(self.path / "tables", (*TABLES, PAGES))

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

        async def build_indexes(name: str, broken: set[str] | None) -> None:
            """Make all indexes of a table anew, or those with a folder of one of these names."""
            table = await (await lancedb.connect_async(tables)).open_table(name)
            for index in await table.list_indices():
                whole = broken is not None and str(index.index_uuid) not in broken
                if whole and index.num_segments == 1:
                    continue
                if index.name == WORDS_INDEX:
                    await table.create_index(WORDS, config=FULL_TEXT, replace=True)
                elif index.name == OLD_WORDS_INDEX:
                    await table.create_index(OLD_WORDS, config=OLD_FULL_TEXT, replace=True)
                elif index.name == vector_index.NAME:
                    await self.vectors.build(table)
                elif index.name in SCALARS.get(name, {}):
                    await _index_column(table, name, index.name)

        with failures(self.path):
            cut = self._mark.power_cut
            notice = await recovery.mend(
                tables, TABLES, (PAGES,), readable, build_indexes, power_cut=cut
            )
            self.notice = notice or self.notice
            # An interrupted run's files were perhaps never synced.
            await asyncio.to_thread(durability.Durable(tables, trust=False).flush)
            self._mark.remove()

    # Folding ---------------------------------------------------------------------------------

    async def _fold(self, fully: bool = False) -> None:
        """Fold those tables in which a sync, now at its end, has changed enough; or all."""
        with failures(self.path):
            for name in TABLES:
                if fully or await self._to_fold(name):
                    await self._optimize(name)
        await self.pages.finish(KEEP_VERSIONS, 0 if fully else COMMITS)
        await self._keep_up()

    async def _fold_meanwhile(self) -> None:
        """Fold what would make searches slow, while a sync goes on."""
        with failures(self.path):
            for name in TABLES:
                if await self._to_fold(name, meanwhile=True):
                    await self._optimize(name)
                    if name == "passages":
                        await self._keep_up()

    async def _tidy(self) -> None:
        """Remove versions that nobody reads any more, where there is nothing to fold."""
        with failures(self.path):
            for name, table in self._tables.items():
                words = await table.index_stats(WORDS_INDEX)
                if words and words.num_unindexed_rows:
                    continue
                if await self._removable(name):
                    await self._optimize(name)

    async def _optimize(self, name: str) -> None:
        """Fold a table. A vector index that cannot take rows in is dropped, and made anew later.

        So it is where vectors are all the same and the new rows have none (LanceDB 0.40).
        """
        table = self._tables[name]
        try:
            await table.optimize(cleanup_older_than=KEEP_VERSIONS)
        except Exception:
            if name != "passages" or not await self.vectors.drop(table):
                raise
            await table.optimize(cleanup_older_than=KEEP_VERSIONS)

    async def _removable(self, name: str) -> int:
        """Number of a table's old versions that nobody reads any more."""
        folder = recovery.folder_of(self.path / "tables", name)
        return await asyncio.to_thread(durability.removable, folder, KEEP_VERSIONS)

    async def _to_fold(self, name: str, meanwhile: bool = False) -> bool:
        table = self._tables[name]
        count = int(await table.count_rows())
        words = await table.index_stats(WORDS_INDEX)
        unfolded = words.num_unindexed_rows if words else 0
        old = await self._removable(name)
        pieces = int((await table.stats())["fragment_stats"]["num_fragments"])
        if meanwhile:
            late = unfolded >= max(UNFOLDED_MEANWHILE, count // 50)
            return bool(late or max(old, pieces) >= COMMITS_MEANWHILE)
        small = count <= SMALL and (pieces >= SMALL_PIECES or unfolded * 4 >= count)
        return small or unfolded >= UNFOLDED or max(old, pieces) >= COMMITS

    async def _keep_up(self) -> bool:
        """Make the indexes that a table of this size needs; the others cost more than they give."""
        with failures(self.path):
            for name, wanted in SCALARS.items():
                table = self._tables[name]
                if await table.count_rows() >= LOOKED_UP:
                    there = {index.name for index in await table.list_indices()}
                    for index in wanted.keys() - there:
                        await _index_column(table, name, index)
            return await self.vectors.keep_up(self._tables["passages"])

    # Knowing that nothing is missing ---------------------------------------------------------

    async def _versions(self) -> dict[str, int]:
        found = {name: int(await table.version()) for name, table in self._tables.items()}
        return found | {"pages": await self.pages.version()}

    async def _settle(self) -> None:
        """Note the versions in which files and passages fit: every commit was completed."""
        note = self.path / SETTLED
        with failures(self.path):
            durability.write_file(note, json.dumps(await self._versions()))

    def _unsettle(self) -> None:
        """Read that note and remove it, before anything is written."""
        note = self.path / SETTLED
        try:
            self._settled = json.loads(note.read_text())
        except (OSError, ValueError):
            self._settled = None
        note.unlink(missing_ok=True)

    async def _is_settled(self) -> bool:
        """Whether nothing was written since a sync that completed every commit."""
        if self._settled != await self._versions():
            self._settled = None  # for good: a version that was taken back may come again
        return self._settled is not None

    @staticmethod
    async def _discard(path: Path) -> None:
        async with writer_lock(path):
            with failures(path):
                await asyncio.to_thread(shutil.rmtree, path / "tables", ignore_errors=True)
                for name in (SETTLED, vector_index.FILE, vocabulary.FILE):
                    (path / name).unlink(missing_ok=True)


async def _index_column(table: Any, name: str, index: str) -> None:
    """Make one of `SCALARS` of the table `name`. For a million passages it takes a second."""
    column, config = index.removesuffix("_idx"), SCALARS[name][index]
    await table.create_index(column, config=config, name=index, replace=True)
