"""The nearest files: the same as by comparing each with each, in blocks of any size."""

from __future__ import annotations

import numpy as np
import pytest

from manole.index.graph import edges
from manole.index.graph.edges import nearest
from manole.index.graph.model import NEIGHBOURS


def some(count: int) -> np.ndarray:
    """Unit vectors."""
    drawn = np.random.default_rng(count).normal(size=(count, 12)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def by_hand(vectors: np.ndarray) -> dict[tuple[int, int], float]:
    """Pairs and cosines, found by sorting all others of each."""
    cosines = vectors.astype(float) @ vectors.T.astype(float)
    found = {}
    for row, worth in enumerate(cosines.tolist()):
        others = sorted((n for n in range(len(worth)) if n != row), key=lambda n: -worth[n])
        found |= {(min(row, n), max(row, n)): worth[n] for n in others[:NEIGHBOURS]}
    return found


@pytest.mark.parametrize("block", [1, 100, 1 << 20])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 9, 10, 11, 12, 60])
def test_the_nearest_are_those_that_sorting_finds(count, block, monkeypatch):
    monkeypatch.setattr(edges, "_BLOCK", block)
    vectors = some(count)
    found, right = nearest(vectors), by_hand(vectors)
    assert found.keys() == right.keys()
    assert found == pytest.approx(right, abs=1e-5)


def test_copies_of_one_file_are_neighbours():
    found = nearest(np.repeat(some(1), 40, axis=0))
    assert {row for pair in found for row in pair} == set(range(40))
    assert all(cosine == pytest.approx(1) for cosine in found.values())
