"""Bring an index up to date with its folders.

1. Scan, and compare with what is known (`plan.py`). A file under a new name keeps its vectors.
2. Delete what is gone.
3. Read the rest, several at a time, and commit it in batches as text. It can be searched by its
   words from then on.
4. Then read the words of pictures and scanned pages, which takes seconds each (`ocr.py`), and, if
   the models are at hand, describe photos and transcribe recordings (`captions.py`,
   `recordings.py`).
5. Meanwhile, embed whatever in the store has no vector yet, passages first, then the lines of
   pages (`embedding.py`). The store is the queue: memory stays small, reading never waits for the
   embedder, and a killed sync continues where it was.

A file that cannot be read gets a row with the reason, and is tried again when it has changed, or
when the limit that stopped it was raised. If the reason may pass (the file is gone, locked or not
permitted), the index keeps what it has of the file, and the next sync tries again
(`records.stays`).
"""

from __future__ import annotations

import asyncio
import io
import threading
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from manole.documents.model import MEMBERS, Document, Status, was_raised
from manole.documents.opened import FoundFile
from manole.errors import ExtractionError
from manole.index.store.records import FileRecord, PageRecord
from manole.index.sync.embedding import Committed, Embedding, Queue
from manole.index.sync.later_stages import LaterStages, found_again
from manole.index.sync.options import SyncOptions, SyncParts
from manole.index.sync.plan import Plan, check_drop, make_plan, stored
from manole.index.sync.queued import Queued
from manole.index.sync.records import Read, Recorder
from manole.index.sync.report import OnProgress, ProgressReporter, SyncReport, Tell

T = TypeVar("T")
R = TypeVar("R")

# All set by hand:
FIRST_BATCH = 64  # passages of the first commit, so that embedding begins at once
TEXT_BATCH = 4000  # passages of a later commit,
TEXT_FILES = 2000  # or its files,
TEXT_SECONDS = 5.0  # or the time since the last one
LONG_BYTES = 2 * 2**20  # of a PDF whose beginning is committed before the rest is read
FIRST_PAGES = 100  # of that beginning
SMALL = 1000  # files of a sync, at most, that keeps in memory what it has to embed
PAGE_SIDE = 1024  # pixels of the longer side of a page that an embedder sees


async def sync(
    parts: SyncParts,
    roots: Sequence[Path],
    options: SyncOptions,
    progress: OnProgress | None = None,
) -> SyncReport:
    """Bring a store up to date with the files below `roots`; call it inside `store.writing()`.

    It may be cancelled or killed at any moment. Raises `WouldDropError` before any change if more
    than half of all files are gone, unless `options.yes`; `UsageError` if there is no root.
    """
    started = time.perf_counter()
    store, embedder, only = parts.store, parts.embedder, options.only
    seconds_before, tokens_before = embedder.seconds_inside, embedder.tokens_inside
    misfits, orphans = (set[str](), set[str]()) if only is not None else await store.stale()
    known = await (store.files() if only is None else store.files_at(stored(only)))
    report = SyncReport()
    reporter = ProgressReporter(progress)
    plan = await _stoppable(
        make_plan,
        known,
        roots,
        options,
        reread=lambda file: file.id in misfits or options.wants(file, parts.pages),
        tell=lambda count, path: reporter.tell("scan", count, count, path),
    )
    if not options.yes:
        total = len(known) if only is None else (await store.counted())[0]
        await asyncio.to_thread(check_drop, plan, total)
    del known  # with a million files, most of a gigabyte
    small = only is not None and len(plan.read) <= SMALL
    run = _Sync(parts, options, Committed() if small else store, report, reporter.tell)
    await run.apply(plan, orphans)
    reporter.tell("finish", 0, 1)
    if run.wrote:
        await store.finish()
    reporter.tell("finish", 1, 1)
    if only is None:
        report.statuses = await store.statuses()
    report.problems = list(run.problems.values())
    report.wrote = run.wrote
    report.seconds = time.perf_counter() - started
    report.embed_seconds = embedder.seconds_inside - seconds_before
    report.tokens = embedder.tokens_inside - tokens_before
    return report


async def _stoppable(work: Callable[..., T], *arguments: object, **options: object) -> T:
    """Run `work` in a thread; when cancelled, end it early through its option `stop`."""
    stop = threading.Event()
    try:
        return await asyncio.to_thread(work, *arguments, **options, stop=stop)
    except asyncio.CancelledError:
        stop.set()
        raise


