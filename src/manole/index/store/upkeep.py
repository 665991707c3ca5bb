"""Inspection and maintenance of an index under the writer lock.

How large its tables are, what lies beside their newest version, whether its vectors are right.
Looking changes nothing: tables are opened by a connection of their own, and nothing is mended.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from manole.index.store import durability
from manole.index.store.lance_folding import KEEP_VERSIONS
from manole.index.store.lance_indexes import FULL_TEXT, WORDS
from manole.index.store.lance_pages import NAME as PAGES
from manole.index.store.opening import open_store
from manole.index.store.records import Vectors
from manole.index.store.writer_lock import failures, writer_lock
from manole.models.weights.files import folder_bytes


@dataclass(frozen=True, slots=True)
class IndexState:
    """One index of a table. `missing`: rows that are not in it yet."""

    kind: str
    columns: tuple[str, ...]
    rows: int
    missing: int


@dataclass(frozen=True, slots=True)
class TableState:
    """One table. `disk` bytes lie in its folder, of which its newest version needs `live`.

    `old`: versions that no reader can still be using.
    """

    name: str
    rows: int
    fragments: int
    versions: int
    old: int
    disk: int
    live: int
    indexes: tuple[IndexState, ...]


def table_folders(path: Path) -> list[Path]:
    """The folders of the tables of the index in `path`, whatever state they are in."""
    folder = path / "tables"
    return sorted(folder.glob("*.lance")) if folder.is_dir() else []


async def states(path: Path) -> list[TableState]:
    """Every table of the index in `path`. Raises `StoreError` for one that cannot be read."""
    with failures(path):
        connection = await lancedb.connect_async(path / "tables")
        return [
            await _state(await connection.open_table(folder.stem), folder)
            for folder in table_folders(path)
        ]


async def sampled_vectors(path: Path, count: int) -> Vectors:
    """The vectors of up to `count` passages, spread over the table. Raises `StoreError`."""
    with failures(path):
        connection = await lancedb.connect_async(path / "tables")
        table = await connection.open_table("passages")
        rows = await table.count_rows()
        places = np.unique(np.linspace(0, max(rows - 1, 0), min(rows, count), dtype=np.int64))
        if not len(places):
            return np.empty((0, 0), np.float32)
        query = table.take_offsets(places.tolist()).select(["vector"])
        column = (await query.to_arrow())["vector"].combine_chunks()
    flat = column.filter(pc.is_valid(column)).flatten().to_numpy(zero_copy_only=False)
    vectors: Vectors = flat.astype(np.float32).reshape(-1, column.type.list_size)
    return vectors


async def content_hashes(path: Path) -> set[str]:
    """The hashes of the contents that the index in `path` knows. Raises `StoreError`."""
    with failures(path):
        connection = await lancedb.connect_async(path / "tables")
        query = (await connection.open_table("files")).query().select(["content_hash"])
        return set((await query.to_arrow())["content_hash"].to_pylist())


async def indexed_roots(path: Path) -> list[str]:
    """The folders that the files of the index in `path` lie in. Raises `StoreError`."""
    with failures(path):
        connection = await lancedb.connect_async(path / "tables")
        query = (await connection.open_table("files")).query().select(["root"])
        return sorted(set((await query.to_arrow())["root"].to_pylist()))


async def put_in_order(path: Path, *, words: bool = False) -> str | None:
    """Mend the index in `path` if need be, fold small parts, remove versions nobody reads.

    `words`: make the full-text index anew. Gives what was mended, in a sentence. Raises
    `IndexBusyError` while another process writes, `IndexVersionError`, `StoreError`.
    """
    async with writer_lock(path):
        pass  # what a writer has half done looks broken, so it must not even be opened
    store = await open_store(path)
    try:
        if store.exists:
            async with store.writing(
                dimensions=store.dimensions,
                embedder=store.embedder,
                pages=await pages_made(path),
            ):
                if words:
                    await _make_words(path)
                await store.finish(fully=True)
        return store.notice
    finally:
        await store.close()


async def _state(table: Any, folder: Path) -> TableState:
    stats = await table.stats()
    indexes = [
        IndexState(
            str(item.index_type),
            tuple(item.columns),
            item.num_indexed_rows or 0,
            item.num_unindexed_rows or 0,
        )
        for item in await table.list_indices()
    ]
    manifests = durability.manifests(folder)
    until = time.time() - KEEP_VERSIONS.total_seconds()
    return TableState(
        name=folder.stem,
        rows=stats["num_rows"],
        fragments=stats["fragment_stats"]["num_fragments"],
        versions=len(manifests),
        old=sum(path.stat().st_mtime < until for path in manifests[1:]),
        disk=folder_bytes(folder),
        live=stats["total_bytes"],
        indexes=tuple(indexes),
    )


async def _make_words(path: Path) -> None:
    with failures(path):
        table = await (await lancedb.connect_async(path / "tables")).open_table("passages")
        await table.create_index(WORDS, config=FULL_TEXT, replace=True)


async def pages_made(path: Path) -> tuple[str, int] | None:
    """With what the vectors of pages were made, so that they are kept."""
    if not (path / "tables" / f"{PAGES}.lance").is_dir():
        return None
    with failures(path):
        table = await (await lancedb.connect_async(path / "tables")).open_table(PAGES)
        return pages_embedder(await table.schema())


def pages_embedder(schema: pa.Schema) -> tuple[str, int]:
    """The name and the dimensions of the embedder that a table of pages was made for."""
    made = (schema.metadata or {}).get(b"manole.embedder", b"").decode()
    return made, schema.field("vectors").type.value_type.list_size
