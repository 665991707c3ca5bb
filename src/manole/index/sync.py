"""Bring an index up to date with its folders.

1. Scan, and compare with what is known (`plan.py`). A file under a new name keeps its vectors.
2. Delete what is gone.
3. Read the rest, several at a time, and commit it in batches as text. It can be searched by its
   words from then on.
4. Then read the words of pictures and scanned pages, which takes seconds each (`recognition.py`),
   and let a vision model say what photos show, if one is at hand (`captions.py`).
5. Beside that, embed whatever in the store has no vector yet, passages first, then the lines of
   pages (`pages.py`). The store is the queue: memory stays small, reading never waits for the
   embedder, and a sync that was killed goes on where it was.

A file that cannot be read gets a row with the reason, and is tried again when it has changed, or
when the limit that stopped it was raised.
"""

from __future__ import annotations

import asyncio
import io
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Protocol, TypeVar

from manole.documents.model import Document, Passage, Status, was_raised
from manole.documents.scan import FoundFile
from manole.errors import ExtractionError
from manole.index.captions import Shrinks
from manole.index.embedding import Embedding
from manole.index.pages import PageEmbedder, lacks_pages, page_records, paged
from manole.index.pictures import MakeCaptions, PictureStages, found_again
from manole.index.plan import Plan, digest, make_plan
from manole.index.recognition import Pictures, Recognition, Recognizes
from manole.index.report import OnProgress, Progress, SyncReport
from manole.index.store import FileRecord, PageRecord, PassageRecord, Store
from manole.models.embedder import Embedder

FIRST_BATCH = 64  # passages of the first commit, so that embedding begins at once
TEXT_BATCH = 1000  # passages of a later one
TEXT_FILES = 500  # or files
TEXT_SECONDS = 5.0  # or this long since the last one
LONG_BYTES = 2 * 2**20  # of a PDF whose beginning is committed before the rest is read
FIRST_PAGES = 100
PAGE_SIDE = 1024  # pixels of a page that an embedder sees


class Reads(Recognizes, Shrinks, Protocol):
    """Reads files (`manole.documents.extract.Extractor`)."""

    async def extract(self, path: Path, max_pages: int | None = None) -> Document:
        """The file's document; a bad file's says what is wrong."""
        ...


class Splits(Protocol):
    """Splits documents (`manole.documents.split.Splitter`)."""

    def split(self, document: Document) -> list[Passage]:
        """The document's passages in order."""
        ...


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Read:
    """What the store keeps of one file."""

    file: FileRecord
    passages: list[PassageRecord]
    pages: list[PageRecord]


async def sync(
    store: Store,
    roots: Sequence[Path],
    extractor: Reads,
    splitter: Splits,
    embedder: Embedder,
    *,
    exclude: Sequence[str] = (),
    hidden: bool = False,
    force: bool = False,
    parallel: int = 2,
    max_bytes: int = 512 * 2**20,
    limits: Mapping[str, float] | None = None,
    pictures: Pictures | None = None,
    captions: MakeCaptions | None = None,
    pages: PageEmbedder | None = None,
    progress: OnProgress | None = None,
) -> SyncReport:
    """Bring `store` up to date with the files below `roots`; call it inside `store.writing()`.

    `force` reads every file again. `parallel` files are read at once; those over `max_bytes` are
    not hashed (the extractor refuses them). `limits` are those of the extractor: a file that one of
    them held back is read again when that one was raised. Without `pictures` no picture is read.
    `captions` loads what describes photos, once there is one to describe. `pages` makes the
    vectors of pages; without it they get none. A sync may be cancelled or killed at any moment.
    """
    run = _Sync(
        store, extractor, splitter, embedder, parallel, max_bytes, pictures, captions, pages,
        progress,
    )  # fmt: skip
    started = time.perf_counter()
    seconds_before, tokens_before = embedder.seconds_inside, embedder.tokens_inside
    misfits, orphans = await store.stale()
    known = await store.files()
    plan = await asyncio.to_thread(
        make_plan,
        known,
        roots,
        exclude=exclude,
        hidden=hidden,
        reread=lambda file: (
            force
            or file.id in misfits
            or was_raised(file.metadata, {**(limits or {}), "max_pages": inf})
            or (pages is not None and lacks_pages(file, pages))
        ),
        max_bytes=max_bytes,
        tell=lambda count, path: run.tell("scan", count, count, path),
    )
    await run.apply(plan, orphans)
    run.tell("finish", 0, 1)
    if run.wrote:
        await store.finish()
    run.tell("finish", 1, 1)
    report = run.report
    report.statuses = dict(Counter(file.status.value for file in await store.files()))
    report.seconds = time.perf_counter() - started
    report.embed_seconds = embedder.seconds_inside - seconds_before
    report.tokens = embedder.tokens_inside - tokens_before
    return report


