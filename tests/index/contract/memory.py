"""A store in memory: as little as the contract asks, so that the contract is seen to be enough."""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import log
from pathlib import Path

import numpy as np

from manole.errors import NotIndexedError, StoreError
from manole.index.search.hybrid import passes
from manole.index.store.page_records import PAGED
from manole.index.store.protocol import Store
from manole.index.store.records import Contents, Filters, PassageRecord, Ranked
from manole.index.store.rows import context, day_of
from manole.index.store.vocabulary import Reading
from manole.text.analysis import asked, terms

NEVER = datetime.min.replace(tzinfo=UTC)
KEPT: dict[Path, Data] = {}  # what an index holds, by its folder


@dataclass
class Data:
    """What is kept."""

    made: tuple[str, int] | None = None  # embedder and dimensions
    pages_made: str = ""
    files: dict = field(default_factory=dict)
    passages: dict = field(default_factory=dict)  # of each file
    vectors: dict = field(default_factory=dict)
    pages: dict = field(default_factory=dict)
    page_vectors: dict = field(default_factory=dict)
    version: int = 0


@dataclass(frozen=True)
class AllFiles:
    files: list


class MemoryPages:
    def __init__(self, data: Data) -> None:
        self._data = data

    @property
    def embedder(self) -> str:
        return self._data.pages_made

    async def put(self, files, pages, *, new=False):
        self.drop({file.id for file in files})
        self._data.pages |= {page.id: page for page in pages}

    def drop(self, file_ids) -> None:
        for key in [k for k, page in self._data.pages.items() if page.file_id in file_ids]:
            del self._data.pages[key]
            self._data.page_vectors.pop(key, None)

    async def missing(self, limit):
        left = [p for key, p in self._data.pages.items() if key not in self._data.page_vectors]
        return left[:limit]

    async def count(self):
        return len(self._data.pages), len(self._data.page_vectors)

    async def get(self, ids):
        return {key: self._data.pages[key] for key in ids if key in self._data.pages}

    async def vectors(self, ids):
        known = self._data.page_vectors
        return {key: (self._data.pages[key], known[key]) for key in ids if key in known}

    async def nearest(self, query, limit, file_ids):
        inside = {
            key: made
            for key, made in self._data.page_vectors.items()
            if file_ids is None or self._data.pages[key].file_id in file_ids
        }
        return sorted(inside, key=lambda key: -float((query @ inside[key].T).max(1).sum()))[:limit]


