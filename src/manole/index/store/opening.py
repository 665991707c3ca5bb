"""The opening of an index, lazily and with the store that it was begun with.

`meta.json` names that store. A library holds an `IndexHandle`, which opens the store when somebody
first reads or writes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from manole import hooks
from manole.errors import IndexVersionError, NotIndexedError, StoreError
from manole.index.store.libraries import FORMAT, META, read_meta, write_meta
from manole.models.endpoints import chosen_embedder
from manole.settings import Settings

if TYPE_CHECKING:
    from manole.index.store.protocol import Store
    from manole.index.store.records import Embed

LANCEDB = "lancedb"

# Loads what an index made anew needs beside its store, or raises: see `IndexHandle.to_write`.
Ready = Callable[[], Awaitable[None]]


def kept_by(path: Path) -> str | None:
    """Return the name of the store of the index in `path`; `None` if there is no index yet."""
    if name := read_meta(path).get("store"):
        return str(name)
    if not (path / "tables").is_dir():
        return None
    # The description is lost, or older than the choice. A store keeps a folder of its name.
    return next((name for name in hooks.STORES.names() if (path / name).is_dir()), LANCEDB)


async def open_store(
    path: Path, settings: Settings | None = None, embed: Embed | None = None
) -> Store:
    """Open the index in `path` with its own store; a new index, with that of the settings.

    `embed` makes vectors that a store does not keep. Raises `StoreError`, also for an unknown
    store, and `IndexVersionError`.
    """
    settings = settings or Settings()
    kind = await asyncio.to_thread(_kind, kept_by(path) or settings.index.store)
    return await kind.open(path, settings, embed)


def other_store(path: Path, settings: Settings) -> bool:
    """Return whether the settings name another store than that of the index in `path`."""
    named = "store" in settings.index.model_fields_set
    return named and kept_by(path) not in (None, settings.index.store)


async def discard(path: Path, settings: Settings) -> None:
    """Empty the index in `path`; `next_store` keeps the next one. Raises `IndexBusyError`."""
    old, new = kept_by(path) or LANCEDB, next_store(path, settings)
    kind = await asyncio.to_thread(_kind, old if _known(old) else LANCEDB)
    await kind.discard(path)
    if new != old:
        write_meta(path, {"store": new})


def next_store(path: Path, settings: Settings) -> str:
    """Return the store that keeps the index in `path` when it is made anew.

    It is that of the settings where these name one, else the one that keeps it now.
    """
    old = kept_by(path)
    if old is None or not _known(old) or other_store(path, settings):
        return settings.index.store
    return old


class StoreKind(Protocol):
    """A kind of store that keeps an index in a folder; its name is a value of `index.store`."""

    def check(self) -> None:
        """Raise `StoreError` if it cannot keep an index here: what it needs is not installed."""

    async def open(self, path: Path, settings: Settings, embed: Embed | None) -> Store:
        """Open the index in `path`; `embed` makes vectors that it does not keep.

        Raises `StoreError`.
        """

    async def discard(self, path: Path) -> None:
        """Remove what the store keeps in `path`, installed or not. Raises `IndexBusyError`."""


def _known(store: str) -> bool:
    return store == LANCEDB or store in hooks.STORES.names()


class _LanceDB:
    """The core's own store."""

    def check(self) -> None:
        pass

    async def open(self, path: Path, settings: Settings, embed: Embed | None) -> Store:
        from manole.index.store.lance import LanceStore

        return await LanceStore.open(path)

    async def discard(self, path: Path) -> None:
        from manole.index.store.lance import LanceStore

        await LanceStore.discard(path)


def _kind(name: str) -> StoreKind:
    """Return the kind of store of that name, after importing LanceDB, which all of them use."""
    from manole.index.store.quick_import import import_lancedb

    import_lancedb()
    kind = _LanceDB() if name == LANCEDB else hooks.STORES.get(name)
    if kind is None:
        raise StoreError(
            f"The index is kept by the store {name}, which this version does not know.",
            "`manole index --force FOLDER` builds it anew from your files.",
        )
    return kind


