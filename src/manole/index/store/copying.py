"""Copies of an index: all tables read in batches, and tables made from batches.

Rows are copied, not Lance's own files. So old versions stay behind, nothing in a batch can name a
file, and the tables that are made are of this version, whole and freshly indexed. Rows of an older
format are brought into today's.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa

from manole.errors import ManoleError
from manole.index.store import durability, rows
from manole.index.store.lance_pages import NAME as PAGES
from manole.index.store.lance_pages import made_for
from manole.index.store.lance_pages import schema as pages_schema
from manole.index.store.lance_tables import index_words
from manole.index.store.rewriting import fitted
from manole.index.store.writer_lock import failures

# Both set by hand, for batches that any machine holds in memory.
ROWS = {"files": 4096, "passages": 4096, PAGES: 64}  # of a batch; a page has hundreds of vectors
BATCH = 64 * 2**20  # bytes of a batch, about


@dataclass(frozen=True, slots=True)
class Made:
    """Embedder and dimensions of an index's vectors, of passages and of pages."""

    embedder: str
    dimensions: int
    pages: tuple[str, int] | None

    def schemas(self) -> dict[str, pa.Schema]:
        """Return the schemas of the tables, in the order in which these are made."""
        found = {
            "files": rows.FILES,
            "passages": rows.passages_schema(self.dimensions, self.embedder),
        }
        if self.pages is not None:
            embedder, dimensions = self.pages
            found[PAGES] = pages_schema(dimensions, embedder)
        return found


class Tables:
    """The tables of an index, read while nobody writes them."""

    def __init__(self, path: Path, tables: dict[str, Any], made: Made) -> None:
        self._path = path
        self._tables = tables
        self.made = made

    @classmethod
    async def open(cls, path: Path) -> Tables:
        """Open the current version of the tables in `path`. Raises `StoreError`."""
        with failures(path):
            connection = await lancedb.connect_async(path / "tables")
            names = (await connection.list_tables()).tables
            tables = {
                name: await connection.open_table(name)
                for name in ("files", "passages", PAGES)
                if name in names
            }
            schema = await tables["passages"].schema()
            pages = made_for(await tables[PAGES].schema()) if PAGES in tables else None
        embedder = schema.metadata[b"manole.embedder"].decode()
        return cls(path, tables, Made(embedder, schema.field("vector").type.list_size, pages))

    async def count(self, name: str) -> int:
        """Return the number of rows."""
        with failures(self._path):
            return int(await self._tables[name].count_rows())

    async def batches(self, name: str) -> AsyncIterator[pa.RecordBatch]:
        """Yield all rows, in batches of about `BATCH` bytes."""
        schema = self.made.schemas()[name]
        with failures(self._path):
            query = self._tables[name].query()
            async for batch in await query.to_batches(max_batch_length=ROWS[name]):
                for part in _parts(fitted(batch, schema)):
                    yield part


async def make_tables(
    path: Path, made: Made, batches: Callable[[str], Iterator[pa.RecordBatch]]
) -> None:
    """Make the tables of an index in `path`, which has none, with the full-text index.

    `batches` yields the rows of a table in the schemas of `made`; its errors are raised here.
    Everything is on the disk when this returns. Raises `StoreError`.
    """
    failed: list[ManoleError] = []

    def guarded(name: str) -> Iterator[pa.RecordBatch]:
        try:
            yield from batches(name)
        except ManoleError as error:  # the engine would turn it into a line of text
            failed.append(error)
            raise

    try:
        with failures(path):
            connection = await lancedb.connect_async(path / "tables")
            for name, schema in made.schemas().items():
                reader = pa.RecordBatchReader.from_batches(schema, guarded(name))
                table = await connection.create_table(
                    name, reader, schema=schema, on_bad_vectors="null"
                )
                if name == "passages":
                    await index_words(table)
    except ManoleError as error:
        raise (failed[0] if failed else error) from None
    with failures(path):
        durability.Durable(path / "tables", trust=False).flush()


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    if batch.nbytes <= BATCH or batch.num_rows < 2:
        yield batch
        return
    half = batch.num_rows // 2
    yield from _parts(batch.slice(0, half))
    yield from _parts(batch.slice(half))
