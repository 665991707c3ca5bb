"""Which store keeps an index: the one it was begun with, as its description (`meta.json`) says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from manole.errors import StoreError
from manole.index.store.libraries import read_meta, write_meta

if TYPE_CHECKING:
    from manole.index.store.lance import LanceStore
    from manole.index.store.leann import LeannStore
    from manole.index.store.protocol import Store, Vectors
    from manole.settings import Settings

LANCEDB, LEANN = "lancedb", "leann"


def kept_by(path: Path) -> str | None:
    """The store of the index in the folder `path`; `None` where there is no index yet."""
    if name := read_meta(path).get("store"):
        return str(name)
    if not (path / "tables").is_dir():
        return None
    return LEANN if (path / LEANN).is_dir() else LANCEDB  # made before there was a choice, or lost


async def open_store(
    path: Path,
    *,
    new: str = LANCEDB,
    recompute: bool = False,
    embed: Callable[[Sequence[str]], Vectors] | None = None,
) -> Store:
    """Open the index in `path` with the store that keeps it; one that is not there, with `new`.

    `recompute` and `embed` are for the store leann (`LeannStore.open`). Raises `StoreError`, also
    where the store's extra is not installed, `IndexVersionError`.
    """
    name = kept_by(path) or new
    kind = await asyncio.to_thread(_imported, name)
    if name == LEANN:
        from manole.index.store.leann import LeannStore

        return await LeannStore.open(path, recompute=recompute, embed=embed)
    return await kind.open(path)


def other_store(path: Path, settings: Settings) -> bool:
    """Whether the settings name a store that is not that of the index in `path`."""
    named = "store" in settings.index.model_fields_set
    return named and kept_by(path) not in (None, settings.index.store)


async def discard(path: Path, settings: Settings) -> None:
    """Remove what the index in `path` holds; a store that the settings name keeps the next one.

    Raises `IndexBusyError`.
    """
    old = kept_by(path) or LANCEDB
    kind = await asyncio.to_thread(_imported, old if old in (LANCEDB, LEANN) else LANCEDB)
    await kind.discard(path)
    if other_store(path, settings) or old not in (LANCEDB, LEANN):
        write_meta(path, {"store": settings.index.store})


def _imported(name: str) -> type[LanceStore] | type[LeannStore]:
    from manole.index.store.quick_import import import_lancedb

    import_lancedb()
    if name == LEANN:
        from manole.index.store.leann import LeannStore

        return LeannStore
    if name != LANCEDB:
        raise StoreError(
            f"The index is kept by the store {name}, which this version does not know.",
            "`manole index --force FOLDER` builds it anew from your files.",
        )
    from manole.index.store.lance import LanceStore

    return LanceStore
