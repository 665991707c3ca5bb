"""Another embedder takes over: all vectors are made anew, and the old ones answer meanwhile.

The new ones gather in a table of their own, each with a mark of the text it was made of, so that a
sync that was killed goes on where it was and a passage that changed since is embedded again. When
none is missing they take the place of the old ones in one commit, with the embedder's name in the
schema; a reader sees either all of the old or all of the new.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from lancedb.expr import col

from manole.index.store.protocol import PassageRecord, Vectors
from manole.index.store.rows import embedding_text, vector_table, vectors_of
from manole.index.store.writer_lock import failures
from manole.index.sync.embedding_dedup import WHOLE, text_key
from manole.index.sync.pace import Pace
from manole.models.embedder import Embedder

if TYPE_CHECKING:
    from manole.index.store.lance import LanceStore

NAME = "exchange"
CHUNK = 1024  # passages looked at together, long texts with long ones
CALL = 64  # passages of one call: how long Ctrl-C may have to wait

Tell = Callable[[str, int, int, str], None]  # stage, done, total, file


async def exchange(store: LanceStore, embedder: Embedder, pace: Pace, tell: Tell) -> int:
    """Give every passage a vector of `embedder`, and the store that embedder.

    Inside `store.writing`. Returns how many were embedded in this run. Raises `StoreError`, and
    what the embedder raises.
    """
    aside = _Aside(store, embedder)
    with failures(store.path):
        kept = await aside.open()
    total, _ = await store.count()
    done = embedded = 0
    part: list[PassageRecord] = []

    async def settle() -> None:
        nonlocal done, embedded
        made = {p.id: (p, text, text_key(text)) for p in part if (text := embedding_text(p))}
        late = [each for each in made.values() if kept.get(each[0].id) != each[2]]
        late.sort(key=lambda each: -len(each[1]))
        done += len(part) - len(late)
        vectors: list[Vectors] = []
        for at in range(0, len(late), CALL):
            await pace.step()
            call = late[at : at + CALL]
            vectors.append(await asyncio.to_thread(embedder.embed, [text for _, text, _ in call]))
            done += len(call)
            tell("embed", done, max(total, done), call[0][0].path)
        if late:
            with failures(store.path):
                ids, marks = [p.id for p, _, _ in late], [mark for _, _, mark in late]
                await aside.put(ids, marks, np.concatenate(vectors), begun=bool(kept))
        embedded += len(late)
        part.clear()

    async for passage in store.scan_texts():
        part.append(passage)
        if len(part) == CHUNK:
            await settle()
    await settle()
    with failures(store.path):
        await store.change_vectors(embedder.dimensions, embedder.name, await aside.vectors())
    await forget(store)
    return embedded


async def forget(store: LanceStore) -> None:
    """Drop what an exchange that came to nothing, or to its end, has left."""
    with failures(store.path):
        if NAME in (await store.connection.list_tables()).tables:
            await store.connection.drop_table(NAME)


class _Aside:
    """The table of the vectors in the making."""

    def __init__(self, store: LanceStore, embedder: Embedder) -> None:
        self._store = store
        self._schema = pa.schema(
            [
                ("id", pa.string()),
                ("mark", pa.binary()),
                ("vector", pa.list_(pa.float16(), embedder.dimensions)),
            ],
            {"manole.embedder": embedder.name},
        )
        self._table: Any = None

    async def open(self) -> dict[str, bytes]:
        """The marks it has; another embedder's, or one that cannot be read, is begun anew."""
        connection = self._store.connection
        if NAME in (await connection.list_tables()).tables:
            try:
                self._table = await connection.open_table(NAME)
                if (await self._table.schema()).equals(self._schema, check_metadata=True):
                    return await self._marks()
            except Exception:  # whatever the engine says of a damaged table
                self._table = None
            await connection.drop_table(NAME)
        self._table = await connection.create_table(NAME, schema=self._schema)
        return {}

    async def _marks(self) -> dict[str, bytes]:
        """By id the mark of each text whose vector is whole: a power cut may have torn some."""
        found: dict[str, bytes] = {}
        async for batch in await self._table.query().to_batches():
            lengths = np.linalg.norm(vectors_of(batch["vector"]), axis=1)
            rows = zip(batch["id"].to_pylist(), batch["mark"].to_pylist(), lengths, strict=True)
            found |= {key: mark for key, mark, length in rows if abs(length - 1) < WHOLE}
        return found

    async def put(
        self, ids: list[str], marks: list[bytes], vectors: Vectors, *, begun: bool
    ) -> None:
        """Add vectors; those that these passages had `begun` with go."""
        if begun:
            await self._table.delete(col("id").isin(ids))
        rows = vector_table(ids, vectors, self._schema)
        rows = rows.append_column("mark", pa.array(marks, pa.binary()))
        await self._table.add(rows.select(self._schema.names).cast(self._schema))
        await self._store.flush()

    async def vectors(self) -> pa.Table:
        return await self._table.query().select(["id", "vector"]).to_arrow()
