"""`Library`: one person's folders and their index. What everything above works with.

The folders are read only; the index lies in the user's data directory, under a name made from the
folder's and a hash of the full paths. The store and the embedder load when they are first needed,
and for a search side by side: importing LanceDB and loading the embedder take about a second each.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from manole.documents.scan import locate
from manole.errors import (
    ExtractionError,
    IndexVersionError,
    NotIndexedError,
    StoreError,
    UsageError,
)
from manole.index.engines import Engines
from manole.index.libraries import (
    FORMAT,
    META,
    folder_of,
    library_info,
    library_name,
    read_meta,
    write_meta,
)
from manole.settings import Settings

if TYPE_CHECKING:
    from manole.documents.extract import Extractor
    from manole.documents.journal import Entry
    from manole.index.captions import Captions
    from manole.index.lancedb import LanceStore
    from manole.index.pages import PageHit
    from manole.index.recognition import Pictures
    from manole.index.report import OnProgress, SyncReport
    from manole.index.search import Hit
    from manole.index.store import FileRecord, Filters, PassageRecord
    from manole.models.embedder import Embedder
    from manole.models.vision import Sight, VisionModel
    from manole.models.weights import OnProgress as OnWeights


class Library:
    """Folders with their index. `async with await Library.open(folder, settings) as library`."""

    def __init__(
        self, roots: Sequence[Path], settings: Settings, *, on_weights: OnWeights | None = None
    ) -> None:
        """`roots` are absolute folders that exist; use `Library.open`."""
        self.roots = tuple(roots)
        self.settings = settings
        self.name = library_name(self.roots)
        self.path = folder_of(self.name, settings)
        self._on_weights = on_weights
        self._engines = Engines(settings, on_weights)
        self._store: LanceStore | None = None
        self._opening = asyncio.Lock()
        self._files: tuple[tuple[int, int], list[FileRecord]] | None = None
        self._entries: tuple[list[FileRecord], list[Entry]] | None = None

    @classmethod
    async def open(
        cls,
        folders: Path | Sequence[Path],
        settings: Settings,
        *,
        on_weights: OnWeights | None = None,
    ) -> Self:
        """The library of these folders, whether indexed yet or not.

        `on_weights` hears of the embedder's download. Raises `UsageError` for a folder that is
        missing or cannot be read.
        """
        given = [folders] if isinstance(folders, Path) else list(folders)
        return cls(await asyncio.to_thread(_check_roots, given), settings, on_weights=on_weights)

    @classmethod
    async def find(cls, name: str, settings: Settings) -> Self:
        """The library that `manole library list` shows under `name`. Raises `UsageError`."""
        info = await asyncio.to_thread(library_info, name, settings)
        return await cls.open([Path(root) for root in info.roots], settings)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Release the store and the models. The library may be used again afterwards."""
        await self._engines.close()
        if self._store:
            await self._store.close()
            self._store = None

    @property
    def indexed(self) -> bool:
        """Whether an index has been begun."""
        return (self.path / META).is_file()

    @property
    def embedder(self) -> Embedder:
        """The embedder the index was made with, else the one of the settings. Loads it (0.3 s)."""
        return self._engines.embedder(self._indexed_embedder())

    async def sync(
        self,
        force: bool = False,
        progress: OnProgress | None = None,
        *,
        pictures: int | None = None,
    ) -> SyncReport:
        """Bring the index up to date with the folders. `force` reads every file anew.

        Where more than `pictures` pictures and scanned pages wait to be read, they go on waiting;
        photos are described only without such a number.

        Raises `IndexBusyError` while another process does the same, `IndexVersionError` for an
        index of another version (`force` replaces it). May be cancelled at any moment.
        """
        from manole.documents.extract import Extractor
        from manole.documents.split import Splitter
        from manole.index.sync import sync
        from manole.models.weights import Weights

        wanted = self.settings.index.embedder
        embedder = await self._engines.ready(wanted)
        weights = Weights(self.settings.cache_dir / "models")
        # An endpoint's tokenizer is not known; MiniLM's counts about as many.
        local = "all-minilm-l6-v2" if wanted.startswith("openai:") else wanted
        files = await asyncio.to_thread(weights.ensure, local, self._on_weights)
        splitter = Splitter(
            files["tokenizer.json"],
            max_tokens=min(self.settings.index.passage_tokens, embedder.max_tokens),
        )
        store = await self._open_to_write(force)
        extract = self.settings.extract
        with Extractor(extract) as extractor:
            pages = await self._engines.pages(embedder)
            async with store.writing(
                dimensions=embedder.dimensions,
                embedder=embedder.name,
                pages=(pages.name, pages.dimensions) if pages else None,
            ):
                self._write_meta({})
                index = self.settings.index
                report = await sync(
                    store,
                    self.roots,
                    extractor,
                    splitter,
                    embedder,
                    exclude=index.exclude,
                    hidden=index.hidden,
                    force=force,
                    parallel=extract.workers * 2,
                    max_bytes=extract.max_file_mb * 2**20,
                    limits=extract.model_dump() | {"ocr_pages": index.ocr_pages},
                    pictures=self._pictures(pictures) if index.ocr else None,
                    captions=partial(self._captions, extractor) if pictures is None else None,
                    pages=pages,
                    progress=progress,
                )
                passages, _ = await store.count()
                counts = {"files": sum(report.statuses.values()), "passages": passages}
                self._write_meta(counts | {"updated": datetime.now(UTC).isoformat()})
        unseen = (
            self._engines.vision.reason and f"No photo is described. {self._engines.vision.reason}"
        )
        report.notice = " ".join(filter(None, (store.notice, unseen))) or None
        store.notice = None
        await self._engines.close()
        self._files = None
        return report

    def _pictures(self, at_once: int | None) -> Pictures:
        from manole.index.recognition import Pictures

        folder = self.settings.cache_dir / "pictures"
        return Pictures(folder, self.settings.index.ocr_pages, at_once)

    @asynccontextmanager
    async def _captions(
        self, extractor: Extractor, photos: Sequence[FileRecord]
    ) -> AsyncIterator[Captions | None]:
        """What describes photos, if there are any and a vision model is at hand."""
        from manole.index.captions import Captions

        vision = await self._engines.vision.get() if photos else None
        if vision is None:
            yield None
            return
        yield Captions(vision, extractor, self.settings.cache_dir / "captions")

    async def search(
        self,
        query: str,
        limit: int = 12,
        filters: Filters | None = None,
        also: Sequence[str] = (),
    ) -> list[Hit]:
        """The passages that fit the query best (`manole.index.search`).

        `also` are further words to look for, which the query's meaning does not depend on.

        Raises `NotIndexedError` when there is no index yet.
        """
        from manole.index.search import NO_FILTERS, search

        store, embedder = await self._ready()
        return await search(
            store,
            embedder,
            query,
            limit=limit,
            filters=filters or NO_FILTERS,
            also=also,
        )

    async def search_pages(
        self, query: str, limit: int = 10, filters: Filters | None = None
    ) -> list[PageHit]:
        """The pages that fit the query best (`manole.index.pages`): PDF pages and pictures.

        Raises `NotIndexedError` when there is no index yet.
        """
        from manole.index.pages import search_pages
        from manole.index.search import NO_FILTERS

        store, embedder = await self._ready()
        reads = await self._engines.pages(embedder)
        return await search_pages(
            store, embedder, query, limit=limit, filters=filters or NO_FILTERS, reads=reads
        )

    async def vision(self) -> VisionModel | None:
        """The vision model; `None` where none is at hand. Raises `UsageError`, `SettingsError`."""
        return await self._engines.vision.get()

    async def look(self, path: str, page: int | None, question: str) -> Sight:
        """What the vision model answers about a page of a PDF, or about a picture.

        Raises `UsageError` for a file outside the library.
        """
        from manole.documents.extract import Extractor
        from manole.models.vision import SIDE, Sight

        vision = await self.vision()
        if vision is None:
            return Sight(reason=self._engines.vision.reason or "no vision model is at hand")
        file = await asyncio.to_thread(self.resolve, path)
        try:
            with Extractor(self.settings.extract) as extractor:
                picture = await extractor.shrunk(file, page, SIDE)
        except ExtractionError as error:
            return Sight(reason=error.message)
        return await vision.ask(picture, question)

    async def files(self) -> list[FileRecord]:
        """Every file the index knows, in path order; read again after a sync (by anyone)."""
        store = await self.store()
        stamp = self._stamp()
        if self._files is None or self._files[0] != stamp:
            self._files = (stamp, await store.files())
        return self._files[1]

    async def passages(self, file: FileRecord | str) -> list[PassageRecord]:
        """The passages of a file (or file id), in order."""
        store = await self.store()
        return await store.passages(file if isinstance(file, str) else file.id)

    async def entries(self) -> list[Entry]:
        """Every entry of the journals in this library, oldest first; read again after a sync."""
        from manole.index.entries import entries_of

        files = await self.files()
        if self._entries is None or self._entries[0] is not files:
            found = await entries_of(
                await self.store(), files, self.settings.index.kind, self.resolve
            )
            self._entries = (files, found)
        return self._entries[1]

    async def store(self) -> LanceStore:
        """The store, opened for reading. Raises `NotIndexedError`, `IndexVersionError`."""
        async with self._opening:
            if self._store is None:
                self._check_meta()
                self._store = await self._open_store()
            if not self._store.exists:
                await self._store.refresh()
            if not self._store.exists:
                raise self._not_indexed()
            return self._store

    def resolve(self, path: Path | str) -> Path:
        """The absolute path of a file or folder of this library, symbolic links followed.

        A relative path is looked for in every root; bytes of a name that are not UTF-8 may stand in
        it as the index writes them. Raises `UsageError` when it leads outside, or to nothing.
        """
        given = Path(path)
        if given.is_absolute():
            candidates = [given]
        else:
            candidates = [locate(root, str(given)) for root in self.roots]
        inside = False
        for candidate in candidates:
            try:
                real = candidate.resolve()
                if any(real.is_relative_to(root.resolve()) for root in self.roots):
                    inside = True
                    if real.exists():
                        return real
            except (OSError, ValueError, RuntimeError):  # a name too long, a null, a loop
                continue
        if inside:
            raise UsageError(f"There is no {given} in this library.", "Check its name.")
        raise UsageError(f"{given} lies outside this library.", "Only its own files can be read.")

    # Inside ----------------------------------------------------------------------------------

    async def _ready(self) -> tuple[LanceStore, Embedder]:
        """The store, and the embedder that made its vectors; they load side by side."""
        store, embedder = await asyncio.gather(
            self.store(), self._engines.ready(self._indexed_embedder())
        )
        if embedder.name != store.embedder:
            embedder = await self._engines.ready(store.embedder)
        return store, embedder

    def _indexed_embedder(self) -> str:
        """The embedder of the index: a search must use the one that made the vectors."""
        name = read_meta(self.path).get("embedder")
        return name if isinstance(name, str) else self.settings.index.embedder

    async def _open_store(self) -> LanceStore:
        lance = await asyncio.to_thread(_import_store)
        return await lance.open(self.path)

    async def _open_to_write(self, force: bool) -> LanceStore:
        try:
            if not force:
                self._check_meta(missing_ok=True)
            if self._store is None:
                self._store = await self._open_store()
        except (IndexVersionError, StoreError):
            if not force:
                raise
            lance = await asyncio.to_thread(_import_store)
            await lance.discard(self.path)
            self._store = await lance.open(self.path)
        return self._store

    def _check_meta(self, *, missing_ok: bool = False) -> None:
        if not self.indexed:
            if missing_ok:
                return
            raise self._not_indexed()
        found = read_meta(self.path).get("format")
        if found != FORMAT:
            raise IndexVersionError(
                f"The index of {self._folders()} has format {found}; this version reads {FORMAT}.",
                f"`manole index --force {self._folders()}` builds it again from your files.",
            )

    def _write_meta(self, changes: dict[str, Any]) -> None:
        own = {
            "roots": [str(root) for root in self.roots],
            "embedder": self.settings.index.embedder,
        }
        write_meta(self.path, own | changes)

    def _stamp(self) -> tuple[int, int]:
        info = (self.path / META).stat()
        return info.st_mtime_ns, info.st_ino

    def _folders(self) -> str:
        return " ".join(str(root) for root in self.roots)

    def _not_indexed(self) -> NotIndexedError:
        return NotIndexedError(
            f"{self._folders()} has no index yet.", f"Run `manole index {self._folders()}`."
        )


def _import_store() -> type[LanceStore]:
    from manole.index.quick_import import import_lancedb

    import_lancedb()
    from manole.index.lancedb import LanceStore

    return LanceStore


def _check_roots(folders: Sequence[Path]) -> list[Path]:
    """Absolute folders, each once; a folder inside another is part of that one."""
    if not folders:
        raise UsageError("No folder was named.", "Name one, as in `manole index ~/Documents`.")
    found: list[Path] = []
    for folder in folders:
        path = Path(os.path.abspath(folder.expanduser()))  # noqa: PTH100  (links stay as named)
        if not path.exists():
            raise UsageError(f"There is no folder {path}.", "Check its name.")
        if not path.is_dir():
            raise UsageError(f"{path} is not a folder.", f"Name the folder it is in: {path.parent}")
        if not os.access(path, os.R_OK | os.X_OK):
            raise UsageError(f"{path} cannot be read.", "Check its permissions.")
        found.append(path)
    return [
        path
        for path in dict.fromkeys(found)
        if not any(path != other and path.is_relative_to(other) for other in found)
    ]
