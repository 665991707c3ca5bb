"""Bring an index up to date with its folders.

1. Scan, and compare with what is known (`plan.py`). A file under a new name keeps its vectors.
2. Delete what is gone.
3. Read the rest, several at a time, and commit it in batches as text. It can be searched by its
   words from then on.
4. Then read the words of pictures and scanned pages, which takes seconds each (`recognition.py`),
   and let a vision model say what photos show, if one is at hand (`captions.py`).
5. Beside that, embed whatever in the store has no vector yet. The store is the queue: memory stays
   small, reading never waits for the embedder, and a sync that was killed goes on where it was.

A file that cannot be read gets a row with the reason, and is tried again when it has changed, or
when the limit that stopped it was raised.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from manole.documents.model import UNDESCRIBED, UNREAD, Document, Passage, Status, was_raised
from manole.documents.scan import FoundFile, locate
from manole.index.captions import Captions, Photo, described
from manole.index.plan import Plan, digest, make_plan
from manole.index.recognition import Pictures, Recognition, Recognizes
from manole.index.report import OnProgress, Progress, SyncReport
from manole.index.rows import context
from manole.index.store import FileRecord, PassageRecord, Store, Vectors
from manole.models.embedder import Embedder

FIRST_BATCH = 64  # passages of the first commit, so that embedding begins at once
TEXT_BATCH = 1000  # passages of a later one
TEXT_FILES = 500  # or files
TEXT_SECONDS = 5.0  # or this long since the last one
EMBED_CHUNK = 2048  # passages fetched from the store at once, sorted by length
EMBED_COMMIT = 512  # vectors of one commit
EMBED_CALL = 64  # passages of one call: how long Ctrl-C may have to wait


class Reads(Recognizes, Protocol):
    """Reads files (`manole.documents.extract.Extractor`)."""

    async def extract(self, path: Path) -> Document:
        """The file's document; a bad file's says what is wrong."""
        ...


class Splits(Protocol):
    """Splits documents (`manole.documents.split.Splitter`)."""

    def split(self, document: Document) -> list[Passage]:
        """The document's passages in order."""
        ...


