"""Passages that are written anew: tables of an older format, and another embedder's vectors."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pyarrow as pa
import pytest
from contract.records import ANY, a_pair, matched, units, writing

from manole.index.store import durability, lance_tables, rewriting, rows
from manole.index.store.lance import LanceStore

WIDE = 32
EACH = 200


@pytest.fixture
async def store(tmp_path):
    store = await LanceStore.open(tmp_path / "index")
    yield store
    await store.close()


async def filled(store, files=3):
    """A store with vectors; the ids of its passages."""
    ids = []
    async with writing(store, dimensions=WIDE):
        for file in range(files):
            texts = [f"Apple tree {file} part {n}" for n in range(EACH)]
            pair = a_pair(f"f{file}", f"f{file}.txt", *texts)
            await store.replace([pair], units(EACH, WIDE, seed=file))
            ids += [passage.id for passage in pair[1]]
    return ids


async def aged(store):
    """Put the table into format 2, as an earlier version wrote it."""
    table = await store.tables["passages"].query().to_arrow()
    old = table.drop_columns(["language", "terms"])
    meta = {**rows.passages_schema(WIDE, "e").metadata, b"manole.format": b"2"}
    old = old.replace_schema_metadata(meta)
    made = await store.tables.connection.create_table("passages", old, mode="overwrite")
    await made.create_index(lance_tables.OLD_WORDS, config=lance_tables.OLD_FULL_TEXT)
    await store.refresh()


async def names_of_indexes(store):
    return {index.name for index in await store.tables["passages"].list_indices()}


async def test_an_older_table_is_brought_up_with_its_vectors(store, monkeypatch):
    monkeypatch.setattr(rewriting, "ANEW", 64)
    await filled(store)
    await aged(store)
    assert await matched(store, "apple")
    async with writing(store, dimensions=WIDE):
        assert await store.count() == (3 * EACH, 3 * EACH)
    assert await matched(store, "trees")
    assert lance_tables.WORDS_INDEX in await names_of_indexes(store)


async def test_other_vectors_are_put_in_place_batch_by_batch(store, monkeypatch):
    monkeypatch.setattr(rewriting, "ANEW", 64)
    ids = await filled(store)
    vectors = units(len(ids) - 1, 8, seed=9).astype(np.float16)
    kind = pa.list_(pa.float16(), 8)
    order = np.random.default_rng(0).permutation(len(ids) - 1)
    made = pa.table(
        {
            "id": [ids[n] for n in order],
            "vector": pa.FixedSizeListArray.from_arrays(vectors[order].reshape(-1), 8).cast(kind),
        }
    )
    async with writing(store, dimensions=WIDE):
        await store.tables.put_vectors_anew(rows.passages_schema(8, "other"), made)
        assert (store.embedder, store.dimensions) == ("other", 8)
        assert await store.count() == (len(ids), len(ids) - 1)
        assert [p.id for p in await store.missing_vectors(10)] == ids[-1:]
        for n in (0, EACH, len(ids) - 2):
            (hit,) = await store.take(await store.nearest(vectors[n].astype(np.float32), 1, ANY))
            assert hit.id == ids[n]
    assert await matched(store, "tree")


async def test_one_that_is_cancelled_writes_nothing_after_the_lock_is_free(store, monkeypatch):
    monkeypatch.setattr(rewriting, "ANEW", 64)
    await filled(store)
    await aged(store)
    before = await store.tables["passages"].version()
    begun, go_on = threading.Event(), threading.Event()
    fitted = rewriting.fitted

    def slowly(batch, schema):
        begun.set()
        assert go_on.wait(30)
        return fitted(batch, schema)

    monkeypatch.setattr(lance_tables, "fitted", slowly)

    async def upgrade():
        async with writing(store, dimensions=WIDE):
            pass

    task = asyncio.create_task(upgrade())
    assert await asyncio.to_thread(begun.wait, 30)
    for _ in range(3):  # as impatient as people are
        task.cancel()
        await asyncio.sleep(0.05)
        assert not task.done()  # the lock is held as long as the thread is at work
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0.2)
    assert await store.tables["passages"].version() == before
    monkeypatch.undo()
    async with writing(store, dimensions=WIDE):
        assert await store.count() == (3 * EACH, 3 * EACH)


async def test_a_full_text_index_that_a_kill_prevented_is_made_by_the_next_writer(store):
    await filled(store)
    await store.tables["passages"].drop_index(lance_tables.WORDS_INDEX)
    async with writing(store, dimensions=WIDE):
        pass
    assert lance_tables.WORDS_INDEX in await names_of_indexes(store)
    assert await matched(store, "trees")


async def test_a_damaged_index_of_an_older_table_is_built_again(store, tmp_path):
    await filled(store)
    await aged(store)
    await store.close()
    folder = tmp_path / "index" / "tables" / "passages.lance"
    (index,) = [
        path
        for path in (folder / "_indices").glob("*/*")
        if path.name.endswith("tokens.lance") and path.parent == newest(folder)
    ]
    index.write_bytes(index.read_bytes()[:-5])
    assert list(durability.cut_short(folder))
    again = await LanceStore.open(tmp_path / "index")
    assert again.notice is None
    assert await matched(again, "trees")
    assert list(durability.cut_short(folder)) == []
    await again.close()


def newest(folder):
    return max((folder / "_indices").iterdir(), key=lambda path: path.stat().st_mtime_ns)
