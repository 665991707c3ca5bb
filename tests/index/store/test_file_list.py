"""The list of files that is mended where rows have changed: always what the store has."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from contract.records import a_file, writing

from manole.index.store import lance_queries, rows
from manole.index.store.lance import LanceStore

START = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.fixture
async def store(tmp_path: Path):
    store = await LanceStore.open(tmp_path / "index")
    yield store
    await store.close()


def a_row(number: int, second: int = 0, **changes):
    path = f"{number % 7}/f{number:03d}.txt"
    at = START + timedelta(seconds=second, microseconds=number)
    return a_file(f"k{number}", path, passages=0, indexed_at=at, **changes)


async def put(store: LanceStore, *files) -> None:
    await store.replace([(file, []) for file in files])


async def test_a_list_that_is_as_it_was_is_the_same_one(store):
    async with writing(store):
        await put(store, *map(a_row, range(20)))
    first = await store.file_list()
    assert first.files == await store.files()
    assert await store.file_list(first) is first


async def test_records_of_rows_that_are_as_they_were_are_the_same_ones(store):
    async with writing(store):
        await put(store, *map(a_row, range(20)))
        first = await store.file_list()
        await put(store, a_row(3, 1, title="Another"))
    second = await store.file_list(first)
    assert second.files == await store.files()
    assert [file.id for file in second.files if all(file is not old for old in first.files)] == [
        "k3"
    ]
    assert first.files[0].title is None, "the list before is as it was"


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("most", [2, 10_000])
async def test_whatever_changes_the_list_is_what_the_store_has(store, seed, most, monkeypatch):
    monkeypatch.setattr(lance_queries, "CHANGED", most)  # beyond, all is read
    chance = random.Random(seed)
    async with writing(store):
        await put(store, *map(a_row, range(30)))
        known = await store.file_list()
        for second in range(1, 12):
            number, other = chance.sample(range(40), 2)
            there = {file.id: file for file in await store.files()}
            old = there.get(f"k{number}")
            match chance.choice(["put", "put two", "delete", "touch", "rename", "root", "fold"]):
                case "put two":
                    await put(store, a_row(number, second), a_row(other, second, size=9))
                case "delete":
                    await store.delete([f"k{number}", f"k{other}"])
                case "touch" if old:
                    await store.touch([replace(old, mtime_ns=old.mtime_ns + second)])
                case "rename" if old:
                    await store.touch([replace(old, path=f"moved/{second}.txt")])
                case "root" if old:
                    await store.touch([replace(old, root="/elsewhere")])
                case "fold":
                    await store.finish(fully=True)
                case _:
                    await put(store, a_row(number, second))
            known = await store.file_list(known)
            assert known.files == await store.files()
            assert sorted(known.marks["id"].to_pylist()) == sorted(f.id for f in known.files)


async def test_a_row_that_went_while_the_list_was_mended_is_not_taken_for_known(store):
    async with writing(store):
        await put(store, a_row(1))
        first = await store.file_list()
        await put(store, a_row(2))
        marks = rows.file_table(await store.files()).select(first.marks.column_names)
        changed = first.changed(marks)
        assert changed == ["k2"]
        second = first.mended(marks, changed, [])
        assert [file.id for file in second.files] == ["k1"]
        assert [file.id for file in (await store.file_list(second)).files] == ["k1", "k2"]
