"""The tables of one library in LanceDB: opened, made and indexed."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.index import FTS, Bitmap, BTree

from manole.errors import IndexVersionError, NotIndexedError
from manole.index.store import rows, vector_index
from manole.index.store.lance_pages import LancePages
from manole.index.store.libraries import FORMAT
from manole.index.store.rewriting import rewrite
from manole.index.store.vector_index import VectorIndex
from manole.index.store.writer_lock import failures
from manole.text import analysis

TABLES = ("files", "passages")
SETTLED = "settled.json"
# Bytes at most, set by hand: LanceDB's own 6 and 1 GB are more than small machines have.
INDEX_CACHE, METADATA_CACHE = 256 * 2**20, 64 * 2**20

LOOKED_UP = 10_000  # rows from which on filters and changes have indexes; set by hand
WORDS = "terms"  # the column of the full-text index
WORDS_INDEX = f"{WORDS}_idx"
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
FULL_TEXT = FTS(  # the terms as they are: `text/analysis.py` has made them
    base_tokenizer="whitespace",
    max_token_length=4 * analysis.MOST,  # bytes
    lower_case=False,
    stem=False,
    remove_stop_words=False,  # "to be or not to be" is a question as well
    ascii_folding=False,
)


async def connect(place: Path | str, **options: Any) -> Any:
    """Connect LanceDB to the tables in a folder, or at an address of object storage."""
    return await lancedb.connect_async(
        place,
        read_consistency_interval=timedelta(0),
        session=lancedb.Session(INDEX_CACHE, METADATA_CACHE),
        **options,
    )


async def open_table(path: Path, name: str) -> Any:
    """Open one table of the index in the folder `path`, by a connection of its own."""
    return await (await lancedb.connect_async(path / "tables")).open_table(name)


class LanceTables:
    """The tables of the library in the folder `path`: `tables["files"]`, `tables["passages"]`.

    `embedder` made the vectors, with `dimensions` each; both are empty until there are tables.
    """

    def __init__(self, path: Path, connection: Any, vectors: VectorIndex) -> None:
        self.path = path
        self.connection = connection
        self.vectors = vectors
        self.embedder = ""
        self.dimensions = 0
        self.pages = LancePages(path, connection)
        self._opened: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """Return LanceDB's table. Raises `NotIndexedError` if there is none."""
        if name not in self._opened:
            raise NotIndexedError("This library has no index yet.", "Run `manole index FOLDER`.")
        return self._opened[name]

    @property
    def exist(self) -> bool:
        """Whether there are tables to read."""
        return len(self._opened) == len(TABLES)

    async def load(self) -> None:
        """Open the existing tables, and read the embedder and the dimensions of their vectors."""
        with failures(self.path):
            names = set((await self.connection.list_tables()).tables)
            self._opened = {
                name: await self.connection.open_table(name) for name in TABLES if name in names
            }
            await self.pages.load()
            if "passages" not in self._opened:
                return
            schema = await self["passages"].schema()
        made = (schema.metadata or {}).get(b"manole.format", b"?").decode()
        if made != str(FORMAT):
            raise IndexVersionError(
                f"The index {self.path.name} has format {made}; this version reads {FORMAT}.",
                "`manole index --force FOLDER` builds it again from your files.",
            )
        self._read_made(schema)

    async def made_with(self) -> str:
        """Return the current embedder: another process may have changed it."""
        with failures(self.path):
            self._read_made(await self["passages"].schema())
        return self.embedder

    async def prepare(self, dimensions: int, embedder: str, pages: tuple[str, int] | None) -> None:
        """Make missing tables, and drop the vectors of another embedder."""
        await self.load()
        with failures(self.path):
            if "files" not in self._opened:
                await self.connection.create_table("files", schema=rows.FILES)
            wanted = rows.passages_schema(dimensions, embedder)
            if "passages" not in self._opened:
                await self.connection.create_table("passages", schema=wanted)
                await self.load()
            elif (self.embedder, self.dimensions) != (embedder, dimensions):
                await self._drop_vectors(wanted)
            await index_words(self["passages"])
        name, wide = pages or (f"lines:{embedder}", dimensions)
        await self.pages.prepare(wide, name)
        await self.load()
        with failures(self.path):
            await self.vectors.reconcile(self["passages"])

    async def versions(self) -> dict[str, int]:
        """Return the newest version of each table."""
        found = {name: int(await table.version()) for name, table in self._opened.items()}
        return found | {"pages": await self.pages.version()}

    async def close(self) -> None:
        """Release the tables."""
        for table in self._opened.values():
            table.close()
        self._opened = {}
        self.pages.close()
        self.connection.close()

    def _read_made(self, schema: pa.Schema) -> None:
        self.embedder = schema.metadata[b"manole.embedder"].decode()
        self.dimensions = schema.field("vector").type.list_size
        self.vectors.made_of(self.embedder, self.dimensions)

    async def _drop_vectors(self, schema: pa.Schema) -> None:
        """Write all passages anew in this schema, of another embedder, without vectors."""
        await rewrite(self.connection, self["passages"], schema)
        await asyncio.to_thread(self.vectors.discard)
        await self.load()


async def index_words(table: Any, *, anew: bool = False) -> None:
    """Make the full-text index where a kill prevented it, or `anew`."""
    if anew or WORDS_INDEX not in {index.name for index in await table.list_indices()}:
        await table.create_index(WORDS, config=FULL_TEXT, replace=True)


async def index_columns(table: Any, name: str) -> None:
    """Make the scalar indexes of the table `name` if it is large; a small one is read faster."""
    if await table.count_rows() >= LOOKED_UP:
        there = {index.name for index in await table.list_indices()}
        for index in SCALARS[name].keys() - there:
            await _index_column(table, name, index)


async def rebuild(table: Any, name: str, vectors: VectorIndex, broken: set[str] | None) -> None:
    """Rebuild the indexes of a table: all, or those whose folders are named in `broken`."""
    for index in await table.list_indices():
        whole = broken is not None and str(index.index_uuid) not in broken
        if whole and index.num_segments == 1:
            continue
        if index.name == WORDS_INDEX:
            await index_words(table, anew=True)
        elif index.name == vector_index.NAME:
            await vectors.build(table)
        elif index.name in SCALARS.get(name, {}):
            await _index_column(table, name, index.name)


async def _index_column(table: Any, name: str, index: str) -> None:
    """Make one of `SCALARS` of the table `name`: a second for a million passages."""
    column, config = index.removesuffix("_idx"), SCALARS[name][index]
    await table.create_index(column, config=config, name=index, replace=True)
