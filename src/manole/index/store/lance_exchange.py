"""A table that gathers the vectors of another embedder, beside those in use.

Each row has a mark of the text that its vector was made of. The vectors replace the old ones in one
commit, with the embedder's name in the schema: a reader sees either all of the old or all of the
new.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pyarrow as pa
from lancedb.expr import col

from manole.index.store.lance_tables import LanceTables
from manole.index.store.records import Vectors
from manole.index.store.rows import are_whole, passages_schema, vector_table, vectors_of
from manole.index.store.writer_lock import failures

NAME = "exchange"


class LanceNewVectors:
    """`NewVectors` in LanceDB. `flush` makes durable whatever was written."""

    def __init__(
        self,
        tables: LanceTables,
        flush: Callable[[], Awaitable[None]],
        embedder: str,
        dimensions: int,
    ) -> None:
        self._tables = tables
        self._flush = flush
        self._embedder = embedder
        self._dimensions = dimensions
        self._schema = pa.schema(
            [
                ("id", pa.string()),
                ("mark", pa.binary()),
                ("vector", pa.list_(pa.float16(), dimensions)),
            ],
            {"manole.embedder": embedder},
        )
        self._table: Any = None
        self._begun = False

    async def marks(self) -> dict[str, bytes]:
        """Return the marks by id; begin anew where the table is damaged or of another embedder."""
        connection = self._tables.connection
        with failures(self._tables.path):
            if NAME in (await connection.list_tables()).tables:
                try:
                    self._table = await connection.open_table(NAME)
                    if (await self._table.schema()).equals(self._schema, check_metadata=True):
                        found = await self._marks()
                        self._begun = bool(found)
                        return found
                except Exception:  # the engine raises anything for a damaged table
                    self._table = None
                await connection.drop_table(NAME)
            self._table = await connection.create_table(NAME, schema=self._schema)
        return {}

    async def put(self, ids: Sequence[str], marks: Sequence[bytes], vectors: Vectors) -> None:
        """Put vectors in place of those that an earlier sync made of these passages."""
        with failures(self._tables.path):
            if self._begun:
                await self._table.delete(col("id").isin(list(ids)))
            rows = vector_table(ids, vectors, self._schema)
            rows = rows.append_column("mark", pa.array(marks, pa.binary()))
            await self._table.add(rows.select(self._schema.names).cast(self._schema))
        await self._flush()

    async def take_over(self) -> None:
        """Replace all vectors of the store."""
        with failures(self._tables.path):
            made = await self._table.query().select(["id", "vector"]).to_arrow()
            schema = passages_schema(self._dimensions, self._embedder)
            await self._tables.put_vectors_anew(schema, made)
        await self._tables.load()
        await self._flush()
        await drop_new_vectors(self._tables)

    async def _marks(self) -> dict[str, bytes]:
        """Return the marks of whole vectors by id: a power cut may have torn some."""
        found: dict[str, bytes] = {}
        async for batch in await self._table.query().to_batches():
            whole = are_whole(vectors_of(batch["vector"]))
            each = zip(batch["id"].to_pylist(), batch["mark"].to_pylist(), whole, strict=True)
            found |= {key: mark for key, mark, is_whole in each if is_whole}
        return found


async def drop_new_vectors(tables: LanceTables) -> None:
    """Drop the table of new vectors, finished or not."""
    with failures(tables.path):
        if NAME in (await tables.connection.list_tables()).tables:
            await tables.connection.drop_table(NAME)
