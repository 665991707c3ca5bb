"""A library's index, opened lazily for reading or writing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from manole.errors import IndexVersionError, NotIndexedError, StoreError
from manole.index.store.libraries import FORMAT, META, read_meta
from manole.index.store.opening import StoreKind, discard, open_store, other_store
from manole.models.endpoints import chosen_embedder

if TYPE_CHECKING:
    from manole.index.store.protocol import Store
    from manole.index.store.records import Embed
    from manole.settings import Settings


class IndexHandle:
    """The index in the folder `path`. Opens one store, which several tasks may ask for at once.

    `place` is the argument of `manole index` that makes it.
    """

    def __init__(
        self,
        path: Path,
        place: str,
        settings: Settings,
        embed: Embed | None = None,
        kept_by: StoreKind | None = None,
    ) -> None:
        """`embed` makes a text's vector where the store keeps none (`open_store`).

        `kept_by` opens an index whose tables lie elsewhere; by default its description names it.
        """
        self.path = path
        self.place = place
        self._settings = settings
        self._embed = embed
        self._kept_by = kept_by
        self._store: Store | None = None
        self._opening = asyncio.Lock()

    def adopt(self, settings: Settings) -> None:
        """Use these settings for what is not open yet."""
        self._settings = settings

    async def close(self) -> None:
        """Release the store. It is opened again when it is asked for."""
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

    async def to_write(self, force: bool) -> Store:
        """Open the store to write, whether there is an index yet or not.

        With `force`, an empty index replaces one that cannot be read, or is kept by another store
        than the settings name; without it, raises `IndexVersionError`, `StoreError`.
        """
        async with self._opening:
            try:
                if not force:
                    self.check()
                elif other_store(self.path, self._settings):
                    await self._begin_anew()
                if self._store is None:
                    self._store = await self._open()
                else:
                    await self._store.refresh()  # another process may have changed its embedder
            except (IndexVersionError, StoreError):
                if not force:
                    raise
                await self._begin_anew()
                self._store = await self._open()
            return self._store

    # Inside ----------------------------------------------------------------------------------

    async def _open(self) -> Store:
        if self._kept_by is not None:
            return await self._kept_by.open(self.path, self._settings, self._embed)
        return await open_store(self.path, self._settings, self._embed)

    async def _begin_anew(self) -> None:
        await self.close()
        if self._kept_by is not None:
            await self._kept_by.discard(self.path)
        else:
            await discard(self.path, self._settings)

    def _missing(self) -> NotIndexedError:
        return NotIndexedError(
            f"{self.place} has no index yet.", f"Run `manole index {self.place}`."
        )
