"""An index copied and taken in elsewhere: whole, under the writer's lock, refused when damaged."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock, Timeout

from manole.care.copying import copy_out, take_in
from manole.care.tidy import tidy
from manole.errors import IndexBusyError, LibraryError, ManoleError, StoreError, UsageError
from manole.index.store import durability
from manole.index.store.lance import LanceStore
from manole.index.store.libraries import libraries, library_name, read_meta, write_meta
from manole.index.store.records import Filters
from manole.library import Library
from manole.settings import IndexSettings, Settings

from .conftest import cut


@pytest.fixture
def elsewhere(tmp_path) -> Settings:
    """Another machine."""
    return Settings(data_dir=tmp_path / "there", cache_dir=tmp_path / "cache")


@pytest.fixture
async def copy(place, tmp_path) -> Path:
    return (await copy_out(place.info.name, tmp_path / "copy", place.settings)).path


async def content(path: Path):
    """All that an index holds, and the roots that it names."""
    store = await LanceStore.open(path)
    files = [(file.id, file.path, file.content_hash) for file in await store.files()]
    texts = sorted([(item.id, item.text) async for item in store.scan_texts()])
    vectors = [part.vectors async for part in store.scan_contents()]
    found = await store.match("pear", 5, Filters())
    near = await store.nearest(np.eye(8, dtype=np.float32)[1], 1, Filters())
    roots = {file.root for file in await store.files()}
    roots |= {item.root async for item in store.scan_texts()}
    told = (store.embedder, store.dimensions, await store.stale())
    await store.close()
    held = (files, texts, told, np.concatenate(vectors).sum(0).tolist())
    return (*held, [item.id for item in found], [item.id for item in near]), roots


async def test_what_is_copied_is_the_same_elsewhere(place, copy, elsewhere):
    (place.path / "fields.sqlite3").touch()
    made = await take_in(copy, [], elsewhere)
    assert (made.name, made.files, made.passages) == (place.path.name, 3, 3)
    assert made.path == elsewhere.data_dir / "libraries" / made.name
    assert await content(made.path) == await content(place.path)
    assert read_meta(made.path) == read_meta(place.path)
    assert [path.name for path in made.path.parent.iterdir()] == [made.name]
    assert not [path for path in copy.rglob("*") if path.stat().st_mode & 0o077]
    assert not (made.path / ".manoleignore").exists()
    assert not (made.path / "fields.sqlite3").exists()


async def test_folders_are_mapped_in_order_and_the_name_follows(place, copy, elsewhere, tmp_path):
    new = tmp_path / "new \udcff place"
    new.mkdir()
    made = await take_in(copy, [new], elsewhere)
    assert (made.name, made.roots) == (library_name([new]), (str(new),))
    held, roots = await content(made.path)
    assert (held, roots) == ((await content(place.path))[0], {str(new)})


@pytest.mark.parametrize("folders", [("new", "files"), ("none",), ("/proc",), ("/",), ("link",)])
async def test_folders_that_do_not_fit_are_refused(copy, elsewhere, tmp_path, folders):
    (tmp_path / "new").mkdir()
    (tmp_path / "link").symlink_to("/proc/self")
    with pytest.raises(UsageError):
        await take_in(copy, [tmp_path / folder for folder in folders], elsewhere)
    assert libraries(elsewhere) == []


async def test_folders_that_are_not_here_have_to_be_named(place, copy, elsewhere):
    place.root.rmdir()
    with pytest.raises(UsageError) as refused:
        await take_in(copy, [], elsewhere)
    assert "--folder" in str(refused.value)
    assert str(place.root) in str(refused.value)


async def test_nothing_that_is_there_is_replaced(place, copy, tmp_path):
    before = await content(place.path)
    for target in (copy, place.path / "tables" / "in", place.settings.data_dir):
        with pytest.raises(UsageError):
            await copy_out(place.info.name, target, place.settings)
    with pytest.raises(UsageError):
        await take_in(copy, [], place.settings)
    with pytest.raises(UsageError):
        await take_in(tmp_path, [], place.settings)
    assert await content(place.path) == before


async def test_a_target_through_a_link_into_the_index_is_refused(place, tmp_path):
    (tmp_path / "link").symlink_to(place.path)
    with pytest.raises(UsageError):
        await copy_out(place.info.name, tmp_path / "link" / "in", place.settings)
    assert not (place.path / "in").exists()


async def test_readers_go_on_and_writers_wait(place, tmp_path, monkeypatch):
    reader = await LanceStore.open(place.path)
    copied, seen = shutil.copyfile, []

    def meanwhile(*paths):
        with pytest.raises(Timeout):
            FileLock(place.path / "write.lock").acquire(timeout=0)
        seen.append(paths)
        return copied(*paths)

    monkeypatch.setattr(shutil, "copyfile", meanwhile)
    making = asyncio.create_task(copy_out(place.info.name, tmp_path / "a", place.settings))
    found = [len(await reader.match("pear", 5, Filters())) for _ in range(5)]
    await making
    assert found == [1] * 5
    assert len(seen) > 5
    await reader.close()
    with FileLock(place.path / "write.lock"), pytest.raises(IndexBusyError):
        await copy_out(place.info.name, tmp_path / "b", place.settings)
    assert not (tmp_path / "b").exists()


def manifest(path: Path) -> None:
    cut(durability.manifests(path / "tables" / "passages.lance")[0], 10)


def data(path: Path) -> None:
    cut(next((path / "tables" / "files.lance" / "data").iterdir()))


def gone(path: Path) -> None:
    next((path / "tables" / "files.lance" / "data").iterdir()).unlink()


def unfinished(path: Path) -> None:
    shutil.rmtree(path / "tables" / "passages.lance")


def interrupted(path: Path) -> None:
    (path / "dirty").write_text("x")


def another_version(path: Path) -> None:
    meta = json.loads((path / "meta.json").read_text())
    (path / "meta.json").write_text(json.dumps(meta | {"format": 9}))


DAMAGES = [manifest, data, gone, unfinished, interrupted, another_version]


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_index_is_not_copied(place, tmp_path, damage):
    damage(place.path)
    before = sorted(place.path.rglob("*"))
    with pytest.raises(StoreError) as refused:
        await copy_out(place.info.name, tmp_path / "copy", place.settings)
    assert refused.value.hint
    assert not [path for path in tmp_path.iterdir() if "copy" in path.name]
    assert [path for path in sorted(place.path.rglob("*")) if path.name != "write.lock"] == [
        path for path in before if path.name != "write.lock"
    ]  # it is the doctor who mends


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_copy_is_not_taken_in(copy, elsewhere, damage):
    damage(copy)
    with pytest.raises(StoreError):
        await take_in(copy, [], elsewhere)
    assert list((elsewhere.data_dir / "libraries").iterdir()) == []


async def test_a_copy_that_arrives_damaged_is_not_put_in_place(place, tmp_path, monkeypatch):
    copied = shutil.copyfile

    def badly(source, target):
        copied(source, target)
        if Path(target).suffix == ".manifest":
            cut(Path(target), 10)
        return target

    monkeypatch.setattr(shutil, "copyfile", badly)
    with pytest.raises(StoreError):
        await copy_out(place.info.name, tmp_path / "copy", place.settings)
    assert not [path for path in tmp_path.iterdir() if "copy" in path.name]


async def test_a_copy_with_another_embedder_is_refused_unless_it_is_the_one_set(copy, elsewhere):
    spy = "openai:spy@http://spy.example/v1"
    write_meta(copy, {"embedder": spy})
    with pytest.raises(LibraryError) as refused:
        await take_in(copy, [], elsewhere)
    assert spy in refused.value.message
    assert libraries(elsewhere) == []
    trusting = elsewhere.model_copy(update={"index": IndexSettings(embedder=spy)})
    assert (await take_in(copy, [], trusting)).files == 3


async def test_a_full_disk_is_said_before_anything_is_written(place, copy, elsewhere, monkeypatch):
    usage = shutil.disk_usage(copy)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=10))
    with pytest.raises(StoreError):
        await copy_out(place.info.name, copy.parent / "again", place.settings)
    with pytest.raises(StoreError):
        await take_in(copy, [], elsewhere)
    assert not (copy.parent / "again").exists()
    assert libraries(elsewhere) == []


async def test_a_disk_that_cannot_be_written_is_said(place, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ManoleError):
        await copy_out(place.info.name, tmp_path / "file" / "copy", place.settings)


async def test_one_that_is_stopped_leaves_nothing(place, tmp_path, monkeypatch):
    copied = shutil.copyfile

    def stopped(*paths):
        making.cancel()
        return copied(*paths)

    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(shutil, "copyfile", stopped)
    making = asyncio.create_task(copy_out(place.info.name, tmp_path / "copy", place.settings))
    with pytest.raises(asyncio.CancelledError):
        await making
    assert sorted(tmp_path.iterdir()) == before


async def test_a_kill_leaves_no_index_and_what_it_leaves_is_removed(copy, elsewhere):
    program = f"""
