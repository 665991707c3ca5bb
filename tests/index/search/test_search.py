"""Hybrid search over a real store with the real embedder."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta

import pytest
from contract.records import a_pair

from manole.index.search.hybrid import fuse, search
from manole.index.store.lance import LanceStore
from manole.index.store.records import Filters, Ranked

TEXTS = {
    "pets/cat.txt": "The cat sleeps on the sofa all day.",
    "money/gas.md": "The heating cost 120 euros in March.",
    "house/boiler-manual.pdf": "Turn the valve clockwise to restart it.",
    "travel/lisbon.txt": "We flew to Portugal in June.",
}


@pytest.fixture
async def store(tmp_path, embedder):
    store = await LanceStore.open(tmp_path / "index")
    async with store.writing(dimensions=embedder.dimensions, embedder=embedder.name):
        pairs = [
            a_pair(str(i), path, text, date=date(2020 + i, 1, 1))
            for i, (path, text) in enumerate(TEXTS.items())
        ]
        await store.replace(pairs)
        ids = [passage.id for _, found in pairs for passage in found]
        await store.put_vectors(ids, embedder.embed(list(TEXTS.values())))
    yield store
    await store.close()


def ranked(*ids: str) -> list[Ranked]:
    return [Ranked(key, int(key), 1 / (1 + at)) for at, key in enumerate(ids)]


def test_fusion_adds_reciprocal_ranks_and_the_best_possible_is_one():
    hits = fuse(ranked("1", "2", "3"), ranked("1", "3"))
    assert [hit.ranked.id for hit in hits] == ["1", "3", "2"]
    assert hits[0].score == 1
    assert hits[1].score == pytest.approx((1 / 63 + 1 / 62) / (2 / 61))
    assert (hits[2].similarity, hits[2].bm25) == (0.5, None)


def test_fusion_of_one_ranking_keeps_its_order_and_of_none_is_empty():
    hits = fuse([], ranked("4", "2"))
    assert [hit.ranked.id for hit in hits] == ["4", "2"]
    assert hits[0].score == 0.5
    assert fuse([], []) == []


def test_what_shares_a_rare_word_is_among_the_first_twelve():
    meant = ranked(*map(str, range(1, 31)))
    found = fuse(meant, ranked("50", "28", "51"), "how high is the deposit")
    assert {"50", "28", "51"} <= {hit.ranked.id for hit in found[:12]}
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    usual = fuse(meant, ranked(*map(str, range(50, 59))), "how high is the deposit")
    assert [hit.ranked.id for hit in usual[:12]] == [str(at) for at in range(1, 13)]


async def test_words_and_sense_together_find_what_each_alone_would_miss(store, embedder):
    assert (await search(store, embedder, "gas bill"))[0].passage.path == "money/gas.md"
    (best, *_) = await search(store, embedder, "feline resting")
    assert best.passage.path == "pets/cat.txt"
    assert best.bm25 is None
    assert best.similarity > 0.3


async def test_without_an_embedder_words_are_searched(store):
    hits = await search(store, None, "sofa")
    assert [(hit.passage.path, hit.similarity) for hit in hits] == [("pets/cat.txt", None)]


async def test_filters_and_limit_hold(store, embedder):
    hits = await search(store, embedder, "the cat", filters=Filters(extensions=(".md",)))
    assert {hit.passage.path for hit in hits} == {"money/gas.md"}
    assert len(await search(store, embedder, "the", limit=2)) == 2
    assert await search(store, embedder, "cat", filters=Filters(within=("nowhere",))) == []


async def test_where_no_text_fits_the_names_of_files_do(store):
    hits = await search(store, None, "boil")  # part of a word, which BM25 cannot find
    assert [hit.passage.path for hit in hits] == ["house/boiler-manual.pdf"]
    nobody = Filters(within=("pets",))
    assert await search(store, None, "boil", filters=nobody) == []
    late = Filters(date_from=date(2023, 1, 1))
    assert await search(store, None, "boil", filters=late) == []


async def test_a_name_is_found_where_vectors_find_only_noise(store, embedder):
    async with store.writing(dimensions=store.dimensions, embedder=store.embedder):
        await store.replace([a_pair("u", "lost/redumbrella2021.txt", "Reference 4711, 12.00")])
    hits = await search(store, embedder, "Where is the umbrella?")
    assert hits[0].passage.path == "lost/redumbrella2021.txt"
    assert hits[0].bm25 is None
    assert len(hits) > 1  # what the vectors find stands below it
    assert len({hit.passage.id for hit in hits}) == len(hits)
    elsewhere = Filters(within=("money",))
    found = await search(store, embedder, "Where is the umbrella?", filters=elsewhere)
    assert {hit.passage.path.split("/")[0] for hit in found} == {"money"}


async def test_a_name_found_by_its_vector_as_well_is_found_once(store, embedder):
    hits = await search(store, embedder, "boil")
    assert hits[0].passage.path == "house/boiler-manual.pdf"
    assert [hit.passage.path for hit in hits].count("house/boiler-manual.pdf") == 1
    assert hits[0].similarity is not None
    assert hits[0].score > 0.5


async def test_of_many_names_that_fit_those_that_a_filter_lets_through_are_found(store):
    days = [date(2024, 1, 1) + timedelta(n) for n in range(250)]
    async with store.writing(dimensions=store.dimensions, embedder=store.embedder):
        await store.replace(
            [
                a_pair(f"d{n}", f"diaries/{n:03}.txt", f"entry {n}", date=d)
                for n, d in enumerate(days)
            ]
        )
    late = Filters(date_from=days[248])
    found = await search(store, None, "diar", filters=late)
    assert [hit.passage.path for hit in found] == ["diaries/248.txt", "diaries/249.txt"]
    assert len(await search(store, None, "diar", limit=7)) == 7


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   \n",
        "?",
        '"',
        "\x00",
        "\ud83d",
        "cat " * 50_000,
        "猫はどこですか",
        "где кот",
        "a:b^c~2",
    ],
)
async def test_any_question_is_answered_without_an_error(store, embedder, query):
    hits = await search(store, embedder, query)
    assert all(0 < hit.score <= 1 for hit in hits)
    if not query.strip():
        assert hits == []
    if "cat" in query:
        assert hits[0].passage.path == "pets/cat.txt"


async def test_searches_at_once_give_what_they_give_alone(store, embedder):
    queries = ["gas bill", "feline", "valve", "Portugal"] * 4
    alone = [await search(store, embedder, query) for query in queries[:4]] * 4
    assert await asyncio.gather(*(search(store, embedder, query) for query in queries)) == alone
