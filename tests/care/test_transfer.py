"""An index out and in again: whole, elsewhere, while it is read.

And files that are not what they claim to be, of which nothing is ever put in place.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from filelock import FileLock, Timeout

from manole.agent.conversations.store import Conversations
from manole.agent.conversations.transfer import bring_in, copy_out
from manole.care.archive import MANIFEST
from manole.care.exporting import export_index
from manole.care.importing import import_index
from manole.care.tidy import tidy
from manole.errors import (
    ArchiveError,
    ConversationError,
    IndexBusyError,
    LibraryError,
    ManoleError,
    NotIndexedError,
    StoreError,
    UsageError,
)
from manole.index.store import upkeep
from manole.index.store.lance import LanceStore
from manole.index.store.libraries import libraries, library_name, read_meta
from manole.index.store.records import Filters
from manole.index.store.rewriting import fits, fitted
from manole.library import Library
from manole.settings import IndexSettings, Settings

Change = Callable[[dict], None]


@pytest.fixture
async def exported(place, tmp_path) -> Path:
    file = tmp_path / "index.zip"
    await export_index(place.info, file, version="1")
    return file


@pytest.fixture
def elsewhere(tmp_path) -> Settings:
    """Another machine."""
    return Settings(data_dir=tmp_path / "there", cache_dir=tmp_path / "cache")


async def content(path: Path):
    """All that an index holds, roots left out."""
    store = await LanceStore.open(path)
    files = [(file.id, file.path, file.content_hash) for file in await store.files()]
    texts = sorted([(item.id, item.text) async for item in store.scan_texts()])
    vectors = [part.vectors async for part in store.scan_contents()]
    found = await store.match("pear", 5, Filters())
    near = await store.nearest(np.eye(8, dtype=np.float32)[1], 1, Filters())
    told = (store.embedder, store.dimensions, await store.stale())
    await store.close()
    return (
        *(files, texts, told, np.concatenate(vectors).sum(0).tolist()),
        *([item.id for item in found], [item.id for item in near]),
    )


def nothing_in(settings: Settings) -> bool:
    """Whether no index, and nothing of one, lies there."""
    return not settings.data_dir.exists() or not [
        path for path in settings.data_dir.rglob("*") if path.is_file()
    ]


async def test_what_goes_out_comes_in(place, exported, elsewhere):
    done = await import_index(exported, elsewhere)
    assert (done.files, done.passages, done.missing) == (3, 3, ())
    assert done.roots == (str(place.root),)
    new = elsewhere.data_dir / "libraries" / done.name
    assert await content(new) == await content(place.path)
    old, made = read_meta(place.path), read_meta(new)
    assert {key: value for key, value in old.items() if key != "created"} == {
        key: value for key, value in made.items() if key != "created"
    }
    assert [path.name for path in elsewhere.data_dir.iterdir()] == ["libraries"]
    assert exported.stat().st_mode & 0o077 == 0


async def test_roots_are_mapped_in_order_and_the_name_follows(place, exported, elsewhere, tmp_path):
    new = tmp_path / "new \udcff place"
    new.mkdir()
    done = await import_index(exported, elsewhere, folders=[new])
    assert (done.name, done.roots) == (library_name([new]), (str(new),))
    path = elsewhere.data_dir / "libraries" / done.name
    store = await LanceStore.open(path)
    assert {file.root for file in await store.files()} == {str(new)}
    assert {item.root async for item in store.scan_texts()} == {str(new)}
    await store.close()
    with pytest.raises(UsageError, match="1 folder, and 2"):
        await import_index(exported, elsewhere, folders=[new, tmp_path])
    with pytest.raises(UsageError, match="no folder"):
        await import_index(exported, elsewhere, folders=[tmp_path / "none"])


@pytest.mark.parametrize("folder", ["/proc", "/", "//", "link"])
async def test_a_folder_of_the_systems_own_state_takes_no_index(
    exported, elsewhere, tmp_path, folder
):
    (tmp_path / "link").symlink_to("/proc/self")
    with pytest.raises(UsageError, match="system's own state"):
        await import_index(exported, elsewhere, folders=[tmp_path / folder])
    assert nothing_in(elsewhere)


async def test_a_folder_that_is_not_there_is_said(place, exported, elsewhere):
    place.root.rmdir()
    assert (await import_index(exported, elsewhere)).missing == (str(place.root),)


async def test_an_index_that_is_there_is_replaced_only_on_request(place, exported):
    with pytest.raises(LibraryError, match="already"):
        await import_index(exported, place.settings)
    await place.index(["fig"])
    before = await content(place.path)
    with FileLock(place.path / "write.lock"), pytest.raises(IndexBusyError):
        await import_index(exported, place.settings, force=True)
    assert await content(place.path) == before
    await import_index(exported, place.settings, force=True)
    assert [text for _, text in (await content(place.path))[1]] == ["apple", "pear", "plum"]
    assert await place.found() == []
    assert [path.name for path in place.settings.data_dir.iterdir()] == ["libraries"]


async def test_readers_go_on_and_writers_wait_while_it_is_exported(place, tmp_path):
    reader = await LanceStore.open(place.path)
    seen = []

    def meanwhile(progress) -> None:
        with pytest.raises(Timeout):
            FileLock(place.path / "write.lock").acquire(timeout=0)
        seen.append((progress.done, progress.total))

    async def reading() -> list[int]:
        return [len(await reader.match("pear", 5, Filters())) for _ in range(5)]

    found, _ = await asyncio.gather(
        reading(),
        export_index(place.info, tmp_path / "a", version="1", progress=meanwhile),
    )
    assert found == [1] * 5
    assert seen[-1] == (6, 6)
    await reader.close()
    with FileLock(place.path / "write.lock"), pytest.raises(IndexBusyError):
        await export_index(place.info, tmp_path / "b", version="1")
    assert not (tmp_path / "b").exists()


async def test_an_export_that_fails_leaves_the_file_that_was_there(place, tmp_path):
    file = tmp_path / "kept"
    file.write_text("old")
    with pytest.raises(UsageError, match="there already"):
        await export_index(place.info, file, version="1")

    def stop(progress) -> None:
        raise KeyboardInterrupt

    before = sorted(tmp_path.iterdir())
    with pytest.raises(KeyboardInterrupt):
        await export_index(place.info, file, version="1", force=True, progress=stop)
    assert file.read_text() == "old"
    assert sorted(tmp_path.iterdir()) == before
    await export_index(place.info, file, version="1", force=True)
    assert zipfile.is_zipfile(file)
    with pytest.raises(UsageError, match="no folder"):
        await export_index(place.info, tmp_path / "none" / "file", version="1")


async def test_an_index_that_was_never_finished_is_not_exported(place, tmp_path):
    shutil.rmtree(place.path / "tables")
    with pytest.raises(NotIndexedError, match="never finished"):
        await export_index(place.info, tmp_path / "a", version="1")
    (place.path / "meta.json").write_text("{}")
    (info,) = libraries(place.settings)
    with pytest.raises(NotIndexedError, match="description"):
        await export_index(info, tmp_path / "a", version="1")


def test_rows_of_an_older_format_are_brought_into_todays():
    old = pa.schema([("id", pa.string()), ("vector", pa.list_(pa.float32(), 2))])
    half = pa.list_(pa.float16(), 2)
    new = pa.schema([("id", pa.string()), ("vector", half), ("embedded", pa.bool_())])
    batch = pa.RecordBatch.from_pylist(
        [{"id": "a", "vector": [0.5, 1]}, {"id": "b", "vector": None}], schema=old
    )
    assert fits(old, new)
    assert fitted(batch, new).to_pylist() == [
        {"id": "a", "vector": [0.5, 1], "embedded": True},
        {"id": "b", "vector": None, "embedded": None},
    ]
    assert fitted(batch, old).equals(batch)
    wider = pa.schema([("id", pa.string()), ("vector", pa.list_(pa.float32(), 3))])
    other = pa.schema([("id", pa.int64()), ("vector", half)])
    assert not fits(wider, new)
    assert not fits(other, new)
    assert not fits(pa.schema([("id", pa.string())]), new)


# Hostile --------------------------------------------------------------------------------------


def rewritten(source: Path, target: Path, change: Callable[[list[tuple[str, bytes]]], None]):
    """A copy of the archive whose members `change` has had its hands on."""
    with zipfile.ZipFile(source) as archive:
        members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    change(members)
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data)
    return target


def declared(change: Change, member: Callable[[list[tuple[str, bytes]]], None] | None = None):
    """Change the manifest, and perhaps a member, of which the manifest then tells the truth."""

    def run(members: list[tuple[str, bytes]]) -> None:
        if member is not None:
            member(members)
        content = dict(members)
        manifest = json.loads(content[MANIFEST])
        for item in manifest["members"]:
            data = content[item["name"]]
            item |= {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        change(manifest)
        at = next(at for at, (name, _) in enumerate(members) if name == MANIFEST)
        members[at] = (MANIFEST, json.dumps(manifest).encode())

    return run


def nothing(manifest: dict) -> None:
    pass


def renamed(name: str) -> Callable[[list[tuple[str, bytes]]], None]:
    """The first member under another name, in the manifest as well."""

    def run(members: list[tuple[str, bytes]]) -> None:
        old = members[0][0]
        members[0] = (name, members[0][1])
        manifest = json.loads(dict(members)[MANIFEST])
        next(item for item in manifest["members"] if item["name"] == old)["name"] = name
        members[-1] = (MANIFEST, json.dumps(manifest).encode())

    return run


def edited(table: str, change: Callable[[pa.RecordBatch], pa.RecordBatch], **options):
    """A table's batch, changed."""

    def run(members: list[tuple[str, bytes]]) -> None:
        at = next(at for at, (name, _) in enumerate(members) if name.startswith(table))
        name, data = members[at]
        batch = change(pa.ipc.open_stream(data).read_next_batch())
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema, **options) as stream:
            stream.write_batch(batch)
        members[at] = (name, sink.getvalue().to_pybytes())

    return run


