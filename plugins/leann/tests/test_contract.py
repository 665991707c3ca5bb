"""The contract of `Store`, kept by the store `leann`."""

from __future__ import annotations

from contract import StoreContract
from contract.finding import many


class TestLeannStore(StoreContract):
    opener = "openers:leann"

    async def test_there_is_a_graph(self, store):
        await many(store)
        found = await store.vector_index()
        assert (found.indexed, found.parts) == (800, 1)


class TestLeannStoreThatRecomputes(StoreContract):
    opener = "openers:leann_that_recomputes"

    async def test_its_graphs_keep_no_vectors(self, store):
        _, vectors = await many(store)
        found = await store.vector_index()
        assert found.indexed == 800
        assert found.bytes < vectors.nbytes + 800 * 200
