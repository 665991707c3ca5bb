"""The records of a document: its file's row, its passages, and the pages that get vectors."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from manole.documents.formats import SPOKEN
from manole.documents.model import CHANGED, GONE, Document, Passage, Status, may_pass
from manole.documents.opened import FoundFile
from manole.index.store.page_records import PageEmbedder, page_records, paged
from manole.index.store.records import FileRecord, PageRecord, PassageRecord
from manole.index.sync.plan import digest

if TYPE_CHECKING:
    from manole.documents.split import Splitter

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Read:
    """The records of one file: its row, its passages and its pages."""

    file: FileRecord
    passages: list[PassageRecord]
    pages: list[PageRecord]
    new: bool  # its id is new, so that the store has nothing of it
    left: bool = False  # not to be stored: the store keeps what it has of the file


class Recorder:
    """A maker of records.

    Files over `max_bytes` are not hashed; without `pages` no page gets vectors. The splitter serves
    one thread only, which is this object's until `close`.
    """

    def __init__(self, splitter: Splitter, pages: PageEmbedder | None, max_bytes: int) -> None:
        self._splitter = splitter
        self._pages = pages
        self._max_bytes = max_bytes
        self._stop = threading.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="split")

    def close(self) -> None:
        """Stop the thread, and drop the work that waits for it."""
        self._stop.set()
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def recorded(
        self,
        found: FoundFile,
        old: FileRecord | None,
        document: Document,
        fresh: str | None = None,
    ) -> Read:
        """Return the records of a document; if splitting it fails, a row with the reason.

        `fresh` is the id for a new file, by default a random one.
        """
        content_hash = ""
        pieces: list[Passage] = []
        try:
            content_hash, pieces = await self._in_line(self._digest_and_split, found, document)
        except Exception as error:  # whatever it is, the other files must go on
            reason = f"splitting failed: {error or type(error).__name__}"
            document = replace(document, status=Status.FAILED, reason=reason)
        key = old.id if old else fresh or uuid.uuid4().hex
        pages = self._page_records(key, document, bool(pieces))
        about_pages = paged(len(pages), self._pages) if self._pages is not None else {}
        record = FileRecord(
            id=key,
            root=str(found.root),
            path=found.path,
            size=found.size,
            mtime_ns=found.mtime_ns,
            content_hash=content_hash,
            status=document.status,
            reason=document.reason,
            format=document.format,
            title=document.title,
            date=document.date,
            date_source=document.date_source,
            pages=len(document.pages),
            passages=len(pieces),
            indexed_at=datetime.now(UTC),
            metadata=document.metadata | about_pages,
        )
        passages = [_passage_record(record, i, piece) for i, piece in enumerate(pieces)]
        new = old is None and fresh is None
        return Read(record, passages, pages, new, left=stays(old, record))

    def _page_records(self, key: str, document: Document, worded: bool) -> list[PageRecord]:
        """Return the pages that get vectors: those with words, or all that can be drawn."""
        unseen = document.format in SPOKEN  # a recording's pages are not pages to look at
        if self._pages is None or unseen or document.status is Status.FAILED:
            return []
        if self._pages.sees:
            return page_records(key, document, seen=True)
        return page_records(key, document) if worded else []

    async def _in_line(self, work: Callable[..., T], *arguments: object) -> T:
        """Run `work` in the one thread that may use the splitter."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def _digest_and_split(self, found: FoundFile, document: Document) -> tuple[str, list[Passage]]:
        return digest(found, self._max_bytes, self._stop), self._splitter.split(document)


def stays(old: FileRecord | None, now: FileRecord) -> bool:
    """Return whether the index keeps its records of a file that could not be read just `now`.

    If the reason may pass, the text read before is still the best there is, and a file that does
    not exist gets no row. One that exists gets a row with the reason; every sync reads it again.
    """
    if not may_pass(now.status, now.metadata):
        return False
    if old is None:
        return now.reason in (GONE, CHANGED)
    return (old.path, old.reason) == (now.path, now.reason) or not may_pass(
        old.status, old.metadata
    )


def _passage_record(file: FileRecord, ordinal: int, piece: Passage) -> PassageRecord:
    return PassageRecord(
        id=f"{file.id}:{ordinal}",
        file_id=file.id,
        root=file.root,
        path=file.path,
        ordinal=ordinal,
        page=piece.page,
        line_start=piece.line_start,
        line_end=piece.line_end,
        start=piece.start,
        end=piece.end,
        text=piece.text,
        headings=piece.headings,
        boxes=piece.boxes,
        title=file.title,
        date=file.date,
        mtime_ns=file.mtime_ns,
    )
