"""The inspection of an index, and its maintenance under the writer's lock.

Inspection opens tables through a connection of its own, and changes and mends nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from manole.index.store import durability
from manole.index.store.lance_folding import KEEP_VERSIONS
from manole.index.store.lance_pages import NAME as PAGES
from manole.index.store.lance_pages import made_for
from manole.index.store.lance_tables import index_words, open_table
from manole.index.store.opening import open_store
from manole.index.store.records import Vectors
from manole.index.store.rows import vectors_of
from manole.index.store.writer_lock import failures, writer_lock
from manole.models.weights.files import folder_bytes


@dataclass(frozen=True, slots=True)
class IndexState:
    """One index of a table; `missing` rows are not in it yet."""

    kind: str
    columns: tuple[str, ...]
    rows: int
    missing: int


@dataclass(frozen=True, slots=True)
class TableState:
    """One table. Its folder takes `disk` bytes, of which the newest version needs `live`.

    `old` versions are no longer used by any reader.
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
    """Return the folders of all tables in `path`, whatever state they are in."""
    folder = path / "tables"
    return sorted(folder.glob("*.lance")) if folder.is_dir() else []


async def states(path: Path) -> list[TableState]:
    """Describe every table in `path`. Raises `StoreError` for one that cannot be read."""
    with failures(path):
        return [await _state(path, folder) for folder in table_folders(path)]


async def sampled_vectors(path: Path, count: int) -> Vectors:
    """Return the vectors (n × dimensions) of up to `count` passages spread over the table.

    Raises `StoreError`.
    """
    with failures(path):
        table = await open_table(path, "passages")
        rows = await table.count_rows()
        places = np.unique(np.linspace(0, max(rows - 1, 0), min(rows, count), dtype=np.int64))
        if not len(places):
            return np.empty((0, 0), np.float32)
        query = table.take_offsets(places.tolist()).select(["vector"])
        return vectors_of((await query.to_arrow())["vector"].combine_chunks())


async def file_values(path: Path, column: str) -> set[str]:
    """Return the values of a column of the files table in `path`, as stored.

    Raises `StoreError`.
    """
    with failures(path):
        query = (await open_table(path, "files")).query().select([column])
        return set((await query.to_arrow())[column].to_pylist())


async def put_in_order(path: Path, *, words: bool = False) -> str | None:
    """Mend the index in `path` if need be, fold small parts, remove old versions.

    With `words`, the full-text index is built anew. Returns what was mended, in a sentence. Raises
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
                    with failures(path):
                        await index_words(await open_table(path, "passages"), anew=True)
                await store.finish(fully=True)
        return store.notice
    finally:
        await store.close()


async def pages_made(path: Path) -> tuple[str, int] | None:
    """Return the embedder of the page vectors and its dimensions; `None` without such a table."""
    if not (path / "tables" / f"{PAGES}.lance").is_dir():
        return None
    with failures(path):
        return made_for(await (await open_table(path, PAGES)).schema())


async def _state(path: Path, folder: Path) -> TableState:
    table = await open_table(path, folder.stem)
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
    return TableState(
        name=folder.stem,
        rows=stats["num_rows"],
        fragments=stats["fragment_stats"]["num_fragments"],
        versions=len(durability.manifests(folder)),
        old=durability.removable(folder, KEEP_VERSIONS),
        disk=folder_bytes(folder),
        live=stats["total_bytes"],
        indexes=tuple(indexes),
    )
