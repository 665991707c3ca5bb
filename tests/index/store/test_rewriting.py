"""Passages that are written anew, because another embedder makes their vectors."""

from __future__ import annotations

import asyncio
import threading

import pytest
from contract.records import ANY, a_pair, matched, units, writing

from manole.index.store import lance_tables, rewriting
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


async def names_of_indexes(store):
    return {index.name for index in await store.tables["passages"].list_indices()}


async def test_passages_are_written_batch_by_batch_and_lose_their_vectors_only(store, monkeypatch):
    monkeypatch.setattr(rewriting, "ANEW", 64)
    ids = await filled(store)
    async with writing(store, embedder="other", dimensions=8):
        assert (store.embedder, store.dimensions) == ("other", 8)
        assert await store.count() == (len(ids), 0)
        assert {*await store.named(ids)} == {*ids}
        await store.put_vectors(ids, units(len(ids), 8, seed=9))
    for n in (0, EACH, len(ids) - 1):
        (hit,) = await store.take(await store.nearest(units(len(ids), 8, seed=9)[n], 1, ANY))
        assert hit.id == ids[n]
    assert await matched(store, "trees")
    assert lance_tables.WORDS_INDEX in await names_of_indexes(store)


async def test_one_that_is_cancelled_writes_nothing_after_the_lock_is_free(store, monkeypatch):
    monkeypatch.setattr(rewriting, "ANEW", 64)
    ids = await filled(store)
    before = await store.tables["passages"].version()
    begun, go_on = threading.Event(), threading.Event()
    without = rewriting.without_vectors

    def slowly(batch, schema):
        begun.set()
        assert go_on.wait(30)
        return without(batch, schema)

    monkeypatch.setattr(rewriting, "without_vectors", slowly)

    async def change():
        async with writing(store, embedder="other", dimensions=8):
            pass

    task = asyncio.create_task(change())
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
        assert await store.count() == (len(ids), len(ids))


async def test_a_full_text_index_that_a_kill_prevented_is_made_by_the_next_writer(store):
    await filled(store)
    await store.tables["passages"].drop_index(lance_tables.WORDS_INDEX)
    async with writing(store, dimensions=WIDE):
        pass
    assert lance_tables.WORDS_INDEX in await names_of_indexes(store)
    assert await matched(store, "trees")
