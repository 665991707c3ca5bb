"""Fills in the vectors that a store lacks: those of passages, then those of pages' lines.

`pending.py` finds them. What was committed as text is embedded meanwhile, long texts together;
saving runs beside the embedding of the next texts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import numpy as np

from manole.index.store.page_records import PageEmbedder
from manole.index.store.records import PageRecord, PassageRecord, Vectors
from manole.index.sync.embedding_dedup import KnownVectors
from manole.index.sync.parts import SyncParts
from manole.index.sync.pending import Queue
from manole.index.sync.report import SyncReport, Tell

CHUNK = 2048  # passages fetched from the store at once, sorted by length
COMMIT = 512  # vectors of one commit
CALL = 64  # passages of one call: how long Ctrl-C may have to wait
PAGES = 64  # pages of one commit
PAGES_CALL = 4  # pages of one call


class Embedding:
    """The embedding of one sync. `more` is set when there may be more to embed."""

    def __init__(
        self,
        parts: SyncParts,
        queue: Queue,
        picture: Callable[[PageRecord], Awaitable[bytes]],
        report: SyncReport,
        tell: Tell,
        committing: asyncio.Lock,
    ) -> None:
        self.more = asyncio.Event()
        self.all_read = False
        self.backlog = 0  # passages an earlier sync left without vectors
        self.outdated: set[str] = set()  # files whose passages in the store are about to go
        self._store = parts.store
        self._twins = KnownVectors(parts.store)
        self._queue = queue
        self._pace = parts.pace
        self._embedder = parts.embedder
        self._pages = parts.pages
        self._picture = picture
        self._report = report
        self._tell = tell
        self._committing = committing

    async def run(self, tasks: asyncio.TaskGroup) -> None:
        """Embed what has no vector, until everything is read and nothing is missing."""
        while True:
            self.more.clear()
            last = self.all_read
            missing = [
                passage
                for passage in await self._queue.missing_vectors(CHUNK)
                if passage.file_id not in self.outdated
            ]
            if missing:
                await self._embed(missing, tasks)
            elif last:
                break
            else:
                await self.more.wait()
        if self._pages is not None:
            await self._embed_pages(self._pages)

    async def _embed(self, missing: list[PassageRecord], tasks: asyncio.TaskGroup) -> None:
        missing.sort(key=lambda passage: -len(passage.text))
        groups, known = await self._twins.grouped(missing)
        saving: asyncio.Task[None] | None = None
        if known:
            copies = [passage for passage, _ in known]
            self._done(copies)
            saving = tasks.create_task(self._save(copies, np.stack([made for _, made in known])))
        for at in range(0, len(groups), COMMIT):
            part = groups[at : at + COMMIT]
            vectors = []
            for start in range(0, len(part), CALL):
                await self._pace.step()
                call = part[start : start + CALL]
                texts = [group.text for group in call]
                vectors.append(await asyncio.to_thread(self._embedder.embed, texts))
                self._twins.note(texts, vectors[-1])
                self._done([passage for group in call for passage in group.passages])
            if saving:
                await saving
            each = np.repeat(np.concatenate(vectors), [len(g.passages) for g in part], axis=0)
            passages = [passage for group in part for passage in group.passages]
            saving = tasks.create_task(self._save(passages, each))
        if saving:
            await saving

    def _done(self, passages: Sequence[PassageRecord]) -> None:
        self._report.embedded += len(passages)
        total = max(self.backlog + self._report.passages, self._report.embedded)
        self._tell("embed", self._report.embedded, total, passages[0].path)

    async def _save(self, passages: Sequence[PassageRecord], vectors: Vectors) -> None:
        async with self._committing:
            await self._store.put_vectors([passage.id for passage in passages], vectors)

    async def _embed_pages(self, reads: PageEmbedder) -> None:
        total, done = await self._queue.pages.count()
        while pages := await self._queue.pages.missing(PAGES):
            vectors: list[Vectors] = []
            for start in range(0, len(pages), PAGES_CALL):
                await self._pace.step()
                call = pages[start : start + PAGES_CALL]
                seen = [await self._picture(page) for page in call] if reads.sees else []
                vectors += await asyncio.to_thread(reads.embed, call, seen)
                done += len(call)
                self._tell("pages", done, total, "")
            async with self._committing:
                await self._store.put_page_vectors([page.id for page in pages], vectors)
