"""The embedded store, on a real one in a temporary folder."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from manole.documents.model import Box, Status
from manole.errors import IndexBusyError, IndexVersionError, NotIndexedError, StoreError
from manole.index import rows
from manole.index.lancedb import LanceStore
from manole.index.store import FileRecord, Filters, PassageRecord

ANY = Filters()
DIMENSIONS = 4


def a_file(key: str, path: str, **changes) -> FileRecord:
    record = FileRecord(
        id=key, root="/r", path=path, size=1, mtime_ns=10**18, content_hash="h" + key,
        status=Status.INDEXED, passages=1,
    )  # fmt: skip
    return replace(record, **changes)


def passages(file: FileRecord, *texts: str, **changes) -> list[PassageRecord]:
    return [
        replace(
            PassageRecord(
                id=f"{file.id}:{i}", file_id=file.id, root=file.root, path=file.path, ordinal=i,
                page=None, line_start=i + 1, line_end=i + 1, start=0, end=len(text), text=text,
                title=file.title, date=file.date, mtime_ns=file.mtime_ns,
            ),
            **changes,
        )
        for i, text in enumerate(texts)
    ]  # fmt: skip


def a_pair(key: str, path: str, *texts: str, **changes):
    file = a_file(key, path, passages=len(texts), **changes)
    return file, passages(file, *texts)


def unit(*numbers: float) -> np.ndarray:
    vector = np.array(numbers, np.float32)
    return vector / np.linalg.norm(vector)


def writing(store: LanceStore, embedder: str = "e", dimensions: int = DIMENSIONS):
    return store.writing(dimensions=dimensions, embedder=embedder)


async def matched(store: LanceStore, query: str, filters: Filters = ANY) -> set[str]:
    return {item.passage.path for item in await store.match(query, 50, filters)}


@pytest.fixture
async def store(tmp_path: Path):
    store = await LanceStore.open(tmp_path / "index")
    yield store
    await store.close()


async def test_everything_a_record_holds_comes_back(store):
    file = a_file(
        "a", "b/c.pdf", reason="page 2 has no text", status=Status.PARTIAL, format="pdf",
        title="Boiler", date=date(2023, 5, 6), date_source="metadata", pages=3,
        metadata={"author": "Ana"},
    )  # fmt: skip
    (passage,) = passages(file, "warm\nwater")
    passage = replace(
        passage, page=2, headings=("One", "Two"), boxes=(Box(0, 0.25, 0.5, 1), Box(0, 0, 1, 1))
    )
    async with writing(store):
        await store.replace([(file, [passage])])
    assert await store.files() == [file]
    assert await store.passages("a") == [passage]
    assert [item async for item in store.scan_texts()] == [passage]


async def test_the_passages_of_one_page(store):
    file = a_file("a", "a.pdf", format="pdf")
    pieces = [replace(p, page=p.ordinal // 2 + 1) for p in passages(file, "a", "b", "c", "d", "e")]
    async with writing(store):
        await store.replace([(file, pieces), a_pair("b", "b.txt", "of another file")])
    assert [item.text for item in await store.passages("a", 2)] == ["c", "d"]
    assert await store.passages("a", 9) == await store.passages("none", 1) == []
    assert await store.passages("a") == pieces


@pytest.mark.parametrize(
    "name", ["a\nb.txt", "😀 'x\" OR 1=1 --.txt", "\udcff\udc80.txt", "日本.txt"]
)
async def test_any_file_name_is_stored_filtered_and_deleted(store, name):
    async with writing(store):
        await store.replace([a_pair("a", name, "apple"), a_pair("b", "other.txt", "apple")])
        assert await matched(store, "apple", Filters(paths=(name,))) == {name}
        assert await matched(store, "apple", Filters(path_prefix=name)) == {name}
        await store.delete(["a"])
    assert [file.path for file in await store.files()] == ["other.txt"]


async def test_replace_leaves_nothing_of_what_a_file_had(store):
    async with writing(store):
        await store.replace([a_pair("a", "a.txt", "one", "two", "three"), a_pair("b", "b", "two")])
        await store.replace([a_pair("a", "a.txt", "four")])
    assert [item.text for item in await store.passages("a")] == ["four"]
    assert await matched(store, "three") == set()
    assert await matched(store, "two") == {"b"}


async def test_a_file_that_became_unreadable_loses_its_passages_and_keeps_its_row(store):
    async with writing(store):
        await store.replace([a_pair("a", "a.txt", "one")])
        await store.replace([a_pair("a", "a.txt", status=Status.FAILED, reason="broken")])
    assert [(file.status, file.reason) for file in await store.files()] == [
        (Status.FAILED, "broken")
    ]
    assert await store.count() == (0, 0)


async def test_words_are_found_before_vectors_are_there(store):
    async with writing(store):
        await store.replace([a_pair("a", "a.txt", "the boilers are warming")])
        assert await matched(store, "boiler warm") == {"a.txt"}
        assert await store.nearest(unit(1, 0, 0, 0), 5, ANY) == []
        assert await store.count() == (1, 0)


async def test_words_of_path_title_and_headings_are_found_too(store):
    file = a_file("a", "invoices/gas_2024.txt", title="Statement")
    async with writing(store):
        await store.replace([(file, passages(file, "to pay", headings=("Totals",)))])
    for word in ("invoices", "gas", "2024", "statement", "totals", "pay"):
        assert await matched(store, word) == {"invoices/gas_2024.txt"}, word


async def test_languages_without_spaces_and_accents_are_found(store):
    async with writing(store):
        await store.replace(
            [
                a_pair("a", "ja.txt", "私は東京に住んでいます。"),
                a_pair("b", "ro.txt", "Mănăstirea Argeșului"),
            ]
        )
    assert await matched(store, "東京") == {"ja.txt"}
    assert await matched(store, "manastirea") == {"ro.txt"}


@pytest.mark.parametrize(
    "query",
    ["", "  ", '"', "AND OR NOT", "words:apple^2", "(apple", "apple* -pear", "'; DROP TABLE x",
     "\x00\x01", "\ud800", "?!…", "a" * 5000, "*"],
)  # fmt: skip
async def test_no_query_is_an_error(store, query):
    async with writing(store):
        await store.replace([a_pair("a", "a.txt", "an apple a day")])
    found = await matched(store, query)
    assert found == ({"a.txt"} if "apple" in query else found & {"a.txt"})


async def test_nearest_gives_the_cosine_best_first(store):
    async with writing(store):
        await store.replace([a_pair("a", "a", "x"), a_pair("b", "b", "y")])
        await store.put_vectors(["a:0", "b:0"], np.stack([unit(1, 0, 0, 0), unit(1, 1, 0, 0)]))
    found = await store.nearest(unit(0, 1, 0, 0), 5, ANY)
    assert [item.passage.path for item in found] == ["b", "a"]
    assert [item.score for item in found] == pytest.approx([0.5**0.5, 0], abs=1e-6)


async def test_vectors_of_the_wrong_length_are_refused(store):
    async with writing(store):
        await store.replace([a_pair("a", "a", "x")])
        with pytest.raises(StoreError):
            await store.put_vectors(["a:0"], np.ones((1, 7), np.float32))


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(path_prefix="invoices"), {"invoices/a.pdf", "invoices/x/b.TXT"}),
        (Filters(path_prefix="./invoices/"), {"invoices/a.pdf", "invoices/x/b.TXT"}),
        (Filters(path_prefix="invoices/a.pdf"), {"invoices/a.pdf"}),
        (Filters(path_prefix="invoice"), set()),
        (Filters(extensions=(".txt",)), {"invoices/x/b.TXT", "invoices-old/c.txt"}),
        (Filters(date_from=date(2024, 1, 1)), {"invoices/a.pdf"}),
        (Filters(date_to=date(2023, 12, 31)), {"invoices/x/b.TXT", "invoices-old/c.txt"}),
        (Filters(date_from=date(2023, 5, 6), date_to=date(2023, 5, 6)), {"invoices/x/b.TXT"}),
        (Filters(path_prefix="invoices", extensions=(".txt",)), {"invoices/x/b.TXT"}),
    ],
)
async def test_filters_restrict_words_and_vectors_alike(store, filters, expected):
    files = [
        a_pair("a", "invoices/a.pdf", "gas", date=date(2024, 1, 1)),
        a_pair("b", "invoices/x/b.TXT", "gas", date=date(2023, 5, 6)),
        # Without a date of its own, the day of its last change counts: 2001-09-09.
        a_pair("c", "invoices-old/c.txt", "gas"),
    ]
    async with writing(store):
        await store.replace(files)
        await store.put_vectors(["a:0", "b:0", "c:0"], np.tile(unit(1, 2, 3, 4), (3, 1)))
    assert await matched(store, "gas", filters) == expected
    found = await store.nearest(unit(1, 0, 0, 0), 5, filters)
    assert {item.passage.path for item in found} == expected


async def test_a_rename_keeps_vectors_and_changes_the_words_of_the_path(store):
    old, texts = a_pair("a", "old/name.txt", "apple", "pear")
    async with writing(store):
        await store.replace([(old, texts)])
        await store.put_vectors(["a:0", "a:1"], np.tile(unit(1, 0, 0, 0), (2, 1)))
        await store.rename(old, replace(old, path="new/title.md"))
    assert await store.count() == (2, 2)
    assert await matched(store, "name") == set()
    assert await matched(store, "title", Filters(extensions=(".md",))) == {"new/title.md"}
    assert [item.text for item in await store.passages("a")] == ["apple", "pear"]


async def test_another_embedder_drops_all_vectors_and_keeps_the_text(store):
    async with writing(store):
        await store.replace([a_pair("a", "a.txt", "apple")])
        await store.put_vectors(["a:0"], unit(1, 0, 0, 0)[None])
    async with writing(store, embedder="f", dimensions=3):
        assert await store.count() == (1, 0)
        await store.put_vectors(["a:0"], unit(1, 0, 0)[None])
    assert (store.embedder, store.dimensions) == ("f", 3)
    assert await matched(store, "apple") == {"a.txt"}
    assert len(await store.nearest(unit(1, 0, 0), 5, ANY)) == 1


async def test_a_second_writer_is_refused_and_readers_are_not(store, tmp_path):
    async with writing(store):
        await store.replace([a_pair("a", "a.txt", "apple")])
        reader = await LanceStore.open(tmp_path / "index")
        with pytest.raises(IndexBusyError):
            async with writing(reader):
                pass
        assert await matched(reader, "apple") == {"a.txt"}
        await store.replace([a_pair("b", "b.txt", "apple")])
        assert await matched(reader, "apple") == {"a.txt", "b.txt"}
        await reader.close()


async def test_reading_before_anything_was_written_says_so(store):
    with pytest.raises(NotIndexedError):
        await store.files()


async def test_an_index_of_another_format_is_refused(store, tmp_path, monkeypatch):
    monkeypatch.setattr(rows, "FORMAT", 999)
    async with writing(store):
        await store.replace([a_pair("a", "a.txt", "apple")])
    monkeypatch.undo()
    with pytest.raises(IndexVersionError, match=r"format 999.*--force"):
        await LanceStore.open(tmp_path / "index")


async def test_finish_keeps_everything_findable(store):
    async with writing(store):
        for key in "abcdef":
            await store.replace([a_pair(key, f"{key}.txt", "apple")])
            await store.put_vectors([f"{key}:0"], unit(1, 0, 0, 0)[None])
        await store.delete(["b"])
        await store.finish()
    assert await matched(store, "apple") == {f"{key}.txt" for key in "acdef"}
    assert len(await store.nearest(unit(1, 0, 0, 0), 50, ANY)) == 5


FULL_DISK = """
import asyncio, resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_lancedb import a_pair, writing
from manole.errors import StoreError
from manole.index.lancedb import LanceStore

async def main():
    store = await LanceStore.open(Path(sys.argv[1]))
    async with writing(store):
        await store.replace([a_pair("a", "a.txt", "apple")])
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        await store.replace([a_pair("b", "b.txt", *[f"pear {i} " * 50 for i in range(3000)])])

try:
    asyncio.run(main())
except StoreError as error:
    print("StoreError", error)
"""


async def test_a_write_that_fails_is_a_store_error_and_loses_nothing(tmp_path):
    here = str(Path(__file__).parent)
    run = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path / "index"), here],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert run.stdout.startswith("StoreError"), run.stderr
    store = await LanceStore.open(tmp_path / "index")
    async with writing(store):
        assert [file.path for file in await store.files()] == ["a.txt"]
        assert await matched(store, "apple") == {"a.txt"}
        assert await matched(store, "pear") == set()
    await store.close()
