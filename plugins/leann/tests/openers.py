"""The store `leann`, opened for the contract: graphs from fifty vectors on."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from manole.index.store.lance import LanceStore
from manole.index.store.records import Vectors
from manole_leann.graphs import Share
from manole_leann.store import open_index

SHARE = Share(first=50, exact=100, recomputed=60, parts=3)


async def leann(path: Path) -> LanceStore:
    """Graphs that keep their vectors."""
    return await open_index(path, share=SHARE)


class FakeEmbedderThatRemembers:
    """Gives the vectors that were put, as the contract's vectors come from no text."""

    def __init__(self, store: LanceStore) -> None:
        self._file = store.path / "put.sqlite"
        self._put = store.put_vectors
        with sqlite3.connect(self._file) as kept:
            kept.execute("CREATE TABLE IF NOT EXISTS put (id TEXT PRIMARY KEY, vector BLOB)")

    async def put_vectors(self, ids: Sequence[str], vectors: Vectors) -> None:
        rows = [(key, vector.tobytes()) for key, vector in zip(ids, vectors, strict=True)]
        with sqlite3.connect(self._file) as kept:
            kept.executemany("INSERT OR REPLACE INTO put VALUES (?, ?)", rows)
        await self._put(ids, vectors)

    def __call__(self, ids: Sequence[str]) -> tuple[Vectors, np.ndarray]:
        with sqlite3.connect(self._file) as kept:
            rows = dict(kept.execute("SELECT id, vector FROM put").fetchall())
        found = [np.frombuffer(rows[key], np.float32) if key in rows else None for key in ids]
        wide = max((len(row) for row in found if row is not None), default=0)
        made = [np.zeros(wide, np.float32) if row is None else row for row in found]
        return np.stack(made), np.array([row is not None for row in found])


async def leann_that_recomputes(path: Path) -> LanceStore:
    """Graphs without vectors."""
    store = await open_index(path, share=SHARE, recompute=True)
    fake = FakeEmbedderThatRemembers(store)
    store.tables.vectors.embed = fake
    store.put_vectors = fake.put_vectors  # type: ignore[method-assign]
    return store
