"""`Library`: one person's folders and their index, which everything above works with.

The folders are read only; the index lies in the user's data directory, under a name made from the
folder's and a hash of the full paths. The store and the embedder load when they are first needed,
and for a search side by side: importing LanceDB and loading the embedder take about a second each.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from manole import private
from manole.documents.opened import FoundFile
from manole.documents.scan import locate, readable
from manole.errors import StoreError
from manole.index.store.libraries import (
    LibraryInfo,
    checked_title,
    described,
    folder_of,
    library_info,
    library_name,
    write_meta,
)
from manole.index.store.opening import IndexHandle, kept_by
from manole.index.sync.engines import Engines, ExtractorPool
from manole.index.sync.roots import below, check_roots, left_out, resolved
from manole.settings import Settings

if TYPE_CHECKING:
    from manole.documents.journal import Entry
    from manole.index.search.duplicates import Find
    from manole.index.search.pages import PageHit
    from manole.index.search.typed import LookedUp
    from manole.index.store.protocol import Listing, PassageReader, Store
    from manole.index.store.records import FileRecord, Filters, PassageRecord
    from manole.index.store.vocabulary import Reading
    from manole.index.sync.pace import Pace
    from manole.index.sync.report import OnProgress, SyncReport
    from manole.index.watch.watcher import Sync as WatchSync
    from manole.index.watch.watcher import Watch
    from manole.models.encode.embedder import Embedder
    from manole.models.vision import Sight, VisionModel
    from manole.models.weights.files import OnProgress as OnWeights


class Library:
    """Folders with their index. `async with await Library.open(folder, settings) as library`."""

    follows = True  # whether programs that answer bring its index up to date by themselves

    def __init__(
        self,
        roots: Sequence[Path],
        settings: Settings,
        *,
        on_weights: OnWeights | None = None,
        index: IndexHandle | None = None,
    ) -> None:
        """`roots` are absolute folders that exist; use `Library.open`.

        `index` is one that lies outside the data directory.
        """
        self.roots = tuple(roots)
        self.settings = settings
        self._engines = Engines(settings, on_weights)
        self._index = index or IndexHandle(
            folder_of(library_name(self.roots), settings),
            " ".join(map(str, self.roots)),
            settings,
            embed=lambda texts: self.embedder.embed(texts),
        )
        self._files: Listing | None = None
        self._files_at: tuple[int, int, int] | None = None  # what `files` compares it by
        self._changing = False  # a sync of this process runs
        self._extractors = ExtractorPool()
        self._entries: tuple[list[FileRecord], list[Entry]] | None = None

    @classmethod
    async def open(
        cls,
        folders: Path | Sequence[Path],
        settings: Settings,
        *,
        on_weights: OnWeights | None = None,
    ) -> Self:
        """Return the library of these folders, whether indexed yet or not.

        `on_weights` follows the embedder's download. Raises `UsageError` for a folder that is
        missing or cannot be read, unless it is one of several that have an index, and
        `SettingsError` for a data or cache folder that others may enter.
        """
        given = [folders] if isinstance(folders, Path) else list(folders)
        roots = await asyncio.to_thread(check_roots, given, settings)
        private.check(data_dir=settings.data_dir, cache_dir=settings.cache_dir)
        return cls(roots, settings, on_weights=on_weights)

    @classmethod
    async def find(cls, name: str, settings: Settings) -> Self:
        """Return the library that `manole library list` shows under `name`. Raises `UsageError`."""
        info = await asyncio.to_thread(library_info, name, settings)
        return await cls.open([Path(root) for root in info.roots], settings)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Release the store and the models. The library may be used again afterwards."""
        await self._engines.close()
        self._extractors.close()
        await self._index.close()

    @property
    def path(self) -> Path:
        """The folder of the index on this machine."""
        return self._index.path

    @property
    def name(self) -> str:
        """The name in `manole library list`: that of the index's folder."""
        return self.path.name

    @property
    def places(self) -> tuple[str, ...]:
        """The paths of its folders, as text."""
        return tuple(map(str, self.roots))

    @property
    def indexed(self) -> bool:
        """Whether an index has been begun."""
        return self._index.begun

    @property
    def kept_by(self) -> str | None:
        """The name of the store that keeps the index; `None` where there is none yet."""
        return kept_by(self.path)

    def info(self) -> LibraryInfo:
        """Return what `manole library list` shows of this library, also before it is indexed."""
        return described(self.path, self.roots)

    def exclude(self, patterns: Sequence[str]) -> None:
        """Leave out what these patterns name (as in `.gitignore`), from the next sync on.

        They replace those given before, and hold beside the setting `index.exclude`.
        Raises `IndexVersionError`, `StoreError`.
        """
        self._keep({"exclude": list(patterns)})

    def rename(self, title: str | None) -> None:
        """Give it a title that people see in place of its folders' names; `None`: none.

        Raises `UsageError` for what is no title, `IndexVersionError`, `StoreError`.
        """
        self._keep({"title": checked_title(title)})

    def _keep(self, changes: dict[str, Any]) -> None:
        self._index.check()
        try:
            private.make(self.path)
        except OSError as error:
            raise StoreError(f"{self.path} cannot be made: {error.strerror}.") from error
        write_meta(self.path, {"roots": [str(root) for root in self.roots]} | changes)

    def adopt(self, settings: Settings) -> None:
        """Use these settings from the next sync or search on, except for loaded models."""
        self.settings = settings
        self._engines.adopt(settings)
        self._index.adopt(settings)

    @property
    def embedder(self) -> Embedder:
        """The embedder the index was made with, else the one of the settings. Loads it (0.3 s)."""
        return self._engines.embedder(self._index.embedder)

    async def sync(
        self,
        force: bool = False,
        progress: OnProgress | None = None,
        *,
        pictures: int | None = None,
        again: Collection[str] = (),
        only: Collection[Path] | None = None,
        yes: bool = False,
        pace: Pace | None = None,
    ) -> SyncReport:
        """Bring the index up to date with the folders.

        `force` reads every file anew, `again` the files at these paths as the index names them.
        With `only`, absolute paths of files and folders, nothing else is looked at, and it costs
        what these cost; a library without an index is read whole. Where more than `pictures`
        pictures and scanned pages wait to be read, they go on waiting; photos are described only
        without such a number. `pace` slows it down.

        Raises `IndexBusyError` while another process does the same, `IndexVersionError` for an
        index of another version (`force` replaces it), `WouldDropError` before anything is changed
        where more than half of the files are gone, unless `yes`, `UsageError` where the folders
        are, and `StoreError`, `WeightsError`, `ModelError` or `SettingsError`, the old index
        untouched, for what cannot be made as the settings want it. One of several folders that is
        missing or empty keeps its files; the report's `unreadable` names it. May be cancelled at
        any moment.

        Caches are not bounded here: the commands and the service call `manole.care.tidy.tidy`
        after a sync, and a program that syncs often should do so as well.
        """
        from manole.index.sync.options import SyncOptions
        from manole.index.sync.pace import AT_ONCE
        from manole.index.sync.plan import places_of
        from manole.index.sync.run import Syncing

        self._changing = True
        try:
            await self._engines.check()
            syncing = Syncing(
                self.roots,
                self.path,
                self.settings,
                self._engines,
                self._extractors,
                pace or AT_ONCE,
                progress,
            )
            store = await self._index.to_write(force, syncing.ready)
            places = None if only is None else places_of(only, self.roots)
            return await syncing.run(store, SyncOptions(force, again, places, pictures, yes))
        finally:
            self._changing, self._files_at = False, None

    def watch(self, sync: WatchSync, say: Callable[[str], None], pace: Pace) -> Watch:
        """Return a watch that calls `sync` with the paths that change; `say` gets problems."""
        from manole.index.watch.change_sources import WatchRules
        from manole.index.watch.watcher import Watch

        rules = WatchRules(
            patterns=lambda: left_out(self.roots, self.settings, self.path),
            hidden=self.settings.index.hidden,
        )
        return Watch(self.roots, sync, say, rules, pace)

    async def search(
        self,
        query: str,
        limit: int = 12,
        filters: Filters | None = None,
        also: Sequence[str] = (),
    ) -> list[Find]:
        """Find the passages that fit the query best (`manole.index.search.hybrid`), copies once.

        With a reranker the first ones are in its order (`manole.index.search.reranking`).

        `also` are further words to look for, without effect on the query's meaning.

        Raises `NotIndexedError` when there is no index yet.
        """
        from manole.index.search.hybrid import NO_FILTERS, Hit, search
        from manole.index.search.reranking import best_first

        store, embedder = await self._ready()

        async def found(count: int) -> list[Hit]:
            return await search(
                store,
                embedder,
                query,
                limit=count,
                filters=filters or NO_FILTERS,
                also=also,
                files=self.files,
            )

        return await best_first(found, query, limit, self._engines.reranker)

    async def look_up(
        self, query: str, limit: int = 12, filters: Filters | None = None
    ) -> LookedUp:
        """`search` for what a person typed: slips are put right, a tail of chance is left out."""
        from manole.index.search.typed import LookedUp, fitting, put_right

        stores = await self._stores()
        right = await put_right(stores, query)
        finds = await self.search(right, 2 * limit, filters)  # some of which do not fit
        counts = [await store.count() for store in stores]
        waiting = sum(passages - embedded for passages, embedded in counts)
        return LookedUp(right, fitting(finds, right)[:limit], waiting)

    async def _stores(self) -> list[Store]:
        return [await self.store()]

    async def reading(self, query: str) -> list[Reading]:
        """Return how the search reads the words of `query`, to mark them in what it finds."""
        from manole.text.words import meaning

        return [await (await self.store()).reading(meaning(query))]

    async def search_pages(
        self, query: str, limit: int = 10, filters: Filters | None = None
    ) -> list[PageHit]:
        """Find the PDF pages and pictures that fit the query best (`manole.index.search.pages`).

        Raises `NotIndexedError` when there is no index yet.
        """
        from manole.index.search.hybrid import NO_FILTERS
        from manole.index.search.pages import search_pages

        store, embedder = await self._ready()
        reads = await self._engines.pages(embedder)
        chosen = filters or NO_FILTERS
        return await search_pages(
            store, embedder, query, limit=limit, filters=chosen, reads=reads, files=self.files
        )

    async def vision(self) -> VisionModel | None:
        """Return the vision model or `None`. Raises `UsageError`, `SettingsError`."""
        return await self._engines.vision.get()

    async def look(self, path: str, page: int | None, question: str) -> Sight:
        """Return what the vision model answers about a page of a PDF, or about a picture.

        Raises `UsageError` for a file outside the library.
        """
        from manole.index.view.page_preview import ask_about
        from manole.models.vision import Sight

        vision = await self.vision()
        if vision is None:
            return Sight(reason=self._engines.vision.reason or "no vision model is at hand")
        file = await asyncio.to_thread(self.found, path)
        return await ask_about(vision, file, page, question)

    async def files(self) -> list[FileRecord]:
        """Return every file of the index in path order; a second old at most during a sync."""
        store = await self.store()
        stamp = (*self._index.stamp, int(time.monotonic()) if self._changing else 0)
        if self._files is None or self._files_at != stamp:
            self._files, self._files_at = await store.file_list(self._files), stamp
        return self._files.files

    async def passages(self, file: FileRecord | str) -> list[PassageRecord]:
        """Return the passages of a file (or file id), in order."""
        store = await self.store()
        return await store.passages(file if isinstance(file, str) else file.id)

    async def entries(self) -> list[Entry]:
        """Return every entry of the library's journals, oldest first; read again after a sync."""
        from manole.index.view.entries import entries_of

        files = await self.files()
        if self._entries is None or self._entries[0] is not files:
            found = await entries_of(
                await self.store(),
                files,
                self.settings.index.kind,
                lambda file: self.found(self.file(file)),
            )
            self._entries = (files, found)
        return self._entries[1]

    async def store(self) -> Store:
        """Return the store, opened for reading. Raises `NotIndexedError`, `IndexVersionError`."""
        return await self._index.to_read()

    async def reader(self) -> PassageReader:
        """Return the reader of files. Raises as `store`."""
        return await self.store()

    def file(self, record: FileRecord) -> Path:
        """Return where a known file is, or would be; `resolve` says whether it is there."""
        return locate(Path(record.root).resolve(), record.path)

    def resolve(self, path: Path | str) -> Path:
        """Return the absolute path of a file or folder of this library, symbolic links followed.

        A relative path is looked for in every root; bytes of a name that are not UTF-8 may stand in
        it as the index writes them. Raises `UsageError` when it leads outside, or to nothing.
        """
        return resolved(self.roots, path)

    def names_of(self, path: Path | str) -> list[str]:
        """Return how the index may write a path of this machine, for each root that it lies in.

        "" is all of a root. Raises as `resolve`.
        """
        real = self.resolve(path)
        roots = [root.resolve() for root in self.roots]
        inner = [real.relative_to(root) for root in roots if real.is_relative_to(root)]
        return ["" if not path.parts else readable(path.as_posix()) for path in inner]

    def found(self, path: Path | str) -> FoundFile:
        """Return what `resolve` finds as a file to open without following links. Raises as that."""
        return below(self.roots, self.resolve(path))

    # Inside ----------------------------------------------------------------------------------

    async def _ready(self) -> tuple[Store, Embedder]:
        """Return the store, and the embedder that made its vectors; they load side by side."""
        store, embedder = await asyncio.gather(
            self.store(), self._engines.ready(self._index.embedder)
        )
        if embedder.name != await store.made_with():
            embedder = await self._engines.ready(store.embedder)
        return store, embedder
