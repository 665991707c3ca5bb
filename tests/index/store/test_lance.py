"""What is LanceDB's own in the embedded store; the rest is in `contract`."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from contract.records import a_pair, matched, writing

from manole.errors import IndexVersionError
from manole.index.store import lance_tables, rows
from manole.index.store.lance import LanceStore


@pytest.fixture
async def store(tmp_path: Path):
    store = await LanceStore.open(tmp_path / "index")
    yield store
    await store.close()


async def test_an_index_of_another_format_is_refused(store, tmp_path, monkeypatch):
    for module in (rows, lance_tables):
        monkeypatch.setattr(module, "FORMAT", 999)
    async with writing(store):
        await store.replace([a_pair("a", "a.txt", "apple")])
    monkeypatch.undo()
    with pytest.raises(IndexVersionError, match=r"format 999.*--force"):
        await LanceStore.open(tmp_path / "index")


async def test_the_list_of_files_takes_little_more_memory_than_it_holds(store):
    async with writing(store):
        for part in range(10):
            await store.replace([a_pair(f"{part}-{n}", f"{part}/{n}.txt") for n in range(500)])
        tracemalloc.start()
        try:
            files = await store.files()
            held, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert len(files) == 5000
    assert peak < 1.5 * held


FULL_DISK = """
import asyncio, resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from contract.records import a_pair, writing
from manole.errors import StoreError
from manole.index.store.lance import LanceStore

async def main():
    store = await LanceStore.open(Path(sys.argv[1]))
    async with writing(store):
        await store.replace([a_pair("a", "a.txt", "apple")])
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        await store.replace([a_pair("b", "b.txt", *[f"pear {i} " * 50 for i in range(3000)])])

try:
    asyncio.run(main())
except StoreError as error:
    print("StoreError", error)
"""


async def test_a_write_that_fails_is_a_store_error_and_loses_nothing(tmp_path):
    here = str(Path(__file__).parent.parent)
    run = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path / "index"), here],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert run.stdout.startswith("StoreError"), run.stderr
    store = await LanceStore.open(tmp_path / "index")
    async with writing(store):
        assert [file.path for file in await store.files()] == ["a.txt"]
        assert await matched(store, "apple") == {"a.txt"}
        assert await matched(store, "pear") == set()
    await store.close()
