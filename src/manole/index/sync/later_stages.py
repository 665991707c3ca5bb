"""The stages of a sync after text: words in pictures, captions of photos, speech."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from manole.documents.model import UNDESCRIBED, UNHEARD, UNREAD, Document, may_pass
from manole.documents.opened import FoundFile
from manole.documents.scan import locate
from manole.errors import ModelError, NotNowError
from manole.index.store.records import FileRecord
from manole.index.sync.captions import Photo, described
from manole.index.sync.embedding import Queue
from manole.index.sync.ocr import Recognition
from manole.index.sync.options import SyncParts
from manole.index.sync.recordings import Voices
from manole.index.sync.report import SyncReport, Tell

if TYPE_CHECKING:
    from manole.index.sync.options import MakeCaptions, MakeVoices

Put = Callable[[FileRecord, Document], Awaitable[None]]


class LaterStages:
    """The stages that take seconds a file, for all files in the queue that still need them.

    `put` replaces the document of a file in the store.
    """

    def __init__(
        self, parts: SyncParts, queue: Queue, report: SyncReport, tell: Tell, put: Put
    ) -> None:
        self._queue = queue
        self._pace = parts.pace
        self._extractor = parts.extractor
        self._recognition = Recognition(parts.extractor, parts.pictures) if parts.pictures else None
        self._make_captions = parts.captions
        self._make_voices = parts.voices
        self._report = report
        self._tell = tell
        self._put = put

    async def complete(self) -> None:
        """Recognize words, then describe photos, then transcribe recordings."""
        if self._recognition:
            await self._recognize(self._recognition)
        if self._make_captions:
            await self._describe(self._make_captions)
        if self._make_voices:
            await self._hear(self._make_voices)

    async def _recognize(self, recognition: Recognition) -> None:
        left = [
            (file, recognition.pages_of(file.metadata))
            for file in await self._queue.files_with(UNREAD)
        ]
        total, before = sum(pages for _, pages in left), 0
        if recognition.is_too_much(total):
            self._report.waiting = total
            return
        for file, pages in left:
            tell = partial(self._tell_pages, before, total, file.path)
            tell(0)
            before += pages
            document = await self._completed(file, tell)
            if document is not None:
                await self._put(file, document)

    async def _describe(self, make: MakeCaptions) -> None:
        undescribed = await self._queue.files_with(UNDESCRIBED)
        async with make(undescribed) as captions:
            if captions is None:
                return
            left = [f for f in undescribed if captions.wants(f.metadata) and f.content_hash]
            photos = [Photo(file, found_again(file)) for file in left]
            done = 0
            async for photo, sight in captions.each(photos):
                document = sight and await self._completed(photo.file, lambda _: None)
                if sight and document and UNDESCRIBED in document.metadata:
                    await self._put(photo.file, described(document, sight, captions.name))
                done += 1
                self._tell("caption", done, len(photos), photo.file.path)

    async def _completed(self, file: FileRecord, tell: Callable[[int], None]) -> Document | None:
        """Read a file again, with the words of its pictures; `None` if it has changed since."""
        await self._pace.step()
        found = found_again(file)
        document = await self._extractor.extract(found)
        if UNREAD not in document.metadata:
            return None  # the next sync reads it
        if self._recognition is None:
            return document
        try:
            return await self._recognition.complete(document, found, file.content_hash, tell)
        except NotNowError:
            return None

    def _tell_pages(self, before: int, total: int, path: str, done: int) -> None:
        self._tell("recognize", before + done, total, path)

    async def _hear(self, make: MakeVoices) -> None:
        unheard = [f for f in await self._queue.files_with(UNHEARD) if f.content_hash]
        async with make(unheard) as voices:
            if voices is None:
                self._report.unheard = len(unheard)
                return
            left = [file for file in unheard if voices.wants(file.metadata)]
            total, before = sum(map(_minutes, left)), 0
            for file in left:
                tell = partial(self._tell_seconds, before, total, file)
                tell(0)
                try:
                    document = await self._heard(voices, file, tell)
                except ModelError as error:
                    self._report.voice_failed = error.message
                    return
                if document is not None:
                    await self._put(file, document)
                before += _minutes(file)
                self._tell("hear", before, total, file.path)

    async def _heard(
        self, voices: Voices, file: FileRecord, tell: Callable[[float], None]
    ) -> Document | None:
        """Read a recording again, with its transcript; `None` if that must wait."""
        found = found_again(file)
        document = await self._extractor.extract(found)
        if may_pass(document.status, document.metadata):
            return None
        if UNHEARD not in document.metadata:
            return document
        try:
            return await voices.complete(document, found, file.content_hash, tell)
        except NotNowError:
            return None

    def _tell_seconds(self, before: int, total: int, file: FileRecord, done: float) -> None:
        self._tell("hear", before + min(int(done / 60), _minutes(file)), total, file.path)


def _minutes(file: FileRecord) -> int:
    """Return the length of a recording in minutes, rounded up; 1 if unknown."""
    try:
        return max(1, math.ceil(float(file.metadata.get("duration", "60")) / 60))
    except (ValueError, OverflowError):
        return 1


def found_again(file: FileRecord) -> FoundFile:
    """Return a known file as a scan would find it, with the recorded size and time."""
    absolute = str(locate(Path(file.root), file.path))
    known = file.root, file.path, file.size, file.mtime_ns
    return FoundFile(*known, inode=0, elsewhere=absolute, mark=file.content_hash)
