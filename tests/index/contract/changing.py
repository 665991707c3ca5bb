"""What is put into a store, and what is there afterwards."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest

from contract.records import ANY, a_file, a_pair, matched, near, opening, passages, unit, writing
from manole.documents.model import Box, Status
from manole.errors import NotIndexedError, StoreError
from manole.index.store.page_records import PAGED
from manole.index.store.protocol import Store
from manole.index.store.records import Filters, PageRecord

NORTH, EAST = unit(1, 0, 0, 0), unit(0, 1, 0, 0)
HOSTILE = [
    "a\nb.txt", "😀 'x\" OR 1=1 --.txt", "\udcff\udc80.txt", "日本.txt", "%s_*?[a].txt",
    "\u202egnp.txt", "back\\slash/..txt", "x" * 250 + ".txt", "\x01\x7f.txt", "$(id);`id`.txt",
]  # fmt: skip


def two_pages(file_id: str) -> list[PageRecord]:
    box = Box(0, 0.25, 0.5, 1)
    return [
        PageRecord(f"{file_id}:1", file_id, 1, ("a pump", "a valve"), (box, box)),
        PageRecord(f"{file_id}:2", file_id, 2, ("spare parts",), (box,)),
    ]


class Changing:
    """Files, passages, vectors and pages: put, changed, moved, removed, read back."""

    opener: str

    @pytest.fixture
    async def store(self, tmp_path: Path):
        store = await opening(self.opener)(tmp_path / "index")
        yield store
        await store.close()

    async def again(self, store: Store, tmp_path: Path) -> Store:
        """The same index, opened anew."""
        await store.close()
        return await opening(self.opener)(tmp_path / "index")

    # Nothing there ---------------------------------------------------------------------------

    async def test_reading_before_anything_was_written_says_so(self, store):
        for ask in (store.files(), store.count(), store.nearest(NORTH, 5, ANY)):
            with pytest.raises(NotIndexedError):
                await ask
        with pytest.raises(NotIndexedError):
            await store.match("apple", 5, ANY)

    async def test_an_empty_store_finds_nothing_and_says_so(self, store):
        async with writing(store):
            await store.replace([])
            await store.put_vectors([], np.zeros((0, 4), np.float32))
            await store.delete([])
            await store.finish()
            assert await store.stale() == (set(), set())
        assert await store.files() == [] == await store.missing_vectors(5)
        assert await store.count() == (0, 0) == await store.counted()
        assert await matched(store, "apple") == set()
        assert await near(store, NORTH) == []
        assert await store.passages("none") == []
        assert [item async for item in store.scan_texts()] == []
        assert sum([len(part.texts) async for part in store.scan_contents()]) == 0

    # Put and read ----------------------------------------------------------------------------

    async def test_everything_a_record_holds_comes_back_also_when_opened_anew(
        self, store, tmp_path
    ):
        file = a_file(
            "a", "b/c.pdf", reason="page 2 has no text", status=Status.PARTIAL, format="pdf",
            title="Boiler", date=date(2023, 5, 6), date_source="metadata", pages=3,
            indexed_at=datetime(2024, 2, 29, 23, 59, tzinfo=UTC), metadata={"author": "Ana"},
        )  # fmt: skip
        (passage,) = passages(file, "warm\nwater")
        passage = replace(
            passage, page=2, headings=("One", "Two"), boxes=(Box(0, 0.25, 0.5, 1), Box(0, 0, 1, 1))
        )
        async with writing(store):
            await store.replace([(file, [passage])])
        for _ in range(2):
            assert await store.files() == [file]
            assert await store.passages("a") == [passage]
            assert [item async for item in store.scan_texts()] == [passage]
            assert (store.embedder, store.dimensions) == ("e", 4)
            store = await self.again(store, tmp_path)
        await store.close()

    async def test_what_is_said_to_be_new_is_put_beside_the_rest(self, store):
        paged, texts = a_pair("b", "b.pdf", "a pump", metadata={PAGED: "2"})
        async with store.writing(dimensions=4, embedder="e", pages=("lines:e", 4)):
            await store.replace([a_pair("a", "a.txt", "apple")], new=True)
            await store.pages.put([paged], two_pages("b"), new=True)
            await store.replace([(paged, texts)], new=True)
            failed = a_pair("c", "c.txt", status=Status.FAILED, reason="broken")
            await store.pages.put([failed[0]], [], new=True)
            await store.replace([failed], new=True)
            assert await store.stale() == (set(), set())
            assert await store.statuses() == {"indexed": 2, "failed": 1}
            assert await store.pages.count() == (2, 0)
            assert await matched(store, "apple") == {"a.txt"}
            await store.replace([a_pair("a", "a.txt", "pear")])
        assert [item.text async for item in store.scan_texts()] == ["a pump", "pear"]
        assert [file.id for file in await store.files()] == ["a", "b", "c"]

    async def test_passages_by_file_by_page_and_of_several_files(self, store):
        file = a_file("a", "a.pdf", format="pdf", passages=5)
        each = [
            replace(p, page=p.ordinal // 2 + 1) for p in passages(file, "a", "b", "c", "d", "e")
        ]
        other = a_pair("b", "b.txt", "of another file")
        async with writing(store):
            await store.replace([(file, each), other])
        assert [item.text for item in await store.passages("a", 2)] == ["c", "d"]
        assert await store.passages("a", 9) == await store.passages("none", 1) == []
        assert await store.passages("a") == each
        found = await store.passages_of(["b", "none", "a"])
        assert found == {"a": each, "b": other[1], "none": []}

    async def test_files_in_path_order_and_those_at_or_below_a_place(self, store):
        paths = ["b.txt", "a/x.txt", "a/y/z.txt", "a-old/x.txt", "a.txt"]
        files = [a_pair(f"f{n}", path, "text") for n, path in enumerate(paths)]
        files.append(a_pair("other", "a/x.txt", "text", root="/other"))
        async with writing(store):
            await store.replace(files)
        assert [file.path for file in await store.files()] == sorted([*paths, "a/x.txt"])
        assert await store.counted() == (6, 6)

        async def at(**places) -> list[tuple[str, str]]:
            named = {f"/{root}": paths for root, paths in places.items()}
            return [(file.root, file.path) for file in await store.files_at(named)]

        assert await at(r=["a"]) == [("/r", "a/x.txt"), ("/r", "a/y/z.txt")]
        assert await at(r=["a/x.txt", "b.txt"]) == [("/r", "a/x.txt"), ("/r", "b.txt")]
        assert len(await at(r=[""])) == 5
        assert await at(other=[""], r=["b.txt"]) == [("/other", "a/x.txt"), ("/r", "b.txt")]
        assert await at(r=["none"]) == await at(none=[""]) == await at() == []

    async def test_files_with_a_key_in_their_metadata(self, store):
        async with writing(store):
            await store.replace(
                [
                    a_pair("b", "b.png", metadata={"unread": "1", "other": "x"}),
                    a_pair("a", "a.png", metadata={"unread": ""}),
                    a_pair("c", "c.txt", "unread", metadata={"said": "unread", "unread%": "y"}),
                    a_pair("d", "d.txt", metadata={"q\"'\\": "1"}),
                ]
            )
        assert [file.path for file in await store.files_with("unread")] == ["a.png", "b.png"]
        assert [file.path for file in await store.files_with("q\"'\\")] == ["d.txt"]
        assert await store.files_with("%") == [] == await store.files_with("")

    @pytest.mark.parametrize("name", HOSTILE)
    async def test_any_file_name_is_stored_filtered_found_and_deleted(self, store, name):
        async with writing(store):
            await store.replace([a_pair("a", name, "apple"), a_pair("b", "other.txt", "apple")])
            await store.put_vectors(["a:0", "b:0"], np.stack([NORTH, EAST]))
            assert [file.path for file in await store.files_at({"/r": [name]})] == [name]
            assert await matched(store, "apple", Filters(paths=(name,))) == {name}
            assert await near(store, NORTH, Filters(paths=(name,))) == [name]
            assert await near(store, NORTH, Filters(within=(name,))) == [name]
            await store.delete(["a"])
        assert [file.path for file in await store.files()] == ["other.txt"]

    async def test_any_text_comes_back(self, store):
        texts = ["", "\x00 nul", "\u202ebidi\u2066", "'; DROP TABLE x --", "é" * 100_000, "\ufffe"]
        file, each = a_pair("a", "a.txt", *texts)
        async with writing(store):
            await store.replace([(file, each)])
        assert [item.text for item in await store.passages("a")] == texts

    # Changes ---------------------------------------------------------------------------------

    async def test_replace_leaves_nothing_of_what_a_file_had(self, store):
        async with writing(store):
            await store.replace(
                [a_pair("a", "a.txt", "one", "two", "three"), a_pair("b", "b", "two")]
            )
            await store.put_vectors(["a:0", "a:2", "b:0"], np.stack([NORTH, NORTH, EAST]))
            await store.replace([a_pair("a", "a.txt", "four", content_hash="new")])
            assert [item.id for item in await store.missing_vectors(9)] == ["a:0"]
            assert await near(store, NORTH) == ["b"]
        assert [item.text for item in await store.passages("a")] == ["four"]
        assert await matched(store, "three") == set()
        assert await matched(store, "two") == {"b"}
        assert await store.count() == (2, 1)

    async def test_a_file_that_became_unreadable_loses_its_passages_and_keeps_its_row(self, store):
        async with writing(store):
            await store.replace([a_pair("a", "a.txt", "one")])
            await store.replace([a_pair("a", "a.txt", status=Status.FAILED, reason="broken")])
        found = [(file.status, file.reason) for file in await store.files()]
        assert found == [(Status.FAILED, "broken")]
        assert await store.count() == (0, 0)

    async def test_a_rename_keeps_vectors_and_changes_the_words_of_the_path(self, store):
        old, texts = a_pair("a", "old/name.txt", "apple", "pear")
        new = replace(old, path="new/title.md")
        async with writing(store):
            await store.replace([(old, texts)])
            await store.put_vectors(["a:0", "a:1"], np.stack([NORTH, EAST]))
            await store.touch([new])
        assert await store.files() == [new]
        assert await store.count() == (2, 2)
        assert await matched(store, "name") == set()
        assert await matched(store, "title", Filters(extensions=(".md",))) == {"new/title.md"}
        assert await near(store, NORTH, Filters(within=("old",))) == []
        assert await near(store, NORTH, Filters(within=("new",))) == ["new/title.md"] * 2
        assert [item.text for item in await store.passages("a")] == ["apple", "pear"]
        assert {item.path for item in await store.passages("a")} == {"new/title.md"}

    async def test_touch_changes_times_of_file_and_passages_and_keeps_vectors(self, store):
        file, texts = a_pair("a", "a.txt", "apple")
        later = replace(file, mtime_ns=17 * 10**17, indexed_at=datetime(2024, 1, 1, tzinfo=UTC))
        async with writing(store):
            await store.replace([(file, texts), a_pair("b", "b.txt", "pear")])
            await store.put_vectors(["a:0"], NORTH[None])
            await store.touch([later])
        assert await store.files() == [later, a_pair("b", "b.txt", "pear")[0]]
        assert [item.mtime_ns for item in await store.passages("a")] == [17 * 10**17]
        assert await store.count() == (2, 1)
        assert await near(store, NORTH, Filters(date_from=date(2020, 1, 1))) == ["a.txt"]

    async def test_delete_removes_a_file_with_all_it_had_and_nothing_else(self, store):
        async with writing(store):
            await store.replace([a_pair("a", "a", "apple", "x"), a_pair("b", "b", "apple")])
            await store.put_vectors(["a:0", "b:0"], np.stack([NORTH, NORTH]))
            await store.delete(["a", "none"])
        assert [file.id for file in await store.files()] == ["b"]
        assert await store.passages("a") == []
        assert await matched(store, "apple") == {"b"}
        assert await near(store, NORTH) == ["b"]
        assert await store.count() == (1, 1)

    # Vectors ---------------------------------------------------------------------------------

    async def test_what_has_no_vector_is_missing_one(self, store):
        async with writing(store):
            await store.replace([a_pair("a", "a", "x", "y", "z"), a_pair("b", "b", "x")])
            assert {p.id for p in await store.missing_vectors(9)} == {"a:0", "a:1", "a:2", "b:0"}
            assert len(await store.missing_vectors(2)) == 2
            await store.put_vectors(["a:0", "a:2"], np.stack([NORTH, EAST]))
            assert {p.id for p in await store.missing_vectors(9)} == {"a:1", "b:0"}
            assert await store.count() == (4, 2)
            await store.put_vectors(["gone:0", "a:1", "b:0"], np.stack([NORTH] * 3))
            assert await store.missing_vectors(9) == []
        assert await store.count() == (4, 4)

    async def test_a_vector_that_is_put_again_takes_the_place_of_the_first(self, store):
        async with writing(store):
            await store.replace([a_pair("a", "a", "x"), a_pair("b", "b", "y")])
            await store.put_vectors(["a:0", "b:0"], np.stack([NORTH, unit(1, 1, 0, 0)]))
            await store.put_vectors(["a:0"], EAST[None])
        assert await near(store, NORTH) == ["b", "a"]

    async def test_copies_of_a_file_give_their_vectors_and_nothing_else_does(self, store):
        same, other = {"content_hash": "same"}, {"content_hash": ""}
        async with writing(store):
            await store.replace(
                [
                    a_pair("a", "a", "x", "y", "z", **same),
                    a_pair("b", "b", "x", "y", "z", **same),
                    a_pair("c", "c", "x", **other),
                    a_pair("d", "d", "x", **other),
                ]
            )
            assert await store.vectors_of_copies(["a", "b", "c"]) == []
            await store.put_vectors(["a:0", "a:2", "c:0"], np.stack([NORTH, EAST, EAST]))
            assert await store.vectors_of_copies(["a", "none"]) == []
            found = await store.vectors_of_copies(["b", "d"])
            assert {p.id: v.tolist() for p, v in found} == {
                "a:0": pytest.approx([1, 0, 0, 0], abs=1e-3),
                "a:2": pytest.approx([0, 1, 0, 0], abs=1e-3),
            }

    async def test_of_many_copies_the_one_that_was_first_gives_its_vectors(self, store):
        days = [datetime(2024, 1, day, tzinfo=UTC) for day in (3, 1, 2)]
        copies = [
            a_pair(key, key, "x", content_hash="same", indexed_at=day)
            for key, day in zip("abc", days, strict=True)
        ]
        async with writing(store):
            await store.replace([*copies, a_pair("new", "new", "x", content_hash="same")])
            await store.put_vectors(["a:0", "b:0", "c:0"], np.stack([EAST, NORTH, EAST]))
            assert [p.id for p, _ in await store.vectors_of_copies(["new"])] == ["b:0"]
            assert [p.id for p, _ in await store.vectors_of_copies(["new", "b"])] == ["c:0"]

    async def test_vectors_of_the_wrong_length_are_refused(self, store):
        async with writing(store):
            await store.replace([a_pair("a", "a", "x")])
            with pytest.raises(StoreError):
                await store.put_vectors(["a:0"], np.ones((1, 7), np.float32))

    async def test_another_embedder_drops_all_vectors_and_keeps_the_text(self, store, tmp_path):
        async with writing(store):
            await store.replace([a_pair("a", "a.txt", "apple")])
            await store.put_vectors(["a:0"], NORTH[None])
            await store.finish()
        async with writing(store, embedder="f", dimensions=3):
            assert await store.count() == (1, 0)
            assert [item.id for item in await store.missing_vectors(9)] == ["a:0"]
            await store.put_vectors(["a:0"], unit(1, 0, 0)[None])
        for _ in range(2):
            assert (store.embedder, store.dimensions) == ("f", 3)
            assert await matched(store, "apple") == {"a.txt"}
            assert await near(store, unit(1, 0, 0)) == ["a.txt"]
            store = await self.again(store, tmp_path)
        await store.close()

    # Scans, versions, the end of a sync --------------------------------------------------------

    async def test_contents_have_the_vectors_there_are_in_their_order(self, store):
        async with writing(store):
            await store.replace(
                [a_pair("a", "a", "x", "y"), a_pair("b", "b", "z"), a_pair("c", "c", "w")]
            )
            await store.put_vectors(["a:1", "c:0"], np.stack([NORTH, EAST]))
        for wanted in (None, ["a", "c"]):
            found: dict[str, tuple[str, list[float] | None]] = {}
            async for part in store.scan_contents(wanted):
                vectors = iter(part.vectors.tolist())
                rows = zip(part.texts, part.file_ids, part.embedded, strict=True)
                found |= {text: (key, next(vectors) if has else None) for text, key, has in rows}
                assert next(vectors, None) is None
            assert found["y"] == ("a", pytest.approx([1, 0, 0, 0], abs=1e-3))
            assert found["w"] == ("c", pytest.approx([0, 1, 0, 0], abs=1e-3))
            assert found["x"] == ("a", None)
            assert set(found) == ({"x", "y", "z", "w"} if wanted is None else {"x", "y", "w"})

    async def test_each_change_of_the_passages_gives_another_version(self, store):
        old, texts = a_pair("a", "a", "x")
        async with writing(store):
            seen = [await store.version()]
            for change in (
                store.replace([(old, texts)]),
                store.put_vectors(["a:0"], NORTH[None]),
                store.touch([replace(old, path="b")]),
                store.replace([a_pair("a", "b", "y")]),
                store.delete(["a"]),
            ):
                await change
                seen.append(await store.version())
        assert len(set(seen)) == 6
        version = await store.version()
        await matched(store, "x")
        assert await store.version() == version

    async def test_finish_keeps_everything_findable(self, store, tmp_path):
        async with writing(store):
            for key in "abcdef":
                await store.replace([a_pair(key, f"{key}.txt", "apple")])
                await store.put_vectors([f"{key}:0"], NORTH[None])
            await store.delete(["b"])
            await store.finish()
            await store.finish()
        left = {f"{key}.txt" for key in "acdef"}
        for _ in range(2):
            assert await matched(store, "apple") == left
            assert set(await near(store, NORTH)) == left
            store = await self.again(store, tmp_path)
        await store.close()

    # Pages -------------------------------------------------------------------------------------

    async def test_pages_are_kept_beside_passages_and_go_with_their_file(self, store):
        file, texts = a_pair("a", "a.pdf", "a pump", metadata={PAGED: "2"})
        pages = two_pages("a")
        vectors = [np.stack([NORTH, EAST]), unit(0, 0, 1, 0)[None]]
        async with store.writing(dimensions=4, embedder="e", pages=("lines:e", 4)):
            await store.pages.put([file], pages)
            await store.replace([(file, texts)])
            assert store.pages.embedder == "lines:e"
            assert await store.pages.count() == (2, 0)
            assert {page.id for page in await store.pages.missing(9)} == {"a:1", "a:2"}
            await store.put_page_vectors([page.id for page in pages], vectors)
            assert await store.stale() == (set(), set())
            assert await store.pages.count() == (2, 2)
            assert await store.pages.missing(9) == []
            assert await store.pages.get(["a:1", "none"]) == {"a:1": pages[0]}
            assert await store.pages.nearest(EAST[None], 1, None) == ["a:1"]
            assert await store.pages.nearest(unit(0, 0, 1, 0)[None], 1, ["a"]) == ["a:2"]
            assert await store.pages.nearest(EAST[None], 1, ["b"]) == []
            (found,) = (await store.pages.vectors(["a:1"])).values()
            assert found[0] == pages[0]
            assert found[1] == pytest.approx(vectors[0], abs=1e-3)
            await store.delete(["a"])
            assert await store.pages.count() == (0, 0)

    async def test_pages_that_a_file_lacks_make_it_stale(self, store):
        async with store.writing(dimensions=4, embedder="e", pages=("lines:e", 4)):
            await store.replace([a_pair("a", "a.pdf", "a pump", metadata={PAGED: "2"})])
            assert await store.stale() == ({"a"}, set())
