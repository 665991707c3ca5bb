"""Many small syncs do not let an index grow."""

from __future__ import annotations

from datetime import timedelta

from manole.index.store import lance_folding
from manole.index.store.lance import LanceStore
from manole.index.store.upkeep import states
from manole.models.weights.files import folder_bytes


async def test_forty_syncs_of_one_file_each_leave_disk_and_parts_bounded(place, monkeypatch):
    # Ten minutes pass between two syncs, as far as old versions are concerned.
    monkeypatch.setattr(lance_folding, "KEEP_VERSIONS", timedelta(seconds=0))
    await place.index([f"word{number}" for number in range(50)])
    store = await LanceStore.open(place.path)
    sizes = []
    for number in range(40):
        async with place.writing(store):
            await store.replace([place.pair(f"word{number}")])
            await store.finish()
        sizes.append(folder_bytes(place.path / "tables"))
    await store.close()
    assert max(sizes[20:]) < 1.5 * max(sizes[:20])
    for table in await states(place.path):
        assert table.fragments < 20
        assert table.versions < 60
