"""What a store finds: by vectors and by words, as far as filters allow."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from contract.records import ANY, a_file, a_pair, matched, near, passages, unit, units, writing
from manole.index.store.protocol import Store
from manole.index.store.records import Filters, Ranked

WIDE = 32
EACH = 20  # passages of a file
FILES = 40
FIRST_DAY = date(2024, 1, 1)
FILTERS = {
    "folder": Filters(within=("d3",)),
    "file": Filters(within=("d0/f10.txt",)),
    "paths": Filters(paths=("d3/f11.md", "d5/f05.txt", "none")),
    "extension": Filters(extensions=(".md",)),
    "extensions": Filters(extensions=(".md", ".txt")),
    "from": Filters(date_from=FIRST_DAY + timedelta(37)),
    "until": Filters(date_to=FIRST_DAY + timedelta(2)),
    "day": Filters(date_from=FIRST_DAY + timedelta(8), date_to=FIRST_DAY + timedelta(8)),
    "all at once": Filters(
        within=("d2",), extensions=(".txt",), date_from=FIRST_DAY, date_to=date(2024, 12, 31)
    ),
    "nothing left": Filters(within=("d2",), extensions=(".pdf",)),
    "no such place": Filters(within=("none",)),
}


def allowed(path: str, day: date, filters: Filters) -> bool:
    """What a filter says, in as few words as possible."""
    at = [path == place or path.startswith(place + "/") for place in filters.within]
    return (
        (not at or any(at))
        and (not filters.paths or path in filters.paths)
        and (not filters.extensions or "." + path.rpartition(".")[2] in filters.extensions)
        and (filters.date_from is None or day >= filters.date_from)
        and (filters.date_to is None or day <= filters.date_to)
    )


async def numbers_of(store: Store, found: list[Ranked]) -> list[int]:
    """The numbers that the texts of these passages end with."""
    return [int(item.text.rpartition("number")[2]) for item in await store.take(found)]


async def many(store: Store) -> tuple[list[tuple[str, date]], np.ndarray]:
    """Fill the store with 800 passages; path and day of each, and its vector."""
    vectors = units(FILES * EACH, WIDE)
    places: list[tuple[str, date]] = []
    files = []
    for n in range(FILES):
        day = FIRST_DAY + timedelta(n)
        path = f"d{n % 8 if n % 10 else 0}/f{n:02}.{'md' if n % 4 == 3 else 'txt'}"
        if n % 2:  # its own date, else the day of its last change
            dated = {"date": day}
        else:
            noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
            dated = {"mtime_ns": int(noon.timestamp() * 1e9)}
        words = [f"apple number{n * EACH + i}" for i in range(EACH)]
        files.append(a_pair(f"f{n}", path, *words, **dated))
        places += [(path, day)] * EACH
    async with writing(store, dimensions=WIDE):
        for at in range(0, FILES, 10):
            await store.replace(files[at : at + 10])
            ids = [passage.id for _, each in files[at : at + 10] for passage in each]
            await store.put_vectors(ids, vectors[at * EACH :][: len(ids)])
        await store.finish()
    return places, vectors


class Finding:
    """Nearest vectors, matching words, and filters."""

    opener: str

    # Words -------------------------------------------------------------------------------------

    async def test_words_are_found_before_vectors_are_there(self, store):
        async with writing(store):
            await store.replace([a_pair("a", "a.txt", "the boilers are warming")])
            assert await matched(store, "boiler warm") == {"a.txt"}
            assert await near(store, unit(1, 0, 0, 0)) == []
            assert await store.count() == (1, 0)

    async def test_words_of_path_title_and_headings_are_found_too(self, store):
        file = a_file("a", "invoices/gas_2024.txt", title="Statement")
        async with writing(store):
            await store.replace([(file, passages(file, "to pay", headings=("Totals",)))])
        for word in ("invoices", "gas", "2024", "statement", "totals", "pay"):
            assert await matched(store, word) == {"invoices/gas_2024.txt"}, word

    async def test_languages_without_spaces_and_accents_are_found(self, store):
        files = {"ja.txt": "私は東京に住んでいます。", "ro.txt": "Mănăstirea Argeșului"}
        async with writing(store):
            await store.replace([a_pair(path, path, text) for path, text in files.items()])
        assert await matched(store, "東京") == {"ja.txt"}
        assert await matched(store, "manastirea") == {"ro.txt"}

    async def test_the_passage_with_more_of_the_words_comes_first(self, store):
        texts = ["an apple a day", "a pear a day", "apples and pears in a day"]
        async with writing(store):
            await store.replace([a_pair("a", "a", *texts)])
        found = await store.match("apple pear", 2, ANY)
        assert (await store.take(found))[0].text == texts[2]
        assert len(found) == 2
        assert found[0].score >= found[1].score > 0

    @pytest.mark.parametrize(
        "query",
        ["", "  ", '"', "AND OR NOT", "words:apple^2", "(apple", "apple* -pear", "'; DROP TABLE x",
         "\x00\x01", "\ud800", "?!…", "a" * 5000, "*", "\u202eelppa", "apple\x00", "apple " * 2000],
    )  # fmt: skip
    async def test_no_query_is_an_error(self, store, query):
        async with writing(store):
            await store.replace([a_pair("a", "a.txt", "an apple a day")])
        found = await matched(store, query)
        if "apple" in query and "\x00" not in query:
            assert found == {"a.txt"}
        else:
            assert found <= {"a.txt"}

    async def test_a_list_of_all_files_is_as_they_are_now(self, store):
        async with writing(store):
            await store.replace([a_pair("a", "a.txt", "x"), a_pair("b", "b.txt", "y")])
            before = await store.file_list()
            assert before.files == await store.files()
            await store.replace([a_pair("a", "c.txt", "z"), a_pair("d", "d.txt", "w")])
            await store.delete(["b"])
            assert (await store.file_list(before)).files == await store.files()
            assert [file.path for file in await store.files()] == ["c.txt", "d.txt"]

    async def test_passages_are_named_and_sampled(self, store):
        async with writing(store):
            await store.replace([a_pair("a", "a.txt", "x", "y"), a_pair("b", "b.txt", "z")])
        assert {key: p.text for key, p in (await store.named(["a:1", "b:0", "c:0"])).items()} == {
            "a:1": "y", "b:0": "z",
        }  # fmt: skip
        assert sorted(await store.sampled_texts(9)) == ["x", "y", "z"]
        assert len(await store.sampled_texts(2)) == 2
        assert await store.vector_index() is None

    # Vectors -----------------------------------------------------------------------------------

    async def test_nearest_gives_the_cosine_best_first(self, store):
        async with writing(store):
            await store.replace([a_pair("a", "a", "x"), a_pair("b", "b", "y")])
            await store.put_vectors(["a:0", "b:0"], np.stack([unit(1, 0, 0, 0), unit(1, 1, 0, 0)]))
        found = await store.nearest(unit(0, 1, 0, 0), 5, ANY)
        assert [item.id for item in found] == ["b:0", "a:0"]
        assert [passage.path for passage in await store.take(found)] == ["b", "a"]
        assert [item.score for item in found] == pytest.approx([0.5**0.5, 0], abs=1e-3)
        assert len(await store.nearest(unit(0, 1, 0, 0), 1, ANY)) == 1

    async def test_what_was_found_is_read_in_order_and_what_is_gone_is_left_out(self, store):
        async with writing(store):
            await store.replace([a_pair(n, f"{n}.txt", f"apple {n}", "pear") for n in "abcd"])
            found = sorted(await store.match("apple", 9, ANY), key=lambda item: item.id)
            assert [item.id for item in found] == ["a:0", "b:0", "c:0", "d:0"]
            await store.delete(["b"])
            await store.replace([a_pair("c", "c.txt", "melon")])
            assert [p.id for p in await store.take(found[::-1])] == ["d:0", "c:0", "a:0"]
            await store.finish(fully=True)
            assert [p.text for p in await store.take(found)] == ["apple a", "melon", "apple d"]
        assert await store.take([]) == []

    async def test_of_many_vectors_nearly_all_of_the_best_are_found(self, store):
        _, vectors = await many(store)
        asked = units(30, WIDE, seed=1)
        hits = 0
        for question in asked:
            found = await store.nearest(question, 10, ANY)
            assert [item.score for item in found] == sorted((i.score for i in found), reverse=True)
            cosine = vectors @ question
            best = set(np.argsort(-cosine)[:10].tolist())
            numbers = await numbers_of(store, found)
            assert [item.score for item in found] == pytest.approx(cosine[numbers], abs=2e-3)
            hits += len(best.intersection(numbers))
        assert hits >= 0.95 * 300

    # Filters -----------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            (Filters(within=("invoices",)), {"invoices/a.pdf", "invoices/x/b.TXT"}),
            (Filters(within=("./invoices/",)), {"invoices/a.pdf", "invoices/x/b.TXT"}),
            (Filters(within=("invoices/a.pdf",)), {"invoices/a.pdf"}),
            (Filters(within=("invoice",)), set()),
            (Filters(paths=("invoices-old/c.txt", "none")), {"invoices-old/c.txt"}),
            (Filters(extensions=(".txt",)), {"invoices/x/b.TXT", "invoices-old/c.txt"}),
            (Filters(date_from=date(2024, 1, 1)), {"invoices/a.pdf"}),
            (Filters(date_to=date(2023, 12, 31)), {"invoices/x/b.TXT", "invoices-old/c.txt"}),
            (Filters(date_from=date(2023, 5, 6), date_to=date(2023, 5, 6)), {"invoices/x/b.TXT"}),
            (Filters(within=("invoices",), extensions=(".txt",)), {"invoices/x/b.TXT"}),
        ],
    )
    async def test_filters_restrict_words_and_vectors_alike(self, store, filters, expected):
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
        assert set(await near(store, unit(1, 0, 0, 0), filters)) == expected

    async def test_of_what_a_filter_leaves_the_best_are_found_exactly(self, store):
        places, vectors = await many(store)
        for name, filters in FILTERS.items():
            inside = np.array([allowed(path, day, filters) for path, day in places])
            for question in units(5, WIDE, seed=2):
                found = await store.nearest(question, 10, filters)
                cosine = np.where(inside, vectors @ question, -2)
                best = sorted(cosine[inside].tolist(), reverse=True)[:10]
                assert [item.score for item in found] == pytest.approx(best, abs=2e-3), name
                numbers = await numbers_of(store, found)
                assert inside[numbers].all(), name
            words = await store.match("apple", 1000, filters)
            assert len(words) == inside.sum(), name

    async def test_what_changes_among_many_is_found_as_it_is_now(self, store, tmp_path: Path):
        _, vectors = await many(store)
        old, _ = a_pair("f1", "d1/f01.txt", *["x"] * EACH)
        async with writing(store, dimensions=WIDE):
            # One file has other passages, one is moved, one is gone, one has no vectors yet.
            await store.replace([a_pair("f0", "d0/f00.txt", "changed", "changed too")])
            await store.put_vectors(["f0:0", "f0:1"], np.stack([vectors[777], -vectors[0]]))
            await store.touch([replace(old, path="moved.txt")])
            await store.delete(["f2"])
            await store.replace([a_pair("f3", "d3/f03.md", "not embedded")])
        store = await self.again(store, tmp_path)
        async with writing(store, dimensions=WIDE):
            await store.finish()
        assert sorted((await near(store, vectors[777]))[:2]) == ["d0/f00.txt", "d6/f38.txt"]
        assert (await near(store, vectors[EACH]))[0] == "moved.txt"
        (first,) = await store.nearest(-vectors[0], 1, ANY)
        assert [passage.text for passage in await store.take([first])] == ["changed too"]
        assert first.score == pytest.approx(1, abs=2e-3)
        for gone in (0, 2 * EACH, 3 * EACH):
            found = await store.nearest(vectors[gone], 10, ANY)
            assert found[0].score < 0.99
            assert not {item.file_id for item in found} & {"f2", "f3"}
        left = (FILES - 4) * EACH + EACH + 3
        assert await store.count() == (left, left - 1)
        await store.close()
