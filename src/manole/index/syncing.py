"""A library's sync with all its parts: weights, embedder, splitter, extractor, pictures, voices."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manole.documents.extract import Extractor
from manole.index.engines import Engines
from manole.index.libraries import write_meta
from manole.index.pace import Pace
from manole.index.plan import Places
from manole.index.recognition import Pictures
from manole.index.report import OnProgress, SyncReport
from manole.index.roots import left_out
from manole.index.store import FileRecord
from manole.index.sync import sync
from manole.index.warm import Warm
from manole.models.endpoints import embedder_name
from manole.models.weights import OnProgress as OnWeights
from manole.settings import Settings

if TYPE_CHECKING:
    from manole.index.captions import Captions
    from manole.index.lancedb import LanceStore
    from manole.index.voices import Voices


_TIMES = 3  # the size of a speech model's weights that it takes of memory, at most
NO_MODEL = "No speech model is at hand; `manole models fetch whisper-base-q5_1` fetches one."


class Syncing:
    """Brings the index in the folder `path` up to date with `roots`."""

    def __init__(
        self,
        roots: Sequence[Path],
        path: Path,
        settings: Settings,
        engines: Engines,
        warm: Warm,
        on_weights: OnWeights | None,
    ) -> None:
        self._roots = roots
        self._path = path
        self._settings = settings
        self._engines = engines
        self._warm = warm
        self._on_weights = on_weights

    async def run(
        self,
        store: LanceStore,
        force: bool,
        progress: OnProgress | None,
        pictures: int | None,
        again: Collection[str],
        only: Places | None,
        yes: bool,
        pace: Pace,
    ) -> SyncReport:
        """One sync; see `Library.sync` for what it is told and what it raises."""
        index, extract = self._settings.index, self._settings.extract
        embedder = await self._engines.ready(embedder_name(self._settings))
        splitter = await self._engines.splitter(embedder.max_tokens)
        with self._warm.extractor(extract, keep=only is not None) as extractor:
            pages = await self._engines.pages(embedder)
            async with store.writing(
                dimensions=embedder.dimensions,
                embedder=embedder.name,
                pages=(pages.name, pages.dimensions) if pages else None,
            ):
                self._write_meta({"store": store.kind})
                report = await sync(
                    store,
                    self._roots,
                    extractor,
                    splitter,
                    embedder,
                    exclude=left_out(self._roots, self._settings, self._path),
                    hidden=index.hidden,
                    force=force,
                    again=again,
                    only=only,
                    yes=yes,
                    pace=pace,
                    parallel=extract.workers * 2,
                    max_bytes=extract.max_file_mb * 2**20,
                    limits=extract.model_dump()
                    | {"ocr_pages": index.ocr_pages, "voice_hours": self._settings.voice.hours},
                    pictures=self._pictures(pictures) if index.ocr else None,
                    captions=partial(self._captions, extractor) if pictures is None else None,
                    voices=partial(self._voices, pace) if pictures is None else None,
                    pages=pages,
                    progress=progress,
                )
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
        folder = self._settings.cache_dir / "pictures"
        return Pictures(folder, self._settings.index.ocr_pages, at_once)

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
        yield Captions(vision, extractor, self._settings.cache_dir / "captions")

    @asynccontextmanager
    async def _voices(
        self, pace: Pace, recordings: Sequence[FileRecord]
    ) -> AsyncIterator[Voices | None]:
        """What hears recordings, if there are any and a speech model is at hand.

        It has a worker of its own: two minutes of speech take longer than any page, and the model
        takes room beside what decodes.
        """
        from manole.index.voices import Voices

        voice = await self._engines.voice.get() if recordings else None
        if voice is None:
            yield None
            return
        size = voice.weights.stat().st_size if voice.weights else 0
        chosen, extract = self._settings.voice, self._settings.extract
        own = {
            "workers": 1,
            "timeout_s": chosen.timeout_s,
            "memory_mb": extract.memory_mb + _TIMES * size // 2**20,
        }
        with Extractor(extract.model_copy(update=own)) as hears:
            folder = self._settings.cache_dir / "voices"
            yield Voices(voice, hears, folder, chosen.hours, pace)

    def _unheard(self, report: SyncReport) -> str:
        """Why recordings are not read, in a sentence or two."""
        if report.voice_failed:
            return f"Not every recording is read. {report.voice_failed}"
        if not report.unheard or self._settings.voice.name == "off":
            return ""
        why = self._engines.voice.reason or NO_MODEL
        count = "1 recording is" if report.unheard == 1 else f"{report.unheard:,} recordings are"
        return f"{count} found by name and date only. {why}"

    def _write_meta(self, changes: dict[str, Any]) -> None:
        own = {
            "roots": [str(root) for root in self._roots],
            "embedder": self._settings.index.embedder,
        }
        write_meta(self._path, own | changes)