def column(name: str, values: list) -> Callable[[pa.RecordBatch], pa.RecordBatch]:
    def change(batch: pa.RecordBatch) -> pa.RecordBatch:
        at = batch.schema.get_field_index(name)
        field = batch.schema.field(at)
        return batch.set_column(at, field, pa.array(values, field.type))

    return change


def same(batch: pa.RecordBatch) -> pa.RecordBatch:
    return batch


def put(key: str, value: object) -> Change:
    def change(manifest: dict) -> None:
        manifest[key] = value

    return change


def put_member(key: str, value: object) -> Change:
    def change(manifest: dict) -> None:
        manifest["members"][0][key] = value

    return change


COMPRESSED = {"options": pa.ipc.IpcWriteOptions(compression="zstd")}
OTHER_COLUMNS = pa.record_batch({"x": [1, 2, 3]})
HOSTILE = {
    "an absolute name": (renamed("/etc/passwd"), "does not belong"),
    "a name that climbs": (renamed("files/../../../000000.arrow"), "does not belong"),
    "a name with a backslash": (renamed("files\\000000.arrow"), "does not belong"),
    "a folder": (renamed("files/"), "does not belong"),
    "a member twice": (lambda members: members.append(members[0]), "twice"),
    "the manifest twice": (lambda members: members.append(members[-1]), "no manifest"),
    "a member not declared": (lambda members: members.append(("more", b"x")), "do not agree"),
    "a member that is missing": (lambda members: members.pop(0), "do not agree"),
    "no manifest": (lambda members: members.pop(), "no manifest"),
    "a manifest of nonsense": (
        lambda members: members.__setitem__(-1, (MANIFEST, b"\xff{")), "makes no sense",
    ),
    "a manifest that is deep": (
        lambda members: members.__setitem__(-1, (MANIFEST, b"[" * 200_000)), "makes no sense",
    ),
    "a newer format": (declared(put("format", 2)), "has format 2; this version reads 1"),
    "an older index": (declared(put("index_format", 0)), "index of format 0"),
    "a field too many": (declared(put("run", "rm")), "run: extra"),
    "no roots": (declared(put("roots", [])), "roots"),
    "a relative root": (declared(put("roots", ["files"])), "no absolute path"),
    "a root that climbs": (declared(put("roots", ["/a/../etc"])), "no absolute path"),
    "the root of all": (declared(put("roots", ["/"])), "system's own state"),
    "a root of the system's": (declared(put("roots", ["/proc"])), "system's own state"),
    "a process for a root": (declared(put("roots", ["/proc/self"])), "system's own state"),
    "a second root of the system's": (
        declared(put("roots", ["/home/me", "/sys"])), "system's own state",
    ),
    "other roots": (declared(put("roots", ["/other"])), "outside its folders"),
    "another's embedder": (
        declared(put("embedder", "openai:spy@http://evil.example/v1")), "Questions would be sent",
    ),
    "another's embedder in the tables": (
        declared(put("made", "openai:spy@http://evil.example/v1")), "Questions would be sent",
    ),
    "a moment that steers a terminal": (
        declared(put("updated", "2025-01-01\x1b]0;pwn\x07")), "updated",
    ),
    "a moment that is none": (declared(put("created", "lately")), "created"),
    "a version that steers a terminal": (declared(put("manole", "1\x1b[2J")), "manole"),
    "an embedder that steers a terminal": (declared(put("embedder", "x\x9b2J")), "embedder"),
    "pages of a model that steers a terminal": (declared(put("pages", "x\x07")), "pages"),
    "other dimensions": (declared(put("dimensions", 5)), "other columns"),
    "a vast dimension": (declared(put("dimensions", 10**9)), "dimensions"),
    "fewer bytes than declared": (declared(put_member("size", 10**6)), "another size"),
    "a negative size": (declared(put_member("size", -1)), "size"),
    "another hash": (declared(put_member("sha256", "0" * 64)), "not those that were exported"),
    "another number of rows": (declared(put_member("rows", 2)), "number of rows"),
    "a path that climbs": (
        declared(nothing, edited("files", column("path", ["a", "b/../../c", "d"]))), "outside",
    ),
    "an absolute path": (
        declared(nothing, edited("passages", column("path", ["a", "/etc/passwd", "d"]))), "outside",
    ),
    "two files of one id": (
        declared(nothing, edited("files", column("id", ["apple", "apple", "plum"]))), "same id",
    ),
    "passages of no file": (
        declared(nothing, edited("passages", column("file_id", ["apple", "x", "plum"]))), "unknown",
    ),
    "a compressed batch": (
        declared(nothing, edited("passages", same, **COMPRESSED)), "other columns",
    ),
    "other columns": (declared(nothing, edited("files", lambda _: OTHER_COLUMNS)), "other columns"),
    "no Arrow": (
        declared(nothing, lambda members: members.__setitem__(0, (members[0][0], b"x" * 99))),
        "damaged",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
async def test_an_archive_with(exported, elsewhere, tmp_path, name):
    change, said = HOSTILE[name]
    file = rewritten(exported, tmp_path / "bad.zip", change)
    with pytest.raises(ArchiveError) as refused:
        await import_index(file, elsewhere)
    assert said in str(refused.value)
    assert nothing_in(elsewhere)


async def test_an_untouched_copy_made_in_the_same_way_is_taken(exported, elsewhere, tmp_path):
    file = rewritten(exported, tmp_path / "good.zip", declared(nothing, edited("passages", same)))
    assert (await import_index(file, elsewhere)).passages == 3


async def test_more_bytes_than_declared_are_not_read(exported, elsewhere, tmp_path):
    """A directory of the archive that lies about a member that unpacks to far more."""
    file = tmp_path / "bomb.zip"
    with zipfile.ZipFile(exported) as source:
        members = [(info.filename, source.read(info)) for info in source.infolist()]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members[:-1]:
            archive.writestr(name, bytes(2**25) if name.startswith("passages") else data)
        archive.writestr(*members[-1])
        size = len(dict(members)["passages/000000.arrow"])
        archive.getinfo("passages/000000.arrow").file_size = size
    with pytest.raises(ArchiveError, match="damaged"):
        await import_index(file, elsewhere)
    assert nothing_in(elsewhere)


async def test_a_file_cut_short_anywhere_is_refused(exported, elsewhere, tmp_path):
    whole = exported.read_bytes()
    for at in [0, 1, 21, 22, len(whole) // 3, len(whole) // 2, len(whole) - 23, len(whole) - 1]:
        file = tmp_path / "cut.zip"
        file.write_bytes(whole[:at])
        with pytest.raises(ArchiveError):
            await import_index(file, elsewhere)
        assert nothing_in(elsewhere)
    with pytest.raises(ArchiveError, match="cannot be read"):
        await import_index(tmp_path / "none.zip", elsewhere)


async def test_a_flipped_byte_is_refused_or_changes_nothing(place, exported, elsewhere, tmp_path):
    whole, chance = exported.read_bytes(), random.Random(7)
    expected = await content(place.path)
    refused = 0
    for at in sorted(chance.sample(range(len(whole)), 60)):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << chance.randrange(8)
        file = tmp_path / "flipped.zip"
        file.write_bytes(bytes(damaged))
        try:
            done = await import_index(file, elsewhere)
        except ManoleError:
            refused += 1
            assert nothing_in(elsewhere)
        else:  # a time in a header, a comment
            assert await content(elsewhere.data_dir / "libraries" / done.name) == expected
            shutil.rmtree(elsewhere.data_dir)
    assert refused > 40


async def test_a_full_disk_is_said_before_anything_is_written(exported, elsewhere, monkeypatch):
    usage = shutil.disk_usage(exported)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=10))
    with pytest.raises(StoreError, match="10 bytes are free"):
        await import_index(exported, elsewhere)
    assert nothing_in(elsewhere)


async def test_a_killed_import_leaves_no_index(exported, elsewhere):
    program = f"""
import asyncio, os
from pathlib import Path
from manole.care.importing import import_index
from manole.settings import Settings
def kill(progress):
    if progress.done == progress.total:
        os.kill(os.getpid(), 9)
settings = Settings(data_dir=Path({str(elsewhere.data_dir)!r}))
asyncio.run(import_index(Path({str(exported)!r}), settings, progress=kill))
"""
    killed = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", program])
    assert killed.returncode == -9
    assert libraries(elsewhere) == []
    (left,) = elsewhere.data_dir.glob(".import-*")
    assert (await import_index(exported, elsewhere)).passages == 3
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
    await export_index(info, tmp_path / "file", version="1")
    shutil.copytree(home, there, copy_function=shutil.copyfile)  # with the times of now
    other = settings.model_copy(update={"data_dir": tmp_path / "other"})
    await import_index(tmp_path / "file", other, folders=[there])
    async with await Library.open(there, other) as library:
        report = await library.sync()
        assert (report.added, report.changed, report.deleted, report.renamed) == (0, 0, 0, 0)
        assert report.unchanged == info.files
        assert (report.passages, report.embedded, report.tokens) == (0, 0, 0)
        assert found(await library.search("insurance sum")) == expected
        (there / "new.txt").write_text("a new one")
        assert (await library.sync()).added == 1


# Conversations --------------------------------------------------------------------------------


def asked(path: Path, *questions: str) -> Conversations:
    kept = Conversations.in_file(path)
    for question in questions:
        kept.begin(kept.create().id, question)
    return kept


async def test_conversations_go_along_and_are_added_to_those_that_are_there(
    place, elsewhere, tmp_path
):
    kept = asked(tmp_path / "kept.sqlite", "How much?", "When?")
    assert copy_out(kept, tmp_path / "copy.sqlite")
    await export_index(
        place.info, tmp_path / "file", version="1", conversations=tmp_path / "copy.sqlite"
    )
    done = await import_index(tmp_path / "file", elsewhere)
    assert done.conversations is not None
    here = asked(tmp_path / "here.sqlite", "Who?")
    assert bring_in(done.conversations, here) == 2
    assert bring_in(done.conversations, here) == 0
    assert {item.title for item in here.list()} == {"How much?", "When?", "Who?"}
    for item in kept.list():
        assert here.turns(item.id) == kept.turns(item.id)
    assert not copy_out(Conversations.in_file(tmp_path / "none.sqlite"), tmp_path / "none")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE conversations SET id = '../../x'",
        "UPDATE conversations SET updated = 'never'",
        "UPDATE turns SET question = x'00ff'",
        'INSERT INTO events (turn, event) VALUES (1, \'{"event": "run"}\')',
        "PRAGMA user_version = 9",
        "DROP TABLE events",
        "ALTER TABLE turns RENAME TO other",
    ],
)
async def test_conversations_that_make_no_sense_are_refused_whole(tmp_path, statement):
    bad = asked(tmp_path / "bad.sqlite", "How much?")
    bad.close()
    with sqlite3.connect(bad.path) as database:
        database.execute(statement)
    database.close()
    here = asked(tmp_path / "here.sqlite", "Who?")
    with pytest.raises(ConversationError, match="not taken in"):
        bring_in(bad.path, here)
    assert [item.title for item in here.list()] == ["Who?"]


async def test_a_database_of_garbage_is_refused(tmp_path):
    (tmp_path / "bad.sqlite").write_bytes(os.urandom(9000))
    with pytest.raises(ConversationError, match="not taken in"):
        bring_in(tmp_path / "bad.sqlite", Conversations.in_file(tmp_path / "here.sqlite"))


async def test_the_tables_of_pages_are_known_by_their_embedder(place):
    """What `put_in_order` keeps: the vectors of pages, whoever made them."""
    store = await LanceStore.open(place.path)
    async with store.writing(dimensions=8, embedder="all-minilm-l6-v2", pages=("colqwen", 128)):
        pass
    await store.close()
    await upkeep.put_in_order(place.path)
    assert (await upkeep.pages_made(place.path)) == ("colqwen", 128)
