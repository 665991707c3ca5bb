"""The contract of `Store` (`contract`), kept by the stores of the default install."""

from __future__ import annotations

from contract import StoreContract
from contract.finding import many


class TestLanceStore(StoreContract):
    opener = "contract.openers:lance"


class TestLanceStoreWithAVectorIndex(StoreContract):
    opener = "contract.openers:lance_with_an_index"

    async def test_there_is_an_index(self, store):
        await many(store)
        assert (await store.vector_index()).indexed == 800
