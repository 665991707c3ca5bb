"""The stages of a sync after text: OCR of pictures, then captions of photos."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from manole.documents.model import UNDESCRIBED, UNREAD, Document
from manole.documents.opened import FoundFile
from manole.documents.scan import locate
from manole.errors import NotNowError
from manole.index.store.records import FileRecord
from manole.index.sync.captions import Photo, described
from manole.index.sync.ocr import Recognition
from manole.index.sync.parts import MakeCaptions, SyncParts
from manole.index.sync.pending import Queue
from manole.index.sync.report import SyncReport, Tell

Put = Callable[[FileRecord, Document], Awaitable[None]]


class PictureStages:
    """Completes the queue's files whose pictures were not looked at yet, by whichever sync."""

    def __init__(
        self, parts: SyncParts, queue: Queue, report: SyncReport, tell: Tell, put: Put
    ) -> None:
        self._queue = queue
        self._pace = parts.pace
        self._extractor = parts.extractor
        self._recognition = Recognition(parts.extractor, parts.pictures) if parts.pictures else None
        self._make_captions = parts.captions
        self._report = report
        self._tell = tell
        self._put = put

    async def complete(self) -> None:
        """Recognize, then describe, what there is to."""
        if self._recognition:
            await self._recognize(self._recognition)
        if self._make_captions:
            await self._describe(self._make_captions)

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
        """A file read again, with its pictures' words; `None` when it is another file by now."""
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


def found_again(file: FileRecord) -> FoundFile:
    """Where a known file is, as a scan would have found it; by size and modified time the same."""
    absolute = str(locate(Path(file.root), file.path))
    return FoundFile(file.root, file.path, file.size, file.mtime_ns, inode=0, elsewhere=absolute)
