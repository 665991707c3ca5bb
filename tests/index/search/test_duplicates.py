"""Copies: one result for the same text in several places, which names the others."""

from __future__ import annotations

from datetime import date

import pytest

from manole.index.search.duplicates import merged, without_copies
from manole.index.search.hybrid import Hit
from manole.index.store.records import Filters, PassageRecord
from manole.library import Library
from manole.settings import Settings

RENT = "The rent is 950 euros a month and is due on the third day."


def hit(path, text=RENT, score=1.0, similarity=0.9, bm25=8.0, *, ordinal=0, **more):
    passage = PassageRecord(
        f"{path}:{ordinal}", path, "/r", path, ordinal, None, 1, 2, 0, len(text), text, **more
    )
    return Hit(passage, score, similarity, bm25)


def told(finds):
    return [(find.passage.path, find.also) for find in finds]


# -- what is a copy ----------------------------------------------------------------------------


def test_one_is_shown_and_the_others_are_named():
    finds = merged([
        hit("b.txt", score=0.9),
        hit("x.txt", "Something else.", 0.8),
        hit("c.txt", f"  {RENT.replace(' ', chr(10), 2)}\n", 0.7),
        hit("a.txt", score=0.6),
    ])  # fmt: skip
    assert told(finds) == [("a.txt", ("b.txt", "c.txt")), ("x.txt", ())]
    assert [find.score for find in finds] == [0.9, 0.8]  # the place of the best one


def test_the_better_one_is_shown_and_of_equals_the_first_by_path():
    better = [hit("b.txt", similarity=0.95), hit("a.txt", similarity=0.9)]
    assert told(merged(better)) == [("b.txt", ("a.txt",))]
    only_by_words = [hit("b.txt"), hit("a.txt", similarity=None)]
    assert told(merged(only_by_words)) == [("b.txt", ("a.txt",))]
    assert told(merged([hit("b.txt"), hit("a.txt", score=0.9)])) == [("a.txt", ("b.txt",))]


def test_what_follows_of_a_document_is_shown_from_the_file_that_stands_above():
    second = "Pets need the landlord's written consent."
    finds = merged([
        hit("z.txt", similarity=0.95),
        hit("a.txt"),
        hit("a.txt", second, 0.8, ordinal=1),
        hit("z.txt", second, 0.7, similarity=0.8, ordinal=1),
    ])  # fmt: skip
    assert told(finds) == [("z.txt", ("a.txt",)), ("z.txt", ("a.txt",))]


@pytest.mark.parametrize(
    "other",
    [
        {"text": RENT.replace("950", "980")},
        {"text": RENT.upper()},
        {"headings": ("Flat in Ghent",)},
        {"date": date(2024, 3, 5)},
    ],
)
def test_what_differs_in_words_headings_or_day_is_no_copy(other):
    finds = merged([hit("a.txt"), hit("b.txt", **other)])
    assert told(finds) == [("a.txt", ()), ("b.txt", ())]


def test_a_text_that_each_file_has_twice_is_shown_twice():
    finds = merged([
        hit("a.txt"), hit("a.txt", ordinal=1), hit("b.txt"), hit("b.txt", ordinal=1),
    ])  # fmt: skip
    assert told(finds) == [("a.txt", ("b.txt",)), ("a.txt", ("b.txt",))]


# -- as many as are asked for ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("copies", "others", "limit", "asked"),
    [
        (0, 30, 10, [13]),
        (4, 30, 10, [13]),
        (5, 30, 10, [13, 52]),
        (60, 30, 10, [13, 52, 208]),
        (300, 30, 10, [13, 52, 208, 832]),
        (3, 4, 10, [13]),
        (0, 90, 60, [60]),
        (0, 90, 0, [0]),
        (5000, 9, 10, [13, 52, 208, 832, 1000]),
    ],
)
async def test_the_limit_is_filled_with_no_more_searches_than_it_takes(
    copies, others, limit, asked
):
    every = [hit(f"copy{number:04}.txt") for number in range(copies)]
    every += [hit(f"own{number}.txt", f"Text {number}.") for number in range(others)]
    counts = []

    async def search(count):
        counts.append(count)
        return every[:count]

    finds = await without_copies(search, limit)
    assert counts == asked
    reached = every[: asked[-1]]
    assert len(finds) == min(limit, len({h.passage.text for h in reached}))
    if copies and limit:
        assert len(finds[0].also) == min(copies, asked[-1]) - 1


# -- in a library ------------------------------------------------------------------------------


@pytest.fixture
async def library(tmp_path, session_settings):
    papers = tmp_path / "papers"
    for path in ("flat/lease.txt", "archive/2023/lease copy.txt", "archive/lease.txt"):
        (papers / path).parent.mkdir(parents=True, exist_ok=True)
        (papers / path).write_text(RENT)
    (papers / "flat" / "letter.txt").write_text("The landlord asks for the rent of the flat.")
    (papers / "garage.txt").write_text("The rent of the garage is 80 euros a month.")
    settings = Settings(data_dir=tmp_path / "data", cache_dir=session_settings.cache_dir)
    async with await Library.open(papers, settings) as library:
        await library.sync()
        yield library


async def test_a_library_names_copies_once_and_fills_the_limit(library):
    finds = await library.search("how much is the rent a month", limit=3)
    assert sorted(told(finds)) == [
        ("archive/lease.txt", ("archive/2023/lease copy.txt", "flat/lease.txt")),
        ("flat/letter.txt", ()),
        ("garage.txt", ()),
    ]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (Filters(within=("archive",)), ("archive/lease.txt", ("archive/2023/lease copy.txt",))),
        (Filters(within=("archive/2023",)), ("archive/2023/lease copy.txt", ())),
        (Filters(paths=("flat/lease.txt", "garage.txt")), ("flat/lease.txt", ())),
    ],
)
async def test_a_filter_names_no_copy_that_it_keeps_out(library, filters, found):
    finds = await library.search("how much is the rent a month", filters=filters)
    assert [item for item in told(finds) if "lease" in item[0]] == [found]
