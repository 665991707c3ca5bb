"""The complete reading of files, on whichever machine: text, words in pictures, passages, vectors.

A `Reader` returns all that the store keeps of a file. It is made of the same parts as a sync on one
machine: `Extractor`, `Recognition`, `Recorder`, the embedder.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from manole.documents.extract import Extractor
from manole.documents.limits import Limits
from manole.documents.model import GONE, PASSING, UNREAD, Document, Status
from manole.documents.opened import FoundFile
from manole.documents.split import Splitter
from manole.errors import ExtractionError, NotNowError
from manole.index.store.page_records import PageEmbedder
from manole.index.store.records import FileRecord, PageRecord, PassageRecord, Vectors
from manole.index.store.rows import embedding_text
from manole.index.sync.apply import PAGE_SIDE, white
from manole.index.sync.embedding import CALL, PAGES_CALL
from manole.index.sync.ocr import Pictures, Recognition
from manole.index.sync.records import Read, Recorder
from manole.models.encode.embedder import Embedder
from manole.settings import Settings
from manole_cluster.address import Address, is_address
from manole_cluster.bucket import Bucket
from manole_cluster.documents import Documents


@dataclass(frozen=True, slots=True)
class Work:
    """A file to read: as it was found, as it was known, and its id if it is new."""

    found: FoundFile
    old: FileRecord | None
    fresh: str

    @property
    def key(self) -> str:
        """The file's id in the index."""
        return self.old.id if self.old else self.fresh


@dataclass(frozen=True, slots=True)
class Done:
    """A file that was read: its row, its passages and pages, and their vectors."""

    file: FileRecord
    passages: list[PassageRecord]
    pages: list[PageRecord]
    vectors: Vectors
    page_vectors: list[Vectors]


class Reader:
    """A reader of files, one after the other or several at once. Close it in the end."""

    def __init__(
        self,
        settings: Settings,
        embedder: Embedder,
        splitter: Splitter,
        pages: PageEmbedder | None,
    ) -> None:
        self._settings = settings
        self._embedder = embedder
        self._pages = pages
        self._extractor = Extractor(Limits.of(settings.extract))
        self._most = settings.extract.max_file_mb * 2**20
        self._recorder = Recorder(splitter, pages, self._most)
        cache = Pictures(settings.cache_dir / "pictures")
        self._recognition = Recognition(self._extractor, cache) if settings.index.ocr else None
        self._buckets: dict[str, Bucket] = {}

    def close(self) -> None:
        """End the processes that read."""
        self._recorder.close()
        self._extractor.close()

    async def read(self, work: Work) -> Done:
        """Read one file; an error is noted in its row.

        Raises `ManoleError` only if nothing can be read at all: the store is away.
        """
        if not is_address(work.found.root):
            return await self._read(work.found, work)
        with tempfile.TemporaryDirectory(prefix="manole-") as folder:
            found = await asyncio.to_thread(self._fetched, work.found, Path(folder))
            return await self._read(found, work)

    async def _read(self, found: FoundFile, work: Work) -> Done:
        document = await self._extractor.extract(found)
        read = await self._recorder.recorded(found, work.old, document, work.fresh)
        if self._recognition and UNREAD in read.file.metadata:
            digest = read.file.content_hash
            try:
                document = await self._recognition.complete(document, found, digest, lambda _: None)
            except NotNowError:
                passing = {PASSING: "yes"}
                document = Document(
                    document.format, (), metadata=passing, status=Status.FAILED, reason=GONE
                )
            read = await self._recorder.recorded(found, work.old, document, work.fresh)
        vectors = await self._vectors(read.passages)
        return Done(
            read.file, read.passages, read.pages, vectors, await self._page_vectors(found, read)
        )

    def _fetched(self, found: FoundFile, folder: Path) -> FoundFile:
        """Fetch the document into a file of its own name, unless it is over the limit."""
        address = Address.parse(found.root)
        place = Documents(address, folder).place(found.path)
        bucket = self._buckets.setdefault(found.root, Bucket(address))
        if found.size > self._most:  # as large a file, which takes no room; it is refused
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("wb") as file:
                file.truncate(found.size)
        else:
            bucket.fetch(found.path, place)  # its reader reports one that is gone by now
        return replace(found, elsewhere=str(place), inode=None)

    async def _vectors(self, passages: Sequence[PassageRecord]) -> Vectors:
        order = sorted(range(len(passages)), key=lambda i: -len(passages[i].text))
        made = np.zeros((len(passages), self._embedder.dimensions), np.float32)
        for at in range(0, len(order), CALL):
            part = order[at : at + CALL]
            texts = [embedding_text(passages[i]) for i in part]
            made[part] = await asyncio.to_thread(self._embedder.embed, texts)
        return made

    async def _page_vectors(self, found: FoundFile, read: Read) -> list[Vectors]:
        made: list[Vectors] = []
        if self._pages is None:
            return made
        for at in range(0, len(read.pages), PAGES_CALL):
            call = read.pages[at : at + PAGES_CALL]
            seen = [await self._picture(found, page) for page in call] if self._pages.sees else []
            made += await asyncio.to_thread(self._pages.embed, call, seen)
        return made

    async def _picture(self, found: FoundFile, page: PageRecord) -> bytes:
        try:
            return await self._extractor.shrunk(found, page.page, PAGE_SIDE)
        except ExtractionError:
            return await asyncio.to_thread(white)


def failed(work: Work, reason: str, dimensions: int) -> Done:
    """Return the record of a file that cannot be read, with the reason."""
    found = work.found
    file = FileRecord(
        id=work.key,
        root=found.root,
        path=found.path,
        size=found.size,
        mtime_ns=found.mtime_ns,
        content_hash="",
        status=Status.FAILED,
        reason=reason,
    )
    return Done(file, [], [], np.zeros((0, dimensions), np.float32), [])
