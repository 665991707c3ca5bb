"""Changes of passages, held against a plain dictionary; what a kill or an old version leaves."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from contract.records import ANY, a_pair, matched, writing

from manole.index.store import lance_folding, lance_tables, row_changes, rows
from manole.index.store.lance import LanceStore
from manole.index.store.records import Filters
from manole.index.store.vector_index import Limits
from rounds import rounds

DIMENSIONS = 8


def unit_vectors(random_: np.random.Generator, count: int) -> np.ndarray:
    made = random_.normal(size=(count, DIMENSIONS))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
async def store(tmp_path, monkeypatch):
    monkeypatch.setattr(lance_tables, "LOOKED_UP", 8)
    store = await LanceStore.open(tmp_path / "index", limits=Limits(first=30, partition=20))
    yield store
    await store.close()


class Model:
    """What the store should hold: of each file its path, its words and their vectors."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.files: dict[str, tuple[str, list[str]]] = {}
        self.vectors: dict[str, np.ndarray] = {}

    async def step(self, store: LanceStore, n: int) -> None:
        act = self.random.choice(["put", "put", "put", "embed", "embed", "move", "drop", "finish"])
        some = self.random.sample(sorted(self.files), min(2, len(self.files)))
        if act == "put":
            keys = sorted({f"f{self.random.randrange(30)}" for _ in range(4)})
            pairs = []
            for key in keys:
                path = self.files[key][0] if key in self.files else f"p{key}.txt"
                texts = [f"w{n}x{key}y{i}" for i in range(self.random.randrange(9))]
                self.forget(key)
                self.files[key] = (path, texts)
                pairs.append(a_pair(key, path, *texts, content_hash=f"{n}{key}"))
            await store.replace(pairs)
        elif act == "embed":
            keys = [p.id for p in await store.missing_vectors(40)]
            made = unit_vectors(self.numbers, len(keys))
            self.vectors.update(zip(keys, made, strict=True))
            gone = ["f99:0", *keys]
            await store.put_vectors(gone, np.concatenate([unit_vectors(self.numbers, 1), made]))
        elif act == "move":
            for key in some:
                known = {file.id: file for file in await store.files()}[key]
                self.files[key] = (f"q{n}{key}.md", self.files[key][1])
                await store.touch([replace(known, path=self.files[key][0])])
        elif act == "drop":
            await store.delete(some)
            for key in some:
                self.forget(key)
                del self.files[key]
        else:
            await store.finish()

    def forget(self, key: str) -> None:
        """Drop the vectors of a file."""
        self.vectors = {k: v for k, v in self.vectors.items() if k.split(":")[0] != key}

    async def compare(self, store: LanceStore) -> None:
        assert {f.id: f.path for f in await store.files()} == {
            key: path for key, (path, _) in self.files.items()
        }
        held = await store.passages_of(sorted(self.files))
        for key, (path, texts) in self.files.items():
            assert [(p.path, p.text) for p in held[key]] == [(path, text) for text in texts]
        total = sum(len(texts) for _, texts in self.files.values())
        assert await store.count() == (total, len(self.vectors))
        assert len([item async for item in store.scan_texts()]) == total
        for key in self.random.sample(sorted(self.vectors), min(5, len(self.vectors))):
            best = await store.nearest(self.vectors[key], 3, ANY)
            assert best[0].id == key
            assert best[0].score == pytest.approx(1, abs=1e-3)
            only = Filters(paths=((await store.take(best))[0].path,))
            ids = [item.id for item in await store.nearest(self.vectors[key], 50, only)]
            assert len(ids) == len(set(ids))
            mine = {k for k in self.vectors if k.split(":")[0] == key.split(":")[0]}
            assert set(ids) == mine
        for key, (path, texts) in self.files.items():
            for text in texts[:1]:
                assert await matched(store, text) == {path}, key


@pytest.mark.parametrize("seed", range(rounds(1, 20)))
async def test_whatever_is_done_in_whatever_order_the_store_holds_what_it_should(store, seed):
    model, indexes = Model(seed), set()
    for n in range(6):
        async with writing(store, dimensions=DIMENSIONS):
            assert await store.stale() == (set(), set())
            for i in range(7):
                await model.step(store, 10 * n + i)
            await model.compare(store)
            store._settled = None
            assert await store.stale() == (set(), set())
        indexes |= {index.name for index in await store.tables["passages"].list_indices()}
        files = {index.name for index in await store.tables["files"].list_indices()}
    assert files == {*lance_tables.SCALARS["files"]}
    assert indexes == {"terms_idx", "vector_idx", *lance_tables.SCALARS["passages"]}


async def test_what_a_kill_left_of_a_change_is_seen_by_nobody_and_removed(store):
    async with writing(store, dimensions=DIMENSIONS):
        await store.replace([a_pair("a", "a.txt", "apple", "pear")])
        table = store.tables["passages"]
        rest = replace(row_changes._NOTHING, id="a:7")
        data = rows.passage_table([(row_changes.NOBODY, [rest])], await table.schema())
        await table.add(data, on_bad_vectors="null")
        assert [item.text async for item in store.scan_texts()] == ["apple", "pear"]
        assert [item.text for item in await store.passages("a")] == ["apple", "pear"]
        assert await matched(store, "apple pear") == {"a.txt"}
        misfits, orphans = await store.stale()
        assert (misfits, orphans) == (set(), {""})
        await store.delete(orphans)
        assert await store.count() == (2, 0)
        assert await store.stale() == (set(), set())


async def test_a_file_that_got_shorter_leaves_nothing_behind(store):
    async with writing(store, dimensions=DIMENSIONS):
        await store.replace([a_pair("a", "a.txt", "one", "two", "three"), a_pair("b", "b", "one")])
        await store.replace([a_pair("a", "a.txt", "four"), a_pair("c", "c", "five", "six")])
        assert await store.count() == (4, 0)
        await store.replace([a_pair("a", "a.txt"), a_pair("c", "c", "seven")])
        assert await store.count() == (2, 0)
    assert [item.text async for item in store.scan_texts()] == ["one", "seven"]


async def test_a_sync_that_finds_nothing_new_removes_old_versions(store, monkeypatch):
    async with writing(store, dimensions=DIMENSIONS):
        for n in range(5):
            await store.replace([a_pair("a", "a.txt", f"apple {n}")])
        await store.finish()
    versions = store.path / "tables" / "passages.lance" / "_versions"
    before = len(list(versions.glob("*.manifest")))
    monkeypatch.setattr(lance_folding, "KEEP_VERSIONS", timedelta(0))
    async with writing(store, dimensions=DIMENSIONS):
        pass
    assert len(list(versions.glob("*.manifest"))) < before
    assert await matched(store, "apple") == {"a.txt"}
