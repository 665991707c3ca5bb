"""What a power cut, a broken disk or a kill leaves, and how it is mended."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from contract.records import ANY, a_pair, matched, unit, writing

from manole.errors import IndexBusyError
from manole.files import write_file
from manole.index.store import durability
from manole.index.store.lance import LanceStore


async def two_commits(path: Path) -> None:
    """An index with a first file, finished, and a second one in the newest version."""
    store = await LanceStore.open(path)
    async with writing(store):
        await store.replace([a_pair("a", "a.txt", "apple")])
        await store.put_vectors(["a:0"], unit(1, 0, 0, 0)[None])
        await store.finish()
        await store.replace([a_pair("b", "b.txt", "pear")])
    await store.close()


def cut(file: Path, to: int = 0) -> None:
    with file.open("r+b") as stream:
        stream.truncate(to)


def newest(folder: Path, suffix: str) -> Path:
    return max(folder.rglob(f"*{suffix}"), key=lambda path: path.stat().st_mtime_ns)


@pytest.mark.parametrize("bytes_left", [0, 40])
@pytest.mark.parametrize("table", ["passages", "files"])
@pytest.mark.parametrize("kind", [".manifest", ".lance"])
async def test_a_newest_version_cut_short_is_taken_back(tmp_path, table, kind, bytes_left):
    await two_commits(tmp_path)
    folder = tmp_path / "tables" / f"{table}.lance"
    part = "_versions" if kind == ".manifest" else "data"
    cut(newest(folder / part, kind), bytes_left)
    store = await LanceStore.open(tmp_path)
    assert store.notice is not None
    assert await matched(store, "apple") == {"a.txt"}
    # Whatever was lost is known to be missing, so that the next sync reads it again.
    misfits, orphans = await store.stale()
    paths = {file.path for file in await store.files()}
    assert "b.txt" not in paths or "b" in misfits
    async with writing(store):
        await store.delete(orphans)
        await store.replace([a_pair("b", "b.txt", "pear")])
        assert await store.stale() == (set(), set())
    assert await matched(store, "pear") == {"b.txt"}
    assert await matched(store, "apple") == {"a.txt"}
    await store.close()


async def test_an_index_beyond_repair_is_set_aside_and_begins_anew(tmp_path):
    await two_commits(tmp_path)
    for manifest in (tmp_path / "tables" / "passages.lance" / "_versions").glob("*.manifest"):
        cut(manifest)
    store = await LanceStore.open(tmp_path)
    assert "built again" in store.notice
    assert (tmp_path / "broken" / "passages.lance").is_dir()
    assert not store.exists
    async with writing(store):
        await store.replace([a_pair("a", "a.txt", "apple")])
    assert await matched(store, "apple") == {"a.txt"}
    await store.close()


@pytest.mark.parametrize("table", ["passages", "files"])
async def test_a_table_that_was_just_being_made_is_made_again(tmp_path, table):
    store = await LanceStore.open(tmp_path)
    async with writing(store):
        pass
    await store.close()
    folder = tmp_path / "tables" / f"{table}.lance"
    for manifest in (folder / "_versions").iterdir():
        manifest.unlink()
    (tmp_path / "dirty").write_text("another run of the machine")
    store = await LanceStore.open(tmp_path)
    assert not store.exists
    async with writing(store):
        await store.replace([a_pair("a", "a.txt", "apple")])
    assert await matched(store, "apple") == {"a.txt"}
    await store.close()


@pytest.mark.parametrize("table", ["passages", "files"])
async def test_a_table_that_lost_every_version_is_set_aside(tmp_path, table):
    await two_commits(tmp_path)
    for manifest in (tmp_path / "tables" / f"{table}.lance" / "_versions").iterdir():
        manifest.unlink()
    (tmp_path / "dirty").write_text("another run of the machine")
    store = await LanceStore.open(tmp_path)
    assert "built again" in store.notice
    assert not store.exists
    await store.close()


async def test_a_hint_cut_short_does_no_harm(tmp_path):
    await two_commits(tmp_path)
    cut(tmp_path / "tables" / "passages.lance" / "_versions" / "latest_version_hint.json")
    store = await LanceStore.open(tmp_path)
    assert await matched(store, "apple pear") == {"a.txt", "b.txt"}
    await store.close()


async def test_a_full_text_index_cut_short_is_built_again(tmp_path):
    await two_commits(tmp_path)
    for part in (tmp_path / "tables" / "passages.lance" / "_indices").rglob("*.lance"):
        cut(part, 10)
    store = await LanceStore.open(tmp_path)
    assert await matched(store, "apple pear") == {"a.txt", "b.txt"}
    await store.close()


async def test_a_half_written_file_of_no_version_is_removed(tmp_path):
    await two_commits(tmp_path)
    half = tmp_path / "tables" / "passages.lance" / "data" / "killed.lance"
    half.write_bytes(b"half")
    store = await LanceStore.open(tmp_path)
    assert not half.exists()
    assert store.notice is None
    assert await matched(store, "apple pear") == {"a.txt", "b.txt"}
    await store.close()


async def test_a_whole_index_is_left_alone(tmp_path):
    await two_commits(tmp_path)
    before = sorted((tmp_path / "tables").rglob("*"))
    store = await LanceStore.open(tmp_path)
    assert store.notice is None
    assert sorted((tmp_path / "tables").rglob("*")) == before
    await store.close()


async def test_what_a_kill_between_two_tables_left_is_found(tmp_path):
    store = await LanceStore.open(tmp_path)
    async with writing(store):
        file, texts = a_pair("a", "a.txt", "apple", "pear")
        await store.replace([(file, texts), a_pair("b", "b.txt", "plum")])
        # As if passages were committed, and the row was not.
        table = store.tables["passages"]
        await table.delete("id = 'a:1'")
        await store.tables["files"].delete("id = 'b'")
        assert await store.stale() == ({"a"}, {"b"})
    await store.close()


async def test_a_reader_does_not_mend_while_a_writer_works(tmp_path):
    await two_commits(tmp_path)
    writer = await LanceStore.open(tmp_path)
    async with writing(writer):
        before = durability.manifests(tmp_path / "tables" / "passages.lance")
        # A file a writer has only half written looks cut short.
        (tmp_path / "tables" / "passages.lance" / "data" / "new.lance").write_bytes(b"half")
        reader = await LanceStore.open(tmp_path)
        assert durability.manifests(tmp_path / "tables" / "passages.lance") == before
        assert await matched(reader, "pear") == {"b.txt"}
        with pytest.raises(IndexBusyError):
            async with writing(reader):
                pass
        await reader.close()
    await writer.close()


@pytest.fixture
def synced(monkeypatch) -> set[int]:
    """The inodes of what is synced from now on."""
    found: set[int] = set()
    real = os.fsync

    def recording(handle: int) -> None:
        found.add(os.fstat(handle).st_ino)
        real(handle)

    monkeypatch.setattr(os, "fsync", recording)
    return found


def test_every_new_or_changed_file_is_synced_once_with_its_folders(tmp_path, synced):
    (tmp_path / "old").write_text("x")
    (tmp_path / "hint").write_text("x")
    durable = durability.Durable(tmp_path)
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "new").write_text("y")
    (tmp_path / "hint").write_text("longer")
    durable.flush()
    names = ["", "a", "a/b", "a/b/new", "hint"]
    assert synced == {(tmp_path / name).stat().st_ino for name in names}
    synced.clear()
    durable.flush()
    assert synced == set()


async def test_every_file_of_a_commit_is_synced_before_it_returns(tmp_path, synced):
    store = await LanceStore.open(tmp_path)
    async with writing(store):
        await store.replace([a_pair("a", "a.txt", "apple")])
        await store.put_vectors(["a:0"], np.array([[1, 0, 0, 0]], np.float32))
        files = [path for path in (tmp_path / "tables").rglob("*") if path.is_file()]
        assert files
        assert {path.stat().st_ino for path in files} <= synced
    assert len(await store.nearest(unit(1, 0, 0, 0), 5, ANY)) == 1
    await store.close()


def test_write_file_leaves_the_old_content_when_it_fails(tmp_path, monkeypatch):
    target = tmp_path / "meta.json"
    write_file(target, "old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_file(target, "new")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["meta.json"]
