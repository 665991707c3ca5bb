"""Bring an index on object storage up to date: one process plans and writes, many read.

1. List what there is, and compare with what is known, as on one machine (`manole.index.sync.plan`).
2. Delete what is gone; move what was renamed, with its vectors.
3. Have the rest read, by this machine (`Here`) or a cluster (`rays`). What comes back is complete,
   and is written in large batches, since a commit on object storage takes as long as reading some
   files.

A file's id is made from its place, size and time. So if it is read again, after a worker, a machine
or this process died, the same rows are written over the same ids. A killed sync continues where it
was, since the next one knows what is written.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import Protocol

import numpy as np

from manole.documents.model import UNHEARD, Status
from manole.documents.opened import FoundFile
from manole.index.store.lance import LanceStore
from manole.index.store.page_records import PageEmbedder
from manole.index.store.records import FileRecord
from manole.index.sync.apply import as_ready
from manole.index.sync.options import SyncOptions
from manole.index.sync.plan import Place, Plan, check_drop, compare
from manole.index.sync.records import stays
from manole.index.sync.report import OnProgress, ProgressReporter, SyncReport, Tell
from manole.settings import Settings
from manole_cluster.reader import Done, Work
from manole_cluster.store import without_vectors
from manole_cluster.work import Orders, make_reader

# Set by hand, for one commit:
BATCH_FILES = 500
BATCH_PASSAGES = 4000
BATCH_SECONDS = 15.0


class Reads(Protocol):
    """A reader of many files (`Here`, `Cluster`)."""

    def read(self, works: Iterable[Work]) -> AsyncIterator[Done]:
        """Return the files as they are read, in any order."""
        ...


class Here:
    """Reading by this machine alone: one file is read while the next is fetched."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def read(self, works: Iterable[Work]) -> AsyncIterator[Done]:
        """Yield each file as it is read."""
        reader = await make_reader(Orders.of(self._settings), self._settings)
        try:
            async with aclosing(as_ready(works, reader.read, 2)) as reads:
                async for done in reads:
                    yield done
        finally:
            await asyncio.to_thread(reader.close)


async def sync(
    store: LanceStore,
    places: Sequence[Place],
    reads: Reads,
    *,
    pages: PageEmbedder | None,
    limits: Mapping[str, float],
    force: bool = False,
    again: Collection[str] = (),
    yes: bool = False,
    progress: OnProgress | None = None,
) -> SyncReport:
    """Bring `store` up to date with `places`; call it inside `store.writing()`.

    See `manole.index.sync.apply.sync` for the other arguments and the errors.
    """
    started = time.perf_counter()
    tell = ProgressReporter(progress).tell
    options = SyncOptions(force, again, limits=limits)
    misfits, orphans = await store.stale()
    misfits |= await without_vectors(store)
    known = await store.files()
    plan = await asyncio.to_thread(
        compare,
        known,
        places,
        reread=lambda file: file.id in misfits or options.wants(file, pages),
        tell=lambda count, path: tell("scan", count, count, path),
    )
    if not yes:
        named = {place.name: place for place in places}

        def there(file: FileRecord) -> bool:
            return file.root in named and named[file.root].has(file.path)

        await asyncio.to_thread(check_drop, plan, len(known), there)
    report = SyncReport()
    report.wrote = await _drop_and_move(store, plan, orphans, report)
    if plan.read:
        writer = _Writer(store, report, pages is not None)
        works = list(to_read(plan.read, {file.id for file in known}))
        await _read(reads, works, writer, report, tell)
        report.wrote = True
    tell("finish", 0, 1, "")
    if report.wrote:
        await store.finish()
    tell("finish", 1, 1, "")
    report.unheard = len(await store.files_with(UNHEARD))
    report.statuses = await store.statuses()
    report.seconds = time.perf_counter() - started
    return report


def to_read(
    files: Iterable[tuple[FoundFile, FileRecord | None]], taken: Collection[str]
) -> Iterator[Work]:
    """Yield the files to read, with an id for each that has none yet."""
    for found, old in files:
        fresh, turn = "", 0
        while not fresh or fresh in taken:  # the id went along with a file that was renamed
            named = f"{found.root}\0{found.path}\0{found.size}\0{found.mtime_ns}\0{turn}"
            fresh = hashlib.blake2b(named.encode("utf-8", "replace"), digest_size=16).hexdigest()
            turn += 1
        yield Work(found, old, fresh)


async def _drop_and_move(
    store: LanceStore, plan: Plan, orphans: set[str], report: SyncReport
) -> bool:
    report.unchanged = len(plan.unchanged) + len(plan.touched)
    report.renamed = len(plan.moved)
    report.deleted = len(plan.gone)
    report.unreadable = plan.unreadable
    removed = {file.id for file in plan.gone} | orphans
    same = [new for _, new in plan.moved] + plan.touched
    if removed:
        await store.delete(removed)
    if same:
        await store.touch(same)
    return bool(removed or same)


async def _read(
    reads: Reads,
    works: Sequence[Work],
    writer: _Writer,
    report: SyncReport,
    tell: Tell,
) -> None:
    old = {work.key: work.old for work in works}
    done = 0
    tell("read", 0, len(works), "")
    async for item in reads.read(works):
        if item.file.id not in old:
            continue  # it came twice
        before = old.pop(item.file.id)
        if stays(before, item.file):
            report.problems.append(item.file)
            continue
        if before is None:
            report.added += 1
        else:
            report.changed += 1
        done += 1
        report.passages += len(item.passages)
        report.embedded += len(item.passages)
        if item.file.status is not Status.INDEXED:
            report.problems.append(item.file)
        tell("read", done, len(works), item.file.path)
        await writer.add(item)
    await writer.flush()


class _Writer:
    """A writer of files in batches, once they are read."""

    def __init__(self, store: LanceStore, report: SyncReport, paged: bool) -> None:
        self._store = store
        self._report = report
        self._paged = paged
        self._batch: list[Done] = []
        self._passages = 0
        self._since = time.monotonic()

    async def add(self, item: Done) -> None:
        """Add a file; write the batch if it is large enough."""
        self._batch.append(item)
        self._passages += len(item.passages)
        late = time.monotonic() - self._since > BATCH_SECONDS
        if late or self._passages >= BATCH_PASSAGES or len(self._batch) >= BATCH_FILES:
            await self.flush()

    async def flush(self) -> None:
        """Write the batch: pages, passages, then the files' rows."""
        batch, self._batch, self._passages = self._batch, [], 0
        if batch:
            if self._paged:
                pages = [page for item in batch for page in item.pages]
                vectors = [one for item in batch for one in item.page_vectors]
                await self._store.pages.put([item.file for item in batch], pages, vectors)
            await self._store.replace(
                [(item.file, item.passages) for item in batch],
                np.concatenate([item.vectors for item in batch]),
            )
        self._since = time.monotonic()
