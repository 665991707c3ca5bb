"""Opens an index with the store that it was begun with, as `meta.json` says."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from manole import hooks
from manole.errors import StoreError
from manole.index.store.libraries import read_meta, write_meta
from manole.settings import Settings

if TYPE_CHECKING:
    from manole.index.store.protocol import Store
    from manole.index.store.records import Embed

LANCEDB = "lancedb"


def kept_by(path: Path) -> str | None:
    """Return the store of the index in the folder `path`; `None` where there is no index yet."""
    if name := read_meta(path).get("store"):
        return str(name)
    if not (path / "tables").is_dir():
        return None
    # The description is lost, or older than the choice. A store keeps a folder of its name.
    return next((name for name in hooks.STORES.names() if (path / name).is_dir()), LANCEDB)


async def open_store(
    path: Path, settings: Settings | None = None, embed: Embed | None = None
) -> Store:
    """Open the index in `path` with the store that keeps it, or the settings' for a new one.

    `embed` makes vectors that a store does not keep. Raises `StoreError`, also where the store is
    not known here, and `IndexVersionError`.
    """
    settings = settings or Settings()
    kind = await asyncio.to_thread(_kind, kept_by(path) or settings.index.store)
    return await kind.open(path, settings, embed)


def other_store(path: Path, settings: Settings) -> bool:
    """Return whether the settings name a store that is not that of the index in `path`."""
    named = "store" in settings.index.model_fields_set
    return named and kept_by(path) not in (None, settings.index.store)


async def discard(path: Path, settings: Settings) -> None:
    """Remove what the index in `path` holds; a store that the settings name keeps the next one.

    Raises `IndexBusyError`.
    """
    old = kept_by(path) or LANCEDB
    known = old == LANCEDB or old in hooks.STORES.names()
    kind = await asyncio.to_thread(_kind, old if known else LANCEDB)
    await kind.discard(path)
    if other_store(path, settings) or not known:
        write_meta(path, {"store": settings.index.store})


class StoreKind(Protocol):
    """A store that keeps an index in a folder; its name is a value of `index.store`."""

    async def open(self, path: Path, settings: Settings, embed: Embed | None) -> Store:
        """Open the index in `path`; `embed` makes vectors that it does not keep.

        Raises `StoreError`.
        """

    async def discard(self, path: Path) -> None:
        """Remove what the store keeps in `path`. Raises `IndexBusyError`."""


class _LanceDB:
    """The core's own store."""

    async def open(self, path: Path, settings: Settings, embed: Embed | None) -> Store:
        from manole.index.store.lance import LanceStore

        return await LanceStore.open(path)

    async def discard(self, path: Path) -> None:
        from manole.index.store.lance import LanceStore

        await LanceStore.discard(path)


def _kind(name: str) -> StoreKind:
    """Return the store of that name, with LanceDB imported, on which all of them stand."""
    from manole.index.store.quick_import import import_lancedb

    import_lancedb()
    kind = _LanceDB() if name == LANCEDB else hooks.STORES.get(name)
    if kind is None:
        raise StoreError(
            f"The index is kept by the store {name}, which this version does not know.",
            "`manole index --force FOLDER` builds it anew from your files.",
        )
    return kind
