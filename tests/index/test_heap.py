"""Memory that was freed does not stay with the process."""

from __future__ import annotations

import pyarrow as pa

from manole.index.lancedb import LanceStore


async def test_arrow_takes_the_systems_memory_once_a_store_is_open(tmp_path):
    store = await LanceStore.open(tmp_path)
    assert pa.default_memory_pool().backend_name == "system"
    await store.close()
