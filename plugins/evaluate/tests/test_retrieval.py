from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole.library import Library
from manole_evaluate.retrieval import by_file, by_page, mean
from manole_evaluate.subject import LibraryRetriever


def places(files):
    return [(file, None) for file in files]


def test_passages_of_one_file_count_once():
    score = by_file(places("aaab"), ["b"])
    assert (score.hit_1, score.recall_5, score.reciprocal_rank) == (0, 1, 0.5)
    assert score.ndcg_10 == pytest.approx(1 / log2(3))


def test_recall_is_a_share_of_the_gold_files():
    score = by_file(places("abcdefghij"), ["a", "g", "z", "y"])
    assert (score.hit_1, score.recall_5, score.recall_10) == (1, 0.25, 0.5)
    ideal = 1 + 1 / log2(3) + 1 / 2 + 1 / log2(5)
    assert score.ndcg_10 == pytest.approx((1 + 1 / log2(8)) / ideal)


def test_a_file_at_rank_eleven_is_not_found():
    score = by_file(places("abcdefghijk"), ["k"])
    assert (score.recall_10, score.ndcg_10) == (0, 0)
    assert score.reciprocal_rank == pytest.approx(1 / 11)


def test_nothing_found_is_zero():
    score = by_file([], ["a"])
    assert (score.hit_1, score.recall_10, score.ndcg_10, score.reciprocal_rank) == (0, 0, 0, 0)


def test_a_neighbouring_page_counts_and_each_gold_page_once():
    score = by_page([("a", 4), ("a", 5), ("a", 6)], ["a"], [5])
    assert (score.hit_1, score.recall_5) == (1, 1)
    assert score.ndcg_10 == pytest.approx(1)
    assert by_page([("a", 3), ("b", 5), ("a", None)], ["a"], [5]).recall_10 == 0
    both = by_page([("a", 5), ("a", 6)], ["a"], [5, 6])
    assert both.recall_5 == 1


def test_the_mean_of_each_measure():
    average = mean([by_file(places("ab"), ["a"]), by_file(places("ab"), ["b"])])
    assert average is not None
    assert (average.hit_1, average.recall_5, average.reciprocal_rank) == (0.5, 1, 0.75)
    assert mean([]) is None


_PLACES = st.lists(st.tuples(st.sampled_from("abcd"), st.one_of(st.none(), st.integers(1, 9))))


@given(_PLACES, st.sets(st.integers(1, 9), min_size=1))
def test_measures_are_shares_and_grow_with_depth(ranking, pages):
    for score in (by_file(ranking, ["a", "b"]), by_page(ranking, ["a"], sorted(pages))):
        assert 0 <= score.hit_1 <= 1
        assert 0 <= score.recall_5 <= score.recall_10 <= 1
        assert 0 <= score.ndcg_10 <= 1 + 1e-9


@given(st.sets(st.sampled_from("abcdefgh"), min_size=1))
def test_the_gold_files_alone_are_a_perfect_ranking(gold):
    score = by_file(places(sorted(gold)), sorted(gold))
    assert score.hit_1 == 1
    assert score.ndcg_10 == pytest.approx(1)


async def test_each_copy_of_a_passage_counts_as_found(tmp_path, session_settings):
    papers = tmp_path / "papers"
    for name in ("a.txt", "old/b.txt"):
        (papers / name).parent.mkdir(parents=True, exist_ok=True)
        (papers / name).write_text("The rent of the flat is 950 euros.")
    (papers / "garage.txt").write_text("The rent of the garage is 80 euros.")
    settings = session_settings.model_copy(update={"data_dir": tmp_path / "data"})
    async with await Library.open(papers, settings) as library:
        await library.sync()
        ranking = await LibraryRetriever(library)("how much is the rent of the flat?", 10, None)
    assert ranking == [("a.txt", None), ("old/b.txt", None), ("garage.txt", None)]