class IndexHandle:
    """The index in the folder `path`. Several tasks may ask at once for its one store.

    `place` is the argument with which `manole index` makes it.
    """

    def __init__(
        self,
        path: Path,
        place: str,
        settings: Settings,
        embed: Embed | None = None,
        kept_by: StoreKind | None = None,
    ) -> None:
        """`embed` makes vectors that the store does not keep (`open_store`).

        `kept_by` opens an index whose tables lie elsewhere; by default its description names one.
        """
        self.path = path
        self.place = place
        self._settings = settings
        self._embed = embed
        self._kept_by = kept_by
        self._store: Store | None = None
        self._opening = asyncio.Lock()

    def adopt(self, settings: Settings) -> None:
        """Use these settings from the next opening on."""
        self._settings = settings

    async def close(self) -> None:
        """Release the store; the next read or write opens it again."""
        if self._store is not None:
            await self._store.close()
            self._store = None

    @property
    def begun(self) -> bool:
        """Whether there is an index."""
        return (self.path / META).is_file()

    @property
    def embedder(self) -> str:
        """The embedder of the vectors, which a search must use; without an index, the settings'."""
        name = read_meta(self.path).get("embedder")
        return name if isinstance(name, str) else chosen_embedder(self._settings)

    @property
    def stamp(self) -> tuple[int, int]:
        """A stamp that differs after every sync. Raises `NotIndexedError`."""
        try:
            info = (self.path / META).stat()
        except FileNotFoundError:  # removed meanwhile
            raise self._missing() from None
        return info.st_mtime_ns, info.st_ino

    def check(self) -> None:
        """Raise `IndexVersionError` for an index that this version does not read."""
        if self.begun and (found := read_meta(self.path).get("format")) != FORMAT:
            raise IndexVersionError(
                f"The index of {self.place} has format {found}; this version reads {FORMAT}.",
                f"`manole index --force {self.place}` builds it again from your files.",
            )

    async def to_read(self) -> Store:
        """Open the store to read. Raises `NotIndexedError`, `IndexVersionError`, `StoreError`."""
        async with self._opening:
            if self._store is None:
                if not self.begun:
                    raise self._missing()
                self.check()
                self._store = await self._open()
            if not self._store.exists:
                await self._store.refresh()
            if not self._store.exists:
                raise self._missing()
            return self._store

    async def to_write(self, force: bool, ready: Ready) -> Store:
        """Open the store to write, whether there is an index yet or not.

        With `force`, an empty index replaces one that cannot be read, or is kept by another store
        than the settings name; without it, raises `IndexVersionError`, `StoreError`. Nothing is
        removed before the next store was found fit and `ready` returned; their errors are raised.
        """
        async with self._opening:
            try:
                if not force:
                    self.check()
                elif other_store(self.path, self._settings):
                    await self._begin_anew(ready)
                if self._store is None:
                    self._store = await self._open()
                else:
                    await self._store.refresh()  # another process may have changed its embedder
            except (IndexVersionError, StoreError):
                if not force:
                    raise
                await self._begin_anew(ready)
                self._store = await self._open()
            return self._store

    # Inside ----------------------------------------------------------------------------------

    async def _open(self) -> Store:
        if self._kept_by is not None:
            return await self._kept_by.open(self.path, self._settings, self._embed)
        await self._check_store(kept_by(self.path) or self._settings.index.store)
        return await open_store(self.path, self._settings, self._embed)

    async def _begin_anew(self, ready: Ready) -> None:
        """Remove the index. This alone does, so what the next one needs is looked for here."""
        if self._kept_by is not None:
            self._kept_by.check()
        else:
            await self._check_store(next_store(self.path, self._settings))
        await ready()
        await self.close()
        if self._kept_by is not None:
            await self._kept_by.discard(self.path)
        else:
            await discard(self.path, self._settings)

    async def _check_store(self, name: str) -> None:
        """Raise `StoreError` if the store cannot keep an index here, with the ways out."""
        try:
            (await asyncio.to_thread(_kind, name)).check()
        except StoreError as error:
            if kept_by(self.path) != name or not self.begun:
                raise
            raise StoreError(
                f"The index of {self.place} is kept by {name}. {error.message}",
                f"{error.hint} Or `manole index --force --store {LANCEDB} {self.place}` builds it "
                "anew from your files.",
            ) from error

    def _missing(self) -> NotIndexedError:
        return NotIndexedError(
            f"{self.place} has no index yet.", f"Run `manole index {self.place}`."
        )
