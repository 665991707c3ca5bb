"""What comes last in a sync: what is said in recordings, as `recordings.py` hears it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from manole.documents.model import UNHEARD, Document, may_pass
from manole.errors import ModelError, NotNowError
from manole.index.store.records import FileRecord
from manole.index.sync.parts import SyncParts
from manole.index.sync.pending import Queue
from manole.index.sync.picture_stages import Put, found_again
from manole.index.sync.recordings import Voices
from manole.index.sync.report import SyncReport, Tell


class VoiceStage:
    """Completes the queue's recordings that were not heard yet, by whichever sync."""

    def __init__(
        self, parts: SyncParts, queue: Queue, report: SyncReport, tell: Tell, put: Put
    ) -> None:
        self._queue = queue
        self._extractor = parts.extractor
        self._make = parts.voices
        self._report = report
        self._tell = tell
        self._put = put

    async def complete(self) -> None:
        """Hear what there is to."""
        if self._make is None:
            return
        unheard = [f for f in await self._queue.files_with(UNHEARD) if f.content_hash]
        async with self._make(unheard) as voices:
            if voices is None:
                self._report.unheard = len(unheard)
                return
            left = [file for file in unheard if voices.wants(file.metadata)]
            total, before = sum(map(_minutes, left)), 0
            for file in left:
                tell = partial(self._tell_seconds, before, total, file)
                tell(0)
                try:
                    document = await self._completed(voices, file, tell)
                except ModelError as error:
                    self._report.voice_failed = error.message
                    return
                if document is not None:
                    await self._put(file, document)
                before += _minutes(file)
                self._tell("hear", before, total, file.path)

    async def _completed(
        self, voices: Voices, file: FileRecord, tell: Callable[[float], None]
    ) -> Document | None:
        """A recording with its speech; `None` when that must wait."""
        found = found_again(file)
        document = await self._extractor.extract(found)
        if may_pass(document.status, document.reason, document.metadata):
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
    """About how long it is, by what it says of itself."""
    try:
        return max(1, math.ceil(float(file.metadata.get("duration", "60")) / 60))
    except (ValueError, OverflowError):
        return 1
