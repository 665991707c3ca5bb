"""The options of a sync, and the parts that it works with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from manole.documents.model import may_pass, was_raised
from manole.index.store.page_records import PageEmbedder, lacks_pages
from manole.index.store.records import FileRecord
from manole.index.sync.pace import AT_ONCE, Pace

if TYPE_CHECKING:
    from manole.documents.extract import Extractor
    from manole.documents.split import Splitter
    from manole.index.store.protocol import Store
    from manole.index.sync.captions import Captions
    from manole.index.sync.ocr import Pictures
    from manole.index.sync.recordings import Voices
    from manole.models.encode.embedder import Embedder

    # Given the photos without a description, or the recordings without a transcript, these load
    # what makes it; `None` where nothing can.
    MakeCaptions = Callable[[Sequence[FileRecord]], AbstractAsyncContextManager[Captions | None]]
    MakeVoices = Callable[[Sequence[FileRecord]], AbstractAsyncContextManager[Voices | None]]

Places = Mapping[Path, Sequence[str]]  # names relative to each root; "" is all of it


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """The options of a sync. None of them changes a file's text.

    `force` reads every file again, `again` the files at these paths, as the index names them.
    `only` limits the sync to these places: the cost is theirs, however large the library is, and
    work left by an earlier sync is not looked for. If more than `pictures` pages wait for their
    words to be recognized, they go on waiting; `None` sets no such limit. `yes` allows more than
    half of all files to go.

    `exclude` are patterns as in `.gitignore`; without `hidden`, files and folders whose names begin
    with a dot are left out. `parallel` files are read at once; those over `max_bytes` are not
    hashed. `limits` are those of the extractor, by the names of their settings: a file that
    exceeded one is read again when that one was raised.
    """

    force: bool = False
    again: Collection[str] = ()
    only: Places | None = None
    pictures: int | None = None
    yes: bool = False
    exclude: Sequence[str] = ()
    hidden: bool = False
    parallel: int = 2
    max_bytes: int = 512 * 2**20
    limits: Mapping[str, float] = field(default_factory=dict)

    def wants(self, file: FileRecord, pages: PageEmbedder | None) -> bool:
        """Return whether to read a known file again even if it is unchanged."""
        return (
            self.force
            or file.path in self.again
            or may_pass(file.status, file.metadata)
            or was_raised(file.metadata, {**self.limits, "max_pages": inf})
            or (pages is not None and lacks_pages(file, pages))
        )


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
