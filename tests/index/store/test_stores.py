"""The contract of `Store` (`contract`), kept by the stores of the default install."""

from __future__ import annotations

import pytest
from contract import StoreContract
from contract.changing import Changing
from contract.finding import Finding, many
from contract.records import writing

from manole.errors import StoreError
from manole.index.store.libraries import write_meta
from manole.index.store.opening import kept_by, open_store


class TestMemoryStore(Changing, Finding):
    """A store of another make: one class, and nothing of LanceDB. No other process sees it."""

    opener = "contract.memory:memory"


class TestLanceStore(StoreContract):
    opener = "contract.openers:lance"


class TestLanceStoreWithAVectorIndex(StoreContract):
    opener = "contract.openers:lance_with_an_index"

    async def test_there_is_an_index(self, store):
        await many(store)
        assert (await store.vector_index()).indexed == 800


async def test_an_index_of_an_unknown_store_is_not_opened(tmp_path):
    write_meta(tmp_path, {"store": "another"})
    with pytest.raises(StoreError, match=r"another, which this version does not know.*--force"):
        await open_store(tmp_path)


async def test_an_index_made_before_there_was_a_choice_is_lancedbs(tmp_path):
    write_meta(tmp_path, {})
    assert kept_by(tmp_path) is None
    store = await open_store(tmp_path)
    async with writing(store):
        pass
    await store.close()
    assert kept_by(tmp_path) == "lancedb"