import asyncio, os
from pathlib import Path
from manole.care import copying
from manole.settings import Settings
copying.Durable.flush = lambda self: os.kill(os.getpid(), 9)
settings = Settings(data_dir=Path({str(elsewhere.data_dir)!r}))
asyncio.run(copying.take_in(Path({str(copy)!r}), [], settings))
"""
    killed = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", program])
    assert killed.returncode == -9
    assert libraries(elsewhere) == []
    (left,) = (elsewhere.data_dir / "libraries").iterdir()
    assert (await take_in(copy, [], elsewhere)).passages == 3
    os.utime(left, (1, 1))
    await tidy(elsewhere, now=True)
    assert not left.exists()


# With a real sync -----------------------------------------------------------------------------


def found(hits) -> list[tuple[str, str, float]]:
    return [(hit.passage.path, hit.passage.text, round(hit.score, 6)) for hit in hits]


@pytest.mark.parametrize("pages", ["off", "lines"])
async def test_files_that_are_the_same_elsewhere_are_neither_read_nor_embedded(
    tmp_path, session_settings, household_folder, pages
):
    settings = session_settings.model_copy(
        update={"data_dir": tmp_path / "here", "index": IndexSettings(pages=pages)}
    )
    home, there = tmp_path / "home", tmp_path / "there"
    home.mkdir()
    shutil.copytree(household_folder / "insurance", home / "insurance")
    shutil.copy(household_folder / "home" / "scan-letter-landlord-2023.pdf", home)
    (home / "bad.pdf").write_text("%PDF-1.4 and no more")
    async with await Library.open(home, settings) as library:
        await library.sync()
        info = library.info()
        expected = found(await library.search("insurance sum"))
        seen = [hit.page for hit in await library.search_pages("insurance sum")]
    copy = await copy_out(info.name, home / "copy", settings)
    shutil.copytree(home, there, copy_function=shutil.copyfile)  # with the times of now
    shutil.rmtree(settings.data_dir)
    other = settings.model_copy(update={"data_dir": tmp_path / "other"})
    await take_in(copy.path, [there], other)
    shutil.rmtree(home)
    async with await Library.open(there, other) as library:
        assert found(await library.search("insurance sum")) == expected
        assert [hit.page for hit in await library.search_pages("insurance sum")] == seen
        report = await library.sync()  # which does not look into the copy either
        assert (report.added, report.changed, report.deleted, report.renamed) == (0, 0, 0, 0)
        assert report.unchanged == info.files
        assert (report.passages, report.embedded, report.tokens) == (0, 0, 0)
        assert found(await library.search("insurance sum")) == expected
        (there / "new.txt").write_text("a new one")
        assert (await library.sync()).added == 1
