"""Texts that stand in several files: embedded once, found in each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from manole.index.search.hybrid import NO_FILTERS
from manole.library import Library
from manole.settings import Settings

PARTS = [f"Chapter {n} is about {word}, and about little else. " * 30 for n, word in
         enumerate(["boilers", "bread", "planets", "violins"])]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "book.txt").write_text("\n\n".join(PARTS))
    return folder


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    loaded = Settings.load({"index.pages": "off"})
    return loaded.model_copy(update={"data_dir": tmp_path / "data"})


async def paths(library: Library, question: str) -> list[str]:
    """The files whose vectors are the two nearest."""
    store = await library.store()
    vector = library.embedder.embed_query(question)
    found = await store.take(await store.nearest(vector, 2, NO_FILTERS))
    return sorted(passage.path for passage in found)


async def test_a_copy_that_comes_later_costs_the_embedder_nothing(folder, settings):
    async with await Library.open(folder, settings) as library:
        first = await library.sync()
        shutil.copy(folder / "book.txt", folder / "copy of the book.txt")
        second = await library.sync()
        assert first.tokens > 0 == second.tokens
        assert second.embedded == first.embedded == second.passages > 3
        assert await (await library.store()).count() == (2 * first.passages,) * 2
        assert await paths(library, "astronomy") == ["book.txt", "copy of the book.txt"]
        hits = await library.search("violins", limit=50)
        assert {(hit.passage.path, hit.also) for hit in hits} == {
            ("book.txt", ("copy of the book.txt",))
        }


async def test_copies_in_one_sync_are_embedded_once(folder, settings):
    async with await Library.open(folder, settings) as library:
        alone = (await library.sync()).tokens
    for n in range(3):
        shutil.copy(folder / "book.txt", folder / f"copy{n}.txt")
    # Another file, with one of the passages in it.
    (folder / "other.txt").write_text(PARTS[2])
    fresh = settings.model_copy(update={"data_dir": settings.data_dir / "again"})
    async with await Library.open(folder, fresh) as library:
        report = await library.sync()
        assert report.tokens < 1.5 * alone
        assert report.embedded == report.passages > 12
        assert await (await library.store()).count() == (report.passages, report.passages)


async def test_a_copy_that_is_changed_is_embedded(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
        shutil.copy(folder / "book.txt", folder / "copy.txt")
        await library.sync()
        (folder / "copy.txt").write_text("The harbour is closed on Sundays.")
        report = await library.sync()
        assert report.tokens > 0
        assert "copy.txt" in await paths(library, "When is the harbour closed?")
        assert "copy.txt" not in await paths(library, "astronomy")
