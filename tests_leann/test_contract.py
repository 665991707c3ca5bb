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
