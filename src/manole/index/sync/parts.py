"""What a sync is made with: the store, what reads and splits files, and the models."""

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

# From the photos without a description, or the recordings that are not heard, to what describes or
# hears them; `None` where nothing can.
MakeCaptions = Callable[[Sequence[FileRecord]], AbstractAsyncContextManager[Captions | None]]
MakeVoices = Callable[[Sequence[FileRecord]], AbstractAsyncContextManager[Voices | None]]


@dataclass(frozen=True, slots=True)
class SyncParts:
    """What a sync is made with.

    `pace` is awaited between files and between calls of the embedder. Without `pages`, no page gets
    vectors, and without `pictures` no picture is read. `captions` loads what describes photos, once
    there is one to describe, `voices` what hears recordings.
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
