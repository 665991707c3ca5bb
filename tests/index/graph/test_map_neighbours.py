"""The nearest files: the same as by comparing all with all, at once and bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole.index.graph import similar
from manole.index.graph.model import NEIGHBOURS
from manole.index.graph.similar import cosines, cosines_with, nearest, updated, whole


def some(count: int, seed: int, *, topics: int = 4, wide: int = 12, noise: float = 0.4):
    numbers = np.random.default_rng(seed)
    centres = np.random.default_rng(7).normal(size=(topics, wide))
    drawn = centres[numbers.integers(0, topics, count)] + noise * numbers.normal(size=(count, wide))
    made = np.array([whole(vector) for vector in drawn], np.int16).reshape(-1, wide)
    if count > 3:
        made[-1] = made[1]  # copies of one file
    return made


def by_hand(vectors):
    """Rows and products, found by sorting all others."""
    products = vectors.astype(np.int64) @ vectors.T.astype(np.int64)
    found = []
    for at, row in enumerate(products.tolist()):
        others = sorted((-worth, other) for other, worth in enumerate(row) if other != at)
        found.append([(other, -worth) for worth, other in others[:NEIGHBOURS]])
    return found


def as_lists(found):
    return [
        [(row, product) for row, product in zip(rows, products, strict=True) if row >= 0]
        for rows, products in zip(found.rows.tolist(), found.products.tolist(), strict=True)
    ]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 9, 10, 11, 12, 60])
def test_the_nearest_are_those_that_sorting_finds(count):
    vectors = some(count, count)
    assert as_lists(nearest(vectors)) == by_hand(vectors)


def test_blocks_of_any_size_give_the_same(monkeypatch):
    vectors = some(80, 1)
    whole_at_once = nearest(vectors)
    monkeypatch.setattr(similar, "_BLOCK", 100)
    in_blocks = nearest(vectors)
    assert (whole_at_once.rows == in_blocks.rows).all()
    assert (whole_at_once.products == in_blocks.products).all()


def test_many_copies_of_one_file_are_neighbours_in_order():
    vectors = np.repeat(some(1, 1), 40, axis=0)
    found = nearest(vectors)
    assert found.rows[20].tolist() == list(range(NEIGHBOURS))
    assert np.allclose(cosines(vectors, found), 1)


@given(st.integers(0, 10_000), st.integers(2, 45))
def test_bringing_up_to_date_gives_what_computing_anew_gives(seed, count):
    numbers = np.random.default_rng(seed)
    vectors = some(count, seed)
    found = nearest(vectors)
    for step in range(3):
        stay = np.flatnonzero(numbers.random(len(vectors)) > 0.1)
        more = some(int(numbers.integers(0, 7)), seed + step + 1)
        was = np.full(len(stay) + len(more), -1, np.int32)
        places = np.sort(numbers.permutation(len(was))[: len(stay)])
        was[places] = stay
        now = np.zeros((len(was), vectors.shape[1]), np.int16)
        now[places], now[was < 0] = vectors[stay], more
        found = updated(now, found, was)
        assert as_lists(found) == by_hand(now)
        vectors = now


def test_many_files_are_compared_by_cells_and_few_neighbours_are_missed(monkeypatch):
    vectors = some(3000, 3, topics=60, wide=48, noise=0.7)
    exact = nearest(vectors)
    monkeypatch.setattr(similar, "EXACT", 100)
    found = nearest(vectors)
    hits = (found.rows[:, :, None] == exact.rows[:, None, :]).any(axis=2)
    assert hits.mean() > 0.95
    assert not (found.rows == np.arange(len(vectors))[:, None]).any()  # none is its own
    for rows in found.rows.tolist():
        assert len(set(rows)) == NEIGHBOURS
    assert (nearest(vectors).rows == found.rows).all()


def test_copies_of_one_file_find_one_another_in_cells(monkeypatch):
    # Rounded up, so that the copies among the centres stay greater than the mean of them.
    longest = max(some(50, 1), key=lambda one: np.linalg.norm(one.astype(float)))
    vectors = np.concatenate([np.repeat(longest[None], 300, axis=0), some(50, 2)])
    monkeypatch.setattr(similar, "EXACT", 100)
    monkeypatch.setattr(similar, "PROBES", 2)
    found = nearest(vectors)
    assert np.allclose(cosines(vectors, found)[:300], 1)


def test_cosines_are_right_to_three_digits():
    numbers = np.random.default_rng(5)
    drawn = numbers.normal(size=(30, 384))
    unit = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    vectors = np.array([whole(vector) for vector in drawn])
    exact = unit @ unit.T
    found = nearest(vectors)
    for at, (rows, worth) in enumerate(zip(found.rows, cosines(vectors, found), strict=True)):
        assert np.allclose(worth, exact[at, rows], atol=5e-4)
    assert np.allclose(cosines_with(vectors, vectors[3]), exact[3], atol=5e-4)


def test_products_stay_exact_in_the_worst_case():
    for wide in (1, 2, 384, 3072):
        one = whole(np.ones(wide))
        assert np.abs(one.astype(np.int64) @ one.astype(np.int64)) < 2**24


def test_what_has_no_direction_has_no_whole_vector():
    assert whole(np.zeros(8)) is None
    assert whole(np.full(8, np.nan)) is None
    assert whole(np.full(8, np.inf)) is None
