"""The parts that a sync works with: store, extractor, splitter and models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from manole.documents.extract import Extractor
from manole.documents.split import Splitter
from manole.index.store.page_records import PageEmbedder
from manole.index.store.protocol import Store
from manole.index.store.records import FileRecord
from manole.index.sync.captions import Captions
from manole.index.sync.ocr import Pictures
from manole.index.sync.pace import AT_ONCE, Pace
from manole.index.sync.recordings import Voices
from manole.models.encode.embedder import Embedder

# Given the photos without a description, or the recordings without a transcript, these load what
# makes it; `None` where nothing can.
MakeCaptions = Callable[[Sequence[FileRecord]], AbstractAsyncContextManager[Captions | None]]
MakeVoices = Callable[[Sequence[FileRecord]], AbstractAsyncContextManager[Voices | None]]


@dataclass(frozen=True, slots=True)
class SyncParts:
    """The parts that a sync works with.

    `pace` is awaited between files and between calls of the embedder. Without `pages`, no page gets
    vectors, and without `pictures` no picture is read. `captions` loads a vision model once there
    is a photo to describe, `voices` a speech model once there is a recording.
    """

    store: Store
    extractor: Extractor
    splitter: Splitter
    embedder: Embedder
    pace: Pace = AT_ONCE
    pages: PageEmbedder | None = None
    pictures: Pictures | None = None
    captions: MakeCaptions | None = None
    voices: MakeVoices | None = None
