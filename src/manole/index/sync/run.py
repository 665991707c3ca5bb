"""The sync of a library with all its parts: models, splitter, extractor, pictures, voices."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manole.documents.extract import Extractor
from manole.documents.limits import Limits
from manole.index.store.languages import better_embedder
from manole.index.store.libraries import write_meta
from manole.index.store.protocol import Store
from manole.index.store.records import FileRecord
from manole.index.sync.apply import sync
from manole.index.sync.engines import Engines, ExtractorPool, workers
from manole.index.sync.ocr import Pictures
from manole.index.sync.options import SyncOptions, SyncParts
from manole.index.sync.pace import Pace
from manole.index.sync.report import OnProgress, SyncReport
from manole.index.sync.roots import left_out
from manole.models.endpoints import chosen_embedder, embedder_name
from manole.settings import Settings

if TYPE_CHECKING:
    from manole.documents.split import Splitter
    from manole.index.store.page_records import PageEmbedder
    from manole.index.sync.captions import Captions
    from manole.index.sync.recordings import Voices
    from manole.models.encode.embedder import Embedder


NO_MODEL = "No speech model is at hand; `manole models fetch whisper-base` fetches one."


class Syncing:
    """The syncs of the index in the folder `path` with `roots`."""

    def __init__(
        self,
        roots: Sequence[Path],
        path: Path,
        settings: Settings,
        engines: Engines,
        extractors: ExtractorPool,
        pace: Pace,
        progress: OnProgress | None,
    ) -> None:
        self._roots = roots
        self._path = path
        self._settings = settings
        self._engines = engines
        self._extractors = extractors
        self._pace = pace
        self._progress = progress

    async def ready(self) -> None:
        """Load what an index made anew needs; an `opening.Ready`.

        Raises `SettingsError`, `WeightsError`, `ModelError`.
        """
        await self._load(chosen_embedder(self._settings))

    async def run(self, store: Store, options: SyncOptions) -> SyncReport:
        """Run one sync; the settings fill in what `options` leave out. Raises as `Library.sync`.

        Without an index, or if the settings name another embedder, everything is looked at. A new
        index may then get another embedder, for the languages that were found. Another embedder
        makes all vectors anew.
        """
        new, own = not store.exists, store.embedder
        if options.only is not None and (new or embedder_name(self._settings, own) != own):
            options = replace(options, only=None)
        wanted = chosen_embedder(self._settings, None if new else own)
        report = await self._sync(store, wanted, options)
        if new and (named := await better_embedder(store, self._settings)):
            options = replace(options, force=False, again=())
            report = report.then(await self._sync(store, named, options))
        return report

    async def _load(self, name: str) -> tuple[Embedder, Splitter, PageEmbedder | None]:
        """Load all models that an index with the embedder `name` is made with."""
        embedder = await self._engines.ready(name)
        splitter = await self._engines.splitter(name, embedder.max_tokens)
        return embedder, splitter, await self._engines.pages(embedder)

    async def _sync(self, store: Store, name: str, options: SyncOptions) -> SyncReport:
        """Run one sync with the embedder `name`."""
        index, limits = self._settings.index, Limits.of(self._settings.extract)
        all_of_it = options.pictures is None
        options = replace(
            options,
            exclude=left_out(self._roots, self._settings, self._path),
            hidden=index.hidden,
            parallel=workers() * 2,
            max_bytes=limits.max_file_mb * 2**20,
            limits=asdict(limits),
        )
        embedder, splitter, pages = await self._load(name)
        with self._extractors.extractor(limits, keep=options.only is not None) as extractor:
            async with store.writing(
                dimensions=embedder.dimensions,
                embedder=embedder.name,
                pages=(pages.name, pages.dimensions) if pages else None,
            ):
                self._write_meta({"store": store.kind, "embedder": name})
                parts = SyncParts(
                    store,
                    extractor,
                    splitter,
                    embedder,
                    pace=self._pace,
                    pages=pages,
                    pictures=self._pictures(options.pictures) if index.ocr else None,
                    captions=partial(self._captions, extractor) if all_of_it else None,
                    voices=self._voices if all_of_it else None,
                )
                report = await sync(parts, self._roots, options, self._progress)
                files, passages = await store.counted()
                counts = {"files": files, "passages": passages}
                self._write_meta(counts | {"updated": datetime.now(UTC).isoformat()})
        unseen = (
            self._engines.vision.reason and f"No photo is described. {self._engines.vision.reason}"
        )
        notices = (store.notice, unseen, self._unheard(report))
        report.notice = " ".join(filter(None, notices)) or None
        store.notice = None
        await self._engines.close()
        return report

    def _pictures(self, at_once: int | None) -> Pictures:
        return Pictures(self._settings.cache_dir / "pictures", at_once)

    @asynccontextmanager
    async def _captions(
        self, extractor: Extractor, photos: Sequence[FileRecord]
    ) -> AsyncIterator[Captions | None]:
        """Load a vision model to describe photos, if there are any and it is at hand."""
        from manole.index.sync.captions import Captions

        vision = await self._engines.vision.get() if photos else None
        if vision is None:
            yield None
            return
        yield Captions(vision, extractor, self._settings.cache_dir / "captions")

    @asynccontextmanager
    async def _voices(self, recordings: Sequence[FileRecord]) -> AsyncIterator[Voices | None]:
        """Load a speech model to transcribe recordings, if there are any and it is at hand.

        It has a worker of its own: two minutes of speech take longer than any page, and the model
        needs memory beside the decoder.
        """
        from manole.index.sync.recordings import Voices, limits

        voice = await self._engines.voice.get() if recordings else None
        if voice is None:
            yield None
            return
        with Extractor(limits(voice.weights)) as hears:
            yield Voices(voice, hears, self._settings.cache_dir / "voices", self._pace)

    def _unheard(self, report: SyncReport) -> str:
        """Return why recordings are not read, in a sentence or two."""
        if report.voice_failed:
            return f"Not every recording is read. {report.voice_failed}"
        if not report.unheard or self._settings.voice.name == "off":
            return ""
        why = self._engines.voice.reason or NO_MODEL
        count = "1 recording is" if report.unheard == 1 else f"{report.unheard:,} recordings are"
        return f"{count} found by name and date only. {why}"

    def _write_meta(self, changes: dict[str, Any]) -> None:
        write_meta(self._path, {"roots": [str(root) for root in self._roots]} | changes)