class MemoryStore:
    kind = "memory"
    notice: str | None = None

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept = KEPT.setdefault(path, Data())
        self.pages = MemoryPages(self._kept)

    @property
    def _data(self) -> Data:
        if self._kept.made is None:
            raise NotIndexedError("This library has no index yet.")
        return self._kept

    @property
    def exists(self) -> bool:
        return self._kept.made is not None

    @property
    def embedder(self) -> str:
        return self._kept.made[0] if self._kept.made else ""

    @property
    def dimensions(self) -> int:
        return self._kept.made[1] if self._kept.made else 0

    async def refresh(self):
        """There is nothing that another process could have made."""

    async def close(self):
        """There is nothing to release."""

    async def made_with(self):
        return self.embedder

    async def version(self):
        return self._data.version

    # Files

    async def files(self):
        return sorted(self._data.files.values(), key=lambda file: (file.path, file.root))

    async def file_list(self, before=None):
        return AllFiles(await self.files())

    async def files_with(self, key):
        return [file for file in await self.files() if key in file.metadata]

    async def files_at(self, places):
        return [
            file
            for file in await self.files()
            if any(
                not place or file.path == place or file.path.startswith(f"{place}/")
                for place in places.get(file.root, ())
            )
        ]

    async def statuses(self):
        return dict(Counter(file.status.value for file in self._data.files.values()))

    async def counted(self):
        return len(self._data.files), len(self._all())

    # Passages

    def _all(self) -> list[PassageRecord]:
        return [each for part in self._data.passages.values() for each in part]

    def _inside(self, filters: Filters) -> list[PassageRecord]:
        files = self._data.files
        day = {key: day_of(file.date, file.mtime_ns) for key, file in files.items()}
        inside = {key for key, file in files.items() if passes(file, filters, day[key])}
        return [passage for passage in self._all() if passage.file_id in inside]

    async def passages(self, file_id, page=None):
        found = self._data.passages.get(file_id, [])
        return [passage for passage in found if page is None or passage.page == page]

    async def passages_of(self, file_ids):
        return {key: await self.passages(key) for key in file_ids}

    async def named(self, ids):
        return {passage.id: passage for passage in self._all() if passage.id in set(ids)}

    async def take(self, found):
        known = await self.named([item.id for item in found])
        return [known[item.id] for item in found if item.id in known]

    async def count(self):
        every = self._all()
        return len(every), sum(passage.id in self._data.vectors for passage in every)

    async def scan_texts(self):
        for passage in self._all():
            yield passage

    async def sampled_texts(self, count):
        return [passage.text for passage in self._all()[:count]]

    async def scan_contents(self, file_ids=None):
        known, every = self._data.vectors, self._all()
        part = [p for p in every if file_ids is None or p.file_id in file_ids]
        made = [known[passage.id] for passage in part if passage.id in known]
        yield Contents(
            [passage.file_id for passage in part],
            [passage.text for passage in part],
            [passage.id in known for passage in part],
            np.stack(made) if made else np.zeros((0, self.dimensions), np.float32),
        )

    # Searching

    async def nearest(self, vector, limit, filters):
        known = self._data.vectors
        scored = [
            Ranked(p.id, 0, float(known[p.id] @ vector))
            for p in self._inside(filters)
            if p.id in known
        ]
        return sorted(scored, key=lambda item: -item.score)[:limit]

    async def reading(self, query):
        return Reading(tuple(term for each in asked(query, ["en"]) for term in each))

    async def match(self, query, limit, filters):
        wanted = {*(await self.reading(query)).exact}
        bags = {p.id: Counter(terms(_words(p), "en")) for p in self._all()}
        often = Counter(term for bag in bags.values() for term in bag.keys() & wanted)
        scored = [
            Ranked(p.id, 0, sum(log(1 + len(bags) / often[t]) for t in wanted & bags[p.id].keys()))
            for p in self._inside(filters)
        ]
        ranked = sorted(scored, key=lambda item: -item.score)
        return [item for item in ranked if item.score > 0][:limit]

    async def vector_index(self):
        return None

    # Writing

    @contextlib.asynccontextmanager
    async def writing(self, *, dimensions, embedder, pages=None):
        data = self._kept
        if data.made != (embedder, dimensions):
            data.made, data.vectors, data.version = (embedder, dimensions), {}, data.version + 1
        data.pages_made = pages[0] if pages else f"lines:{embedder}"
        yield

    async def stale(self):
        paged = Counter(page.file_id for page in self._data.pages.values())
        wanted = {key: int(f.metadata.get(PAGED, "0")) for key, f in self._data.files.items()}
        return {key for key, count in wanted.items() if paged[key] != count}, set()

    async def replace(self, files, *, new=False):
        for file, passages in files:
            self._drop(file.id)
            self._data.files[file.id] = file
            self._data.passages[file.id] = list(passages)

    async def touch(self, files):
        self._data.version += 1
        for file in files:
            self._data.files[file.id] = file
            of_file = {"root": file.root, "path": file.path, "mtime_ns": file.mtime_ns}
            self._data.passages[file.id] = [
                replace(passage, **of_file) for passage in self._data.passages.get(file.id, [])
            ]

    async def delete(self, file_ids):
        for key in file_ids:
            self._drop(key)
            self._data.files.pop(key, None)
            self.pages.drop({key})

    def _drop(self, file_id: str) -> None:
        self._data.version += 1
        for passage in self._data.passages.pop(file_id, []):
            self._data.vectors.pop(passage.id, None)

    async def missing_vectors(self, limit):
        return [p for p in self._all() if p.id not in self._data.vectors][:limit]

    async def vectors_of_copies(self, file_ids):
        files, known = self._data.files, self._data.vectors
        hashes = {files[key].content_hash for key in file_ids if key in files} - {""}
        first: dict = {}
        for file in sorted(files.values(), key=lambda file: (file.indexed_at or NEVER, file.id)):
            if file.id not in file_ids and file.content_hash in hashes:
                first.setdefault(file.content_hash, file.id)
        every = [p for key in first.values() for p in self._data.passages[key]]
        return [(p, known[p.id]) for p in every if p.id in known]

    async def put_vectors(self, ids, vectors):
        if vectors.shape != (len(ids), self.dimensions):
            raise StoreError("These vectors do not fit.")
        self._data.version += 1
        there = await self.named(ids)
        made = zip(ids, vectors, strict=True)
        self._data.vectors |= {key: vector for key, vector in made if key in there}

    async def put_page_vectors(self, ids, vectors):
        made = zip(ids, vectors, strict=True)
        self._data.page_vectors |= {key: each for key, each in made if key in self._data.pages}

    async def finish(self, *, fully=False):
        """There is nothing to fold."""


def _words(passage: PassageRecord) -> str:
    return f"{context(passage.path, passage.title, passage.headings)} {passage.text}"


async def memory(path: Path) -> Store:
    """The store of this folder, as this process knows it."""
    return MemoryStore(path)
