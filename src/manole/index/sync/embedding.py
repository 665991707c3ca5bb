"""The vectors that a store lacks: those of passages, then those of pages' lines.

The queue of what is to be embedded is the store itself: what was committed as text is embedded
meanwhile, long texts together, and saving runs beside the embedding of the next texts. To find what
has no vector, the store looks at every row. That would make the cost of a sync of a few files grow
with the library, so such a sync keeps in memory what it committed (`Committed`). If it is killed,
the next whole sync finds what is missing in the store.

Passages with identical text are embedded once (`KnownVectors`). A copy of a file repeats all its
passages, and a letterhead, a disclaimer or a page header stands in many files. So there is a look
among the last texts embedded, and in indexed files with the same bytes. Each passage keeps a vector
of its own: in the folders measured, 0.2 % of passages are copies, and a vector shared by several
rows would make every search slower.

With another embedder all vectors are dropped first (`Store.writing`), and every passage is in that
queue: until it has its new vector, it is found by its words.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from manole.index.store.page_records import PageEmbedder
from manole.index.store.protocol import Store
from manole.index.store.records import FileRecord, PageRecord, PassageRecord, Vectors
from manole.index.store.rows import are_whole, embedding_text
from manole.index.sync.options import SyncParts
from manole.index.sync.records import Read
from manole.index.sync.report import SyncReport, Tell

T = TypeVar("T")

# All set by hand:
CHUNK = 2048  # passages fetched from the store at once, sorted by length
COMMIT = 512  # vectors of one commit
CALL = 64  # passages of one call: how long Ctrl-C may have to wait
PAGES = 64  # pages of one commit
PAGES_CALL = 4  # pages of one call
REMEMBERED = 20_000  # texts: 30 MB of vectors of 384 numbers


class Embedding:
    """The embedding of one sync. Set `more` when there may be more to embed."""

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
        """Embed passages without vectors, until everything is read and nothing is missing."""
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


@dataclass(frozen=True, slots=True)
class Group:
    """Passages of which the embedder reads the same text."""

    text: str
    passages: list[PassageRecord]


class KnownVectors:
    """The vectors that one sync made, by text."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: OrderedDict[bytes, Vectors] = OrderedDict()

    async def grouped(
        self, passages: Sequence[PassageRecord]
    ) -> tuple[list[Group], list[tuple[PassageRecord, Vectors]]]:
        """Return the texts left to embed, in order, and the passages with known vectors."""
        texts = [embedding_text(passage) for passage in passages]
        keyed = [(p, text, text_key(text)) for p, text in zip(passages, texts, strict=True)]
        unknown = dict.fromkeys(p.file_id for p, _, key in keyed if key not in self._kept)
        copied = {
            text_key(embedding_text(passage)): vector
            for passage, vector in await self._store.vectors_of_copies(list(unknown))
            if are_whole(vector[None])[0]
        }
        groups: dict[str, Group] = {}
        known: list[tuple[PassageRecord, Vectors]] = []
        for passage, text, key in keyed:
            vector = self._kept.get(key, copied.get(key))
            if vector is not None:
                known.append((passage, vector))
            else:
                groups.setdefault(text, Group(text, [])).passages.append(passage)
        return list(groups.values()), known

    def note(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep the vectors (n × dimensions) of these texts."""
        for text, vector in zip(texts, vectors, strict=True):
            self._kept[text_key(text)] = vector
        while len(self._kept) > REMEMBERED:
            self._kept.popitem(last=False)


def text_key(text: str) -> bytes:
    """Return the hash of a text that is embedded, of 16 bytes."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Committed:
    """The commits of one sync, with the methods of `Store`; each item is handed out once."""

    def __init__(self) -> None:
        self.pages = CommittedPages()
        self._files: dict[str, FileRecord] = {}
        self._passages: dict[str, list[PassageRecord]] = {}

    def note(self, batch: Sequence[Read]) -> None:
        """Note a commit, in place of an earlier one of the same files."""
        for item in batch:
            self._files[item.file.id] = item.file
            self._passages[item.file.id] = item.passages
            self.pages.waiting[item.file.id] = item.pages

    async def count(self) -> tuple[int, int]:
        """Return zeros: the work left by an earlier sync is not looked for."""
        return 0, 0

    async def missing_vectors(self, limit: int) -> list[PassageRecord]:
        """Return at least `limit` passages, or all there are."""
        return _taken(self._passages, limit)

    async def files(self) -> list[FileRecord]:
        """Return the files of this sync."""
        return list(self._files.values())

    async def files_with(self, key: str) -> list[FileRecord]:
        """Return the files of this sync that have this key in their metadata."""
        return [file for file in self._files.values() if key in file.metadata]


class CommittedPages:
    """The pages of files that one sync committed; each is handed out once."""

    def __init__(self) -> None:
        self.waiting: dict[str, list[PageRecord]] = {}
        self._handed_out = 0

    async def missing(self, limit: int) -> list[PageRecord]:
        """Return at least `limit` pages, or all there are."""
        taken = _taken(self.waiting, limit)
        self._handed_out += len(taken)
        return taken

    async def count(self) -> tuple[int, int]:
        """Return the number of pages, and of those handed out."""
        return self._handed_out + sum(map(len, self.waiting.values())), self._handed_out


Queue = Store | Committed


def _taken(kept: dict[str, list[T]], limit: int) -> list[T]:
    taken: list[T] = []
    while kept and len(taken) < limit:
        taken += kept.pop(next(iter(kept)))
    return taken
