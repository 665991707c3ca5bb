"""An index of a few made-up files in a data folder of its own, made by the real store."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from manole.care.doctor import examine, mend
from manole.care.findings import Finding
from manole.documents.model import Status
from manole.index.store.lance import LanceStore
from manole.index.store.libraries import LibraryInfo, library_info, library_name, write_meta
from manole.index.store.records import FileRecord, PassageRecord
from manole.settings import Settings

EMBEDDER = "manole-e5-small"
DIMENSIONS = 8


class Place:
    """Settings of a fresh user, with the index of one folder."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.settings = Settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache")
        self.root = tmp_path / "files"
        self.root.mkdir()
        monkeypatch.setenv("MANOLE_DATA_DIR", str(self.settings.data_dir))
        monkeypatch.setenv("MANOLE_CACHE_DIR", str(self.settings.cache_dir))
        monkeypatch.setenv("MANOLE_CONFIG", str(tmp_path / "manole.toml"))
        (tmp_path / "manole.toml").write_text("")

    @property
    def info(self) -> LibraryInfo:
        return library_info(str(self.root), self.settings)

    @property
    def path(self) -> Path:
        return self.settings.data_dir / "libraries" / library_name([self.root])

    def table(self, name: str = "passages") -> Path:
        return self.path / "tables" / f"{name}.lance"

    async def index(self, words: Sequence[str] = ("apple", "pear", "plum"), commits: int = 1):
        """Index one file a word; `commits` times over."""
        store = await LanceStore.open(self.path)
        for _ in range(commits):
            async with self.writing(store):
                await store.replace([self.pair(word) for word in words])
                vectors = np.eye(DIMENSIONS, dtype=np.float32)
                chosen = vectors[[number % DIMENSIONS for number in range(len(words))]]
                await store.put_vectors([f"{word}:0" for word in words], chosen)
        await store.close()
        self.describe(files=len(words), passages=len(words))

    def describe(self, **changes: object) -> None:
        own = {"roots": [str(self.root)], "embedder": EMBEDDER, "updated": "2026-01-01T00:00:00"}
        write_meta(self.path, own | changes)

    def writing(self, store: LanceStore):
        return store.writing(dimensions=DIMENSIONS, embedder=EMBEDDER)

    def pair(self, word: str) -> tuple[FileRecord, list[PassageRecord]]:
        file = FileRecord(
            id=word, root=str(self.root), path=f"{word}.txt", size=5, mtime_ns=10**18,
            content_hash=(word * 64)[:64], status=Status.INDEXED, passages=1,
        )  # fmt: skip
        passage = PassageRecord(
            id=f"{word}:0", file_id=word, root=file.root, path=file.path, ordinal=0, page=None,
            line_start=1, line_end=1, start=0, end=len(word), text=word, mtime_ns=10**18,
        )  # fmt: skip
        return file, [passage]

    async def found(self, **options) -> list[Finding]:
        """What the doctor finds wrong with the one library."""
        topic = f"library {self.path.name}"
        return [
            item
            for item in await examine({}, **options)
            if item.topic == topic and item.level != "good"
        ]

    async def fixed(self) -> list[str]:
        """Have the doctor do what it can; what it did."""
        return await mend(await examine({}))


@pytest.fixture(autouse=True)
def _mask() -> Iterator[None]:
    """Files are made as the program makes them: for their owner alone."""
    before = os.umask(0o077)
    yield
    os.umask(before)


@pytest.fixture
async def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path, monkeypatch)
    await place.index()
    return place


def snapshot(folder: Path) -> dict[Path, tuple[int, int]]:
    """Every file with size and time of change."""
    return {
        path: (path.stat().st_size, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file() and path.name != "write.lock"
    }


def cut(file: Path, to: int = 0) -> None:
    with file.open("r+b") as stream:
        stream.truncate(to)