class _Sync:
    """One run of `sync`."""

    def __init__(
        self,
        store: Store,
        extractor: Reads,
        splitter: Splits,
        embedder: Embedder,
        parallel: int,
        max_bytes: int,
        pictures: Pictures | None,
        captions: MakeCaptions | None,
        pages: PageEmbedder | None,
        progress: OnProgress | None,
    ) -> None:
        self.report = SyncReport()
        self.wrote = False
        self._store = store
        self._extractor = extractor
        self._splitter = splitter
        self._embedder = embedder
        self._parallel = parallel
        self._max_bytes = max_bytes
        self._progress = progress
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="split")
        self._committing = asyncio.Lock()
        self._pages = pages
        self._embedding = Embedding(
            store, embedder, pages, self._picture, self.report, self.tell, self._committing
        )
        recognition = Recognition(extractor, pictures) if pictures else None
        self._pictures = PictureStages(
            store, extractor, recognition, captions, self.report, self.tell, self._put
        )
        self._paths: dict[str, Path] = {}  # of files, by id, once pages are drawn
        self._began: dict[str, float] = {}

    def tell(self, stage: str, done: int, total: int, current: str = "") -> None:
        """Report progress, with rate and time left since the stage began."""
        if self._progress is None:
            return
        now = time.perf_counter()
        spent = now - self._began.setdefault(stage, now)
        rate = done / spent if spent > 0 else 0.0
        eta = (total - done) / rate if rate > 0 else None
        self._progress(Progress(stage, done, total, rate, eta, current))

    # Applying --------------------------------------------------------------------------------

    async def apply(self, plan: Plan, orphans: set[str]) -> None:
        """Make the store what `plan` says, text first, vectors beside it."""
        report, store = self.report, self._store
        report.unchanged = len(plan.unchanged) + len(plan.touched)
        report.renamed = len(plan.moved)
        report.deleted = len(plan.gone)
        report.unreadable = plan.unreadable
        removed = {file.id for file in plan.gone} | orphans
        if removed:
            await store.delete(removed)
        for old, new in plan.moved:
            await store.rename(old, new)
        if plan.touched:
            await store.touch(plan.touched)
        total, embedded = await store.count()
        self._embedding.backlog = total - embedded
        self._embedding.outdated = {old.id for _, old in plan.read if old}
        self.wrote = bool(
            removed or plan.moved or plan.touched or plan.read or total > embedded
        ) or bool(await store.pages.missing(1))
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._read_everything(plan.read))
                tasks.create_task(self._embedding.run(tasks))
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from group
        finally:
            self._thread.shutdown(wait=False, cancel_futures=True)

    async def _read_everything(self, files: Sequence[tuple[FoundFile, FileRecord | None]]) -> None:
        await self._read_all(files)
        await self._pictures.complete()
        self._embedding.all_read = True
        self._embedding.more.set()

    async def _read_all(self, files: Sequence[tuple[FoundFile, FileRecord | None]]) -> None:
        batch: list[Read] = []
        passages = 0
        committed = time.perf_counter()
        limit = FIRST_BATCH
        done = 0
        async for item in self._read_each(files):
            done += 1
            self.tell("read", done, len(files), item.file.path)
            batch.append(item)
            passages += len(item.passages)
            late = time.perf_counter() - committed > TEXT_SECONDS
            if passages >= limit or len(batch) >= TEXT_FILES or late:
                await self._commit(batch)
                batch, passages, limit = [], 0, TEXT_BATCH
                committed = time.perf_counter()
        await self._commit(batch)

    async def _put(self, file: FileRecord, document: Document) -> None:
        """Put a document in place of what the store has of its file."""
        self.wrote = True
        self._embedding.outdated.add(file.id)
        await self._commit([await self._recorded(found_again(file), file, document)])

    async def _read_each(
        self, files: Sequence[tuple[FoundFile, FileRecord | None]]
    ) -> AsyncIterator[Read]:
        """Read several files at once; results come as they are ready."""
        waiting = iter(files)
        running: set[asyncio.Task[Read]] = set()
        try:
            while True:
                while len(running) < self._parallel and (item := next(waiting, None)):
                    running.add(asyncio.create_task(self._read(*item)))
                if not running:
                    return
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
        finally:
            for task in running:
                task.cancel()

    async def _read(self, found: FoundFile, old: FileRecord | None) -> Read:
        if old is None:
            self.report.added += 1
        else:
            self.report.changed += 1
        if found.size >= LONG_BYTES and found.path.lower().endswith(".pdf"):
            old = await self._begun(found, old)
        return await self._recorded(found, old, await self._extractor.extract(found.absolute))

    async def _begun(self, found: FoundFile, old: FileRecord | None) -> FileRecord | None:
        """Commit the first pages of a long PDF, so that they can be searched while it is read."""
        document = await self._extractor.extract(found.absolute, FIRST_PAGES)
        if not was_raised(document.metadata, {"max_pages": inf}):
            return old  # it has no more pages
        reason = f"its first {FIRST_PAGES} pages; the others are being read"
        part = replace(document, status=Status.PARTIAL, reason=reason)
        read = await self._recorded(found, old, part)
        self.report.passages -= len(read.passages)
        await self._commit([read])
        self._embedding.outdated.add(read.file.id)
        return read.file

    async def _recorded(self, found: FoundFile, old: FileRecord | None, document: Document) -> Read:
        """What the store keeps of a document."""
        digest = ""
        pieces: list[Passage] = []
        try:
            digest, pieces = await self._in_line(self._digest_and_split, found, document)
        except Exception as error:  # whatever it is, the other files must go on
            reason = f"splitting failed: {error or type(error).__name__}"
            document = replace(document, status=Status.FAILED, reason=reason)
        self.report.passages += len(pieces)
        key = old.id if old else uuid.uuid4().hex
        pages = self._page_records(key, document, bool(pieces))
        told = paged(len(pages), self._pages) if self._pages is not None else {}
        record = FileRecord(
            id=key,
            root=str(found.root),
            path=found.path,
            size=found.size,
            mtime_ns=found.mtime_ns,
            content_hash=digest,
            status=document.status,
            reason=document.reason,
            format=document.format,
            title=document.title,
            date=document.date,
            date_source=document.date_source,
            pages=len(document.pages),
            passages=len(pieces),
            indexed_at=datetime.now(UTC),
            metadata=document.metadata | told,
        )
        self.report.problems = [file for file in self.report.problems if file.id != record.id]
        if document.status is not Status.INDEXED:
            self.report.problems.append(record)
        passages = [_passage_record(record, i, piece) for i, piece in enumerate(pieces)]
        return Read(record, passages, pages)

    def _page_records(self, key: str, document: Document, worded: bool) -> list[PageRecord]:
        """The pages that get vectors: those with words, or all that can be seen."""
        if self._pages is None or document.status is Status.FAILED:
            return []
        if self._pages.sees:
            return page_records(key, document, seen=True)
        return page_records(key, document) if worded else []

    async def _picture(self, page: PageRecord) -> bytes:
        """A page as JPEG, for an embedder that sees; white, where it cannot be drawn."""
        if not self._paths:
            self._paths = {f.id: found_again(f).absolute for f in await self._store.files()}
        try:
            return await self._extractor.shrunk(self._paths[page.file_id], page.page, PAGE_SIDE)
        except (ExtractionError, KeyError):
            return await asyncio.to_thread(_white)

    async def _in_line(self, work: Callable[..., T], *arguments: object) -> T:
        """Run `work` in the one thread that may use the splitter."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, work, *arguments)

    def _digest_and_split(self, found: FoundFile, document: Document) -> tuple[str, list[Passage]]:
        return digest(found, self._max_bytes), self._splitter.split(document)

    async def _commit(self, batch: Sequence[Read]) -> None:
        if batch:
            async with self._committing:
                if self._pages is not None:
                    pages = [page for item in batch for page in item.pages]
                    await self._store.pages.put([item.file for item in batch], pages)
                await self._store.replace([(item.file, item.passages) for item in batch])
                self._embedding.outdated.difference_update(item.file.id for item in batch)
        self._embedding.more.set()


def _white() -> bytes:
    """A small white JPEG."""
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (56, 56), "white").save(out, "jpeg")
    return out.getvalue()


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