T = TypeVar("T")
# From the photos without a description to what makes them; `None` where nothing can.
MakeCaptions = Callable[[Sequence[FileRecord]], AbstractAsyncContextManager[Captions | None]]


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
    progress: OnProgress | None = None,
) -> SyncReport:
    """Bring `store` up to date with the files below `roots`; call it inside `store.writing()`.

    `force` reads every file again. `parallel` files are read at once; those over `max_bytes` are
    not hashed (the extractor refuses them). `limits` are those of the extractor: a file that one of
    them held back is read again when that one was raised. Without `pictures` no picture is read.
    `captions` loads what describes photos, once there is one to describe. A sync may be cancelled
    or killed at any moment.
    """
    run = _Sync(
        store, extractor, splitter, embedder, parallel, max_bytes, pictures, captions, progress
    )
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
        reread=lambda file: force or file.id in misfits or was_raised(file.metadata, limits or {}),
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
        self._recognition = Recognition(extractor, pictures) if pictures else None
        self._make_captions = captions
        self._progress = progress
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="split")
        self._committing = asyncio.Lock()
        self._more_text = asyncio.Event()
        self._all_read = False
        self._backlog = 0  # passages an earlier sync left without vectors
        self._outdated: set[str] = set()  # files whose passages in the store are about to go
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
        self._backlog = total - embedded
        self._outdated = {old.id for _, old in plan.read if old}
        self.wrote = bool(removed or plan.moved or plan.touched or plan.read or self._backlog)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._read_everything(plan.read))
                tasks.create_task(self._embed_all(tasks))
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from group
        finally:
            self._thread.shutdown(wait=False, cancel_futures=True)

    async def _read_everything(self, files: Sequence[tuple[FoundFile, FileRecord | None]]) -> None:
        await self._read_all(files)
        if self._recognition:
            await self._recognize_all(self._recognition)
        if self._make_captions:
            await self._describe_all(self._make_captions)
        self._all_read = True
        self._more_text.set()

    async def _read_all(self, files: Sequence[tuple[FoundFile, FileRecord | None]]) -> None:
        batch: list[tuple[FileRecord, list[PassageRecord]]] = []
        passages = 0
        committed = time.perf_counter()
        limit = FIRST_BATCH
        done = 0
        async for record, found in self._read_each(files):
            done += 1
            self.tell("read", done, len(files), record.path)
            batch.append((record, found))
            passages += len(found)
            late = time.perf_counter() - committed > TEXT_SECONDS
            if passages >= limit or len(batch) >= TEXT_FILES or late:
                await self._commit(batch)
                batch, passages, limit = [], 0, TEXT_BATCH
                committed = time.perf_counter()
        await self._commit(batch)

    async def _recognize_all(self, recognition: Recognition) -> None:
        """The words of pictures, file by file; also of those that an earlier sync did not reach."""
        left = [
            (file, recognition.pages_of(file.metadata))
            for file in await self._store.files()
            if UNREAD in file.metadata
        ]
        total, before = sum(pages for _, pages in left), 0
        if recognition.is_too_much(total):
            self.report.waiting = total
            return
        for file, pages in left:
            tell = partial(self._tell_pages, before, total, file.path)
            tell(0)
            before += pages
            document = await self._completed(file, recognition, tell)
            if document is not None:
                await self._put(file, document)

    async def _completed(
        self, file: FileRecord, recognition: Recognition | None, tell: Callable[[int], None]
    ) -> Document | None:
        """A file read again, with its pictures' words; `None` when it is another file by now."""
        path = _found(file).absolute
        document = await self._extractor.extract(path)
        if UNREAD not in document.metadata:
            return None  # the next sync reads it
        if recognition is None:
            return document
        return await recognition.complete(document, path, file.content_hash, tell)

    async def _put(self, file: FileRecord, document: Document) -> None:
        """Put a document in place of what the store has of its file."""
        self.wrote = True
        self._outdated.add(file.id)
        await self._commit([await self._recorded(_found(file), file, document)])

    async def _describe_all(self, make: MakeCaptions) -> None:
        """What photos show, also those that an earlier sync did not reach."""
        undescribed = [f for f in await self._store.files() if UNDESCRIBED in f.metadata]
        async with make(undescribed) as captions:
            if captions is None:
                return
            left = [f for f in undescribed if captions.wants(f.metadata) and f.content_hash]
            photos = [Photo(file, _found(file).absolute) for file in left]
            self.tell("caption", 0, len(photos))
            done = 0
            async for photo, sight in captions.each(photos):
                document = await self._completed(photo.file, self._recognition, lambda _: None)
                if document is not None and UNDESCRIBED in document.metadata:
                    await self._put(photo.file, described(document, sight, captions.name))
                done += 1
                self.tell("caption", done, len(photos), photo.file.path)

    def _tell_pages(self, before: int, total: int, path: str, done: int) -> None:
        self.tell("recognize", before + done, total, path)

    async def _read_each(
        self, files: Sequence[tuple[FoundFile, FileRecord | None]]
    ) -> AsyncIterator[tuple[FileRecord, list[PassageRecord]]]:
        """Read several files at once; results come as they are ready."""
        waiting = iter(files)
        running: set[asyncio.Task[tuple[FileRecord, list[PassageRecord]]]] = set()
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

    async def _read(
        self, found: FoundFile, old: FileRecord | None
    ) -> tuple[FileRecord, list[PassageRecord]]:
        if old is None:
            self.report.added += 1
        else:
            self.report.changed += 1
        return await self._recorded(found, old, await self._extractor.extract(found.absolute))

    async def _recorded(
        self, found: FoundFile, old: FileRecord | None, document: Document
    ) -> tuple[FileRecord, list[PassageRecord]]:
        """What the store keeps of a document."""
        digest = ""
        pieces: list[Passage] = []
        try:
            digest, pieces = await self._in_line(self._digest_and_split, found, document)
        except Exception as error:  # whatever it is, the other files must go on
            reason = f"splitting failed: {error or type(error).__name__}"
            document = replace(document, status=Status.FAILED, reason=reason)
        self.report.passages += len(pieces)
        record = FileRecord(
            id=old.id if old else uuid.uuid4().hex,
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
            metadata=dict(document.metadata),
        )
        self.report.problems = [file for file in self.report.problems if file.id != record.id]
        if document.status is not Status.INDEXED:
            self.report.problems.append(record)
        return record, [_passage_record(record, i, piece) for i, piece in enumerate(pieces)]

    async def _in_line(self, work: Callable[..., T], *arguments: object) -> T:
        """Run `work` in the one thread that may use the splitter."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, work, *arguments)

    def _digest_and_split(self, found: FoundFile, document: Document) -> tuple[str, list[Passage]]:
        return digest(found, self._max_bytes), self._splitter.split(document)

    async def _commit(self, batch: Sequence[tuple[FileRecord, list[PassageRecord]]]) -> None:
        if batch:
            async with self._committing:
                await self._store.replace(batch)
                self._outdated.difference_update(record.id for record, _ in batch)
        self._more_text.set()

    async def _embed_all(self, tasks: asyncio.TaskGroup) -> None:
        """Embed what has no vector, until everything is read and nothing is missing."""
        while True:
            self._more_text.clear()
            last = self._all_read
            missing = [
                passage
                for passage in await self._store.missing_vectors(EMBED_CHUNK)
                if passage.file_id not in self._outdated
            ]
            if missing:
                await self._embed(missing, tasks)
            elif last:
                return
            else:
                await self._more_text.wait()

    async def _embed(self, missing: list[PassageRecord], tasks: asyncio.TaskGroup) -> None:
        """Embed and save passages; saving runs beside the embedding of the next ones."""
        missing.sort(key=lambda passage: -len(passage.text))
        saving: asyncio.Task[None] | None = None
        for at in range(0, len(missing), EMBED_COMMIT):
            part = missing[at : at + EMBED_COMMIT]
            vectors = []
            for start in range(0, len(part), EMBED_CALL):
                call = part[start : start + EMBED_CALL]
                texts = [embedding_text(passage) for passage in call]
                vectors.append(await asyncio.to_thread(self._embedder.embed, texts))
                self.report.embedded += len(call)
                total = max(self._backlog + self.report.passages, self.report.embedded)
                self.tell("embed", self.report.embedded, total, call[0].path)
            if saving:
                await saving
            saving = tasks.create_task(self._save(part, np.concatenate(vectors)))
        if saving:
            await saving

    async def _save(self, passages: Sequence[PassageRecord], vectors: Vectors) -> None:
        async with self._committing:
            await self._store.put_vectors([passage.id for passage in passages], vectors)


def embedding_text(passage: PassageRecord) -> str:
    """What the embedder reads of a passage: title and headings, then the text.

    The path is left to BM25: with it, hit@1 of vectors on XQuAD fell from .904 to .888.
    """
    before = context("", passage.title, passage.headings)
    return f"{before}\n{passage.text}" if before else passage.text


def _found(file: FileRecord) -> FoundFile:
    """Where a known file is, as a scan would have found it."""
    absolute = locate(Path(file.root), file.path)
    return FoundFile(file.root, file.path, absolute, file.size, file.mtime_ns)


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
