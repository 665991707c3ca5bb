"""While a store is written, memory that was freed does not stay with the process."""

from __future__ import annotations

import pyarrow as pa

from manole.index.store.lance import LanceStore


async def test_arrow_takes_the_systems_memory_while_a_store_is_written_and_no_longer(tmp_path):
    before = pa.default_memory_pool().backend_name
    store = await LanceStore.open(tmp_path)
    assert pa.default_memory_pool().backend_name == before
    async with store.writing(dimensions=8, embedder="none"):
        assert pa.default_memory_pool().backend_name == "system"
    assert pa.default_memory_pool().backend_name == before
    await store.close()
