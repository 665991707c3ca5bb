"""A real store whose files a test puts, changes, renames and removes one by one."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from manole.documents.model import Status
from manole.index.graph import FileMap, Graph
from manole.index.store.lance import LanceStore
from manole.index.store.records import FileRecord, PassageRecord

DIMENSIONS = 8


async def graph_of(store: LanceStore, threshold: float = 0.6) -> Graph:
    """The map of every file that has been read, from nothing."""
    return await FileMap().graph(store, await store.files(), threshold)


class WatchedStore(LanceStore):
    """A store that tells which files' contents were read."""

    read: list[str]
    scans = 0

    async def scan_contents(self, file_ids: Sequence[str] | None = None):
        self.scans += 1
        async for contents in super().scan_contents(file_ids):
            self.read = sorted({*getattr(self, "read", ()), *contents.file_ids})
            yield contents


class Shelf:
    """The files of one library, without the files themselves."""

    def __init__(self, store: WatchedStore) -> None:
        self.store = store
        self.map = FileMap()
        self._numbers = itertools.count(1)

    async def put(
        self, path: str, *texts: str, vector: Sequence[float] | None = (1,), root: str = "/r",
        id: str | None = None, title: str | None = None,
    ) -> str:  # fmt: skip
        """Put a file with these passages in place; all have one vector, or none yet."""
        number = next(self._numbers)
        key = id or f"file{number:04d}"
        file = FileRecord(
            id=key, root=root, path=path, size=10, mtime_ns=10**18, content_hash=f"hash{number}",
            status=Status.INDEXED, passages=len(texts), format="text", title=title,
            indexed_at=datetime.fromtimestamp(number, UTC),
        )  # fmt: skip
        passages = [
            PassageRecord(
                id=f"{key}:{i}", file_id=key, root=root, path=path, ordinal=i, page=None,
                line_start=1, line_end=1, start=0, end=len(text), text=text,
            )
            for i, text in enumerate(texts)
        ]  # fmt: skip
        await self.store.replace([(file, passages)])
        if vector is not None:
            await self.embed(key, len(texts), vector)
        return key

    async def embed(self, key: str, count: int, vector: Sequence[float]) -> None:
        """Give each passage of a file the same vector; missing numbers are zero."""
        one = np.zeros(DIMENSIONS, np.float32)
        one[: len(vector)] = vector
        one /= np.linalg.norm(one)
        ids = [f"{key}:{i}" for i in range(count)]
        await self.store.put_vectors(ids, np.tile(one, (count, 1)))

    async def rename(self, key: str, path: str) -> None:
        (old,) = [file for file in await self.store.files() if file.id == key]
        await self.store.touch([replace(old, path=path)])

    async def kept(self, threshold: float = 0.6) -> Graph:
        """The map as it is brought up to date, with what earlier ones have left."""
        self.store.read = []
        return await self.map.graph(self.store, await self.store.files(), threshold)

    async def anew(self, threshold: float = 0.6) -> Graph:
        """The map from nothing."""
        return await graph_of(self.store, threshold)


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    store = await WatchedStore.open(tmp_path / "index")
    async with store.writing(dimensions=DIMENSIONS, embedder="none"):
        yield Shelf(store)
    await store.close()


def joined(graph: Graph, relation: str) -> dict[tuple[str, str], tuple[float, str]]:
    """The edges of one relation."""
    return {
        (edge.source, edge.target): (edge.weight, edge.why)
        for edge in graph.edges
        if edge.relation == relation
    }