class _Sync:
    """The state of one `sync`."""

    def __init__(
        self,
        parts: SyncParts,
        options: SyncOptions,
        queue: Queue,
        report: SyncReport,
        tell: Tell,
    ) -> None:
        self.report = report
        self.problems: dict[str, FileRecord] = {}  # by id
        self.wrote = False
        self.tell = tell
        self._store = parts.store
        self._queue = queue
        self._extractor = parts.extractor
        self._recorder = Recorder(parts.splitter, parts.pages, options.max_bytes)
        self._parallel = options.parallel
        self._pace = parts.pace
        self._committing = asyncio.Lock()
        self._pages = parts.pages
        self._embedding = Embedding(parts, queue, self._picture, report, tell, self._committing)
        self._later = LaterStages(parts, queue, report, tell, self._put)
        self._paths: dict[str, FoundFile] = {}  # of files, by id, once pages are drawn
        self._queued = Queued()

    # Applying --------------------------------------------------------------------------------

    async def apply(self, plan: Plan, orphans: set[str]) -> None:
        """Apply `plan` to the store: text first, vectors beside it."""
        report, store = self.report, self._store
        report.unchanged = len(plan.unchanged) + len(plan.touched)
        plan.unchanged.clear()  # they need nothing, and take much room
        report.renamed = len(plan.moved)
        report.deleted = len(plan.gone)
        report.unreadable = plan.unreadable
        removed = {file.id for file in plan.gone} | orphans
        if removed:
            await store.delete(removed)
        if same := [new for _, new in plan.moved] + plan.touched:
            await store.touch(same)
        total, embedded = await self._queue.count()
        self._embedding.backlog = total - embedded
        self._embedding.outdated = {old.id for _, old in plan.read if old}
        self.wrote = bool(removed or same or total > embedded)
        if not self.wrote:
            paged, done = await self._queue.pages.count()
            self.wrote = paged > done
        self._queued = Queued(plan)
        plan.read, plan.inside = [], {}
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._read_everything())
                tasks.create_task(self._embedding.run(tasks))
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from group
        finally:
            self._recorder.close()

    async def _read_everything(self) -> None:
        await self._read_all()
        if gone := self._queued.gone():
            self.report.deleted += len(gone)
            await self._store.delete({file.id for file in gone})
        await self._later.complete()
        self._embedding.all_read = True
        self._embedding.more.set()

    async def _read_all(self) -> None:
        batch: list[Read] = []
        passages = 0
        committed = time.perf_counter()
        limit = FIRST_BATCH
        done = 0
        async with aclosing(as_ready(self._queued, self._read, self._parallel)) as reads:
            async for item in reads:
                done += 1
                self.tell("read", done, self._queued.total, item.file.path)
                if item.left:
                    continue
                batch.append(item)
                passages += len(item.passages)
                late = time.perf_counter() - committed > TEXT_SECONDS
                if passages >= limit or len(batch) >= TEXT_FILES or late:
                    await self._commit(batch)
                    batch, passages, limit = [], 0, TEXT_BATCH
                    committed = time.perf_counter()
        await self._commit(batch)

    async def _put(self, file: FileRecord, document: Document) -> None:
        """Replace the document of a file in the store."""
        self.wrote = True
        self._embedding.outdated.add(file.id)
        await self._commit([await self._recorded(found_again(file), file, document)])

    async def _read(self, file: tuple[FoundFile, FileRecord | None]) -> Read:
        found, old = file
        await self._pace.step()
        known = old
        if found.size >= LONG_BYTES and found.path.lower().endswith(".pdf"):
            old = await self._begun(found, old)
        document = await self._extractor.extract(found)
        if document.members:
            counted = {MEMBERS: str(len(document.members))}
            document = replace(document, metadata=document.metadata | counted)
        read = await self._recorded(found, old, document)
        if same := self._queued.enter(found, document, read.left):
            self.report.unchanged += len(same)
            await self._store.touch(same)
        if read.left:
            self._embedding.outdated.discard(read.file.id)
        elif known is None:
            self.report.added += 1
        else:
            self.report.changed += 1
        return read

    async def _begun(self, found: FoundFile, old: FileRecord | None) -> FileRecord | None:
        """Commit the first pages of a long PDF, so that they can be searched while it is read."""
        document = await self._extractor.extract(found, FIRST_PAGES)
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
        """Return the records of a document, and note the outcome in the report."""
        read = await self._recorder.recorded(found, old, document)
        self.report.passages += len(read.passages)
        self.problems.pop(read.file.id, None)
        if read.file.status is not Status.INDEXED:
            self.problems[read.file.id] = read.file
        return read

    async def _picture(self, page: PageRecord) -> bytes:
        """Return a page as JPEG for an embedder that sees; a white one if it cannot be drawn."""
        if not self._paths:
            self._paths = {f.id: found_again(f) for f in await self._queue.files()}
        try:
            return await self._extractor.shrunk(self._paths[page.file_id], page.page, PAGE_SIDE)
        except (ExtractionError, KeyError):
            return await asyncio.to_thread(white)

    async def _commit(self, batch: Sequence[Read]) -> None:
        if batch:
            self.wrote = True
            async with self._committing:
                for new in (True, False):
                    await self._put_all([item for item in batch if item.new == new], new)
                if isinstance(self._queue, Committed):
                    self._queue.note(batch)
                self._embedding.outdated.difference_update(item.file.id for item in batch)
        self._embedding.more.set()

    async def _put_all(self, batch: Sequence[Read], new: bool) -> None:
        if batch and self._pages is not None:
            pages = [page for item in batch for page in item.pages]
            await self._store.pages.put([item.file for item in batch], pages, new=new)
        await self._store.replace([(item.file, item.passages) for item in batch], new=new)


def white() -> bytes:
    """Return a small white JPEG."""
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (56, 56), "white").save(out, "jpeg")
    return out.getvalue()


async def as_ready(
    items: Iterable[T], do: Callable[[T], Coroutine[Any, Any, R]], at_once: int
) -> AsyncGenerator[R]:
    """Yield the result of `do` for each item as it is ready, `at_once` of them under way.

    Items are taken one by one as there is room. The first error ends it. Close the iterator
    (`contextlib.aclosing`) to cancel what is under way.
    """
    waiting = iter(items)
    running: set[asyncio.Task[R]] = set()
    missing = object()
    try:
        while True:
            while len(running) < at_once and (item := next(waiting, missing)) is not missing:
                running.add(asyncio.create_task(do(item)))  # type: ignore[arg-type]  # no sentinel
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in running:
            task.cancel()
