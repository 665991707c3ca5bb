"""`Library` as callers use it, with all its real parts."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import time
from pathlib import Path

import pytest

from manole.errors import (
    IndexBusyError,
    IndexVersionError,
    NotIndexedError,
    SettingsError,
    StoreError,
    UsageError,
)
from manole.index.store.libraries import libraries, library_info, library_name, remove
from manole.index.store.records import Filters
from manole.library import Library
from manole.settings import ExtractSettings, IndexSettings, Settings


@pytest.fixture
def settings(tmp_path) -> Settings:
    return Settings(data_dir=tmp_path / "data", cache_dir=Settings.load().cache_dir)


@pytest.fixture
def folder(tmp_path) -> Path:
    folder = tmp_path / "My files (old)"
    (folder / "pets").mkdir(parents=True)
    (folder / "pets" / "cat.txt").write_text("The cat sleeps on the sofa.")
    (folder / "gas.md").write_text("# Gas\n\nThe heating cost 120 euros.")
    return folder


async def test_open_sync_search(folder, settings):
    async with await Library.open(folder, settings) as library:
        assert not library.indexed
        report = await library.sync()
        assert report.added == 2
        hits = await library.search("what did heating cost", limit=1)
        assert [(hit.passage.path, hit.passage.line_start) for hit in hits] == [("gas.md", 1)]
        only = Filters(within=("pets",))
        assert {hit.passage.path for hit in await library.search("euros", filters=only)} <= {
            "pets/cat.txt"
        }
        assert [file.path for file in await library.files()] == ["gas.md", "pets/cat.txt"]
        (passage,) = await library.passages((await library.files())[1])
        assert passage.text == "The cat sleeps on the sofa."
    # Nothing is written into the folder.
    assert {path.name for path in folder.rglob("*")} == {"pets", "cat.txt", "gas.md"}


async def test_a_library_opened_later_searches_without_a_sync(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
    async with await Library.open(folder, settings) as library:
        assert library.indexed
        assert (await library.search("sofa"))[0].passage.path == "pets/cat.txt"
        assert library.embedder.dimensions == 384


async def test_files_are_read_again_after_a_sync_by_someone_else(folder, settings):
    async with (
        await Library.open(folder, settings) as reader,
        await Library.open(folder, settings) as writer,
    ):
        await writer.sync()
        assert await reader.files() is await reader.files()
        (folder / "new.txt").write_text("new")
        await writer.sync()
        assert len(await reader.files()) == 3
        assert (await reader.search("new"))[0].passage.path == "new.txt"


async def test_files_that_a_running_sync_has_read_are_listed(folder, settings):
    asked = {}

    def note(progress):
        if progress.stage in {"read", "finish"} and progress.stage not in asked:
            if asked:
                time.sleep(1.1)  # a list is as new as a second
            asked[progress.stage] = asyncio.ensure_future(library.files())

    async with await Library.open(folder, settings) as library:
        await library.sync()
        (folder / "new.txt").write_text("new")
        await library.sync(progress=note)
        assert len(await asked["finish"]) == 3


@pytest.mark.parametrize("query", ["cat", ""])
async def test_without_an_index_the_hint_names_the_command(folder, settings, query):
    async with await Library.open(folder, settings) as library:
        with pytest.raises(NotIndexedError, match="manole index"):
            await library.search(query)
        with pytest.raises(NotIndexedError):
            await library.files()
    assert libraries(settings) == []


async def test_folders_that_cannot_be_opened_are_usage_errors(folder, settings):
    with pytest.raises(UsageError, match="no folder"):
        await Library.open(folder / "missing", settings)
    with pytest.raises(UsageError, match="is not a folder"):
        await Library.open(folder / "gas.md", settings)
    with pytest.raises(UsageError):
        await Library.open([], settings)


async def test_an_empty_folder_is_a_library_that_finds_nothing(tmp_path, settings):
    (tmp_path / "empty").mkdir()
    async with await Library.open(tmp_path / "empty", settings) as library:
        report = await library.sync()
        assert report.statuses == {}
        assert await library.files() == []
        assert await library.search("anything") == []


async def test_several_folders_are_one_library_and_inner_ones_count_once(
    folder, tmp_path, settings
):
    other = tmp_path / "other"
    other.mkdir()
    (other / "dog.txt").write_text("The dog barks.")
    async with await Library.open([folder, other, folder / "pets"], settings) as library:
        assert library.roots == (folder, other)
        await library.sync()
        assert {(file.root, file.path) for file in await library.files()} == {
            (str(folder), "gas.md"),
            (str(folder), "pets/cat.txt"),
            (str(other), "dog.txt"),
        }
        assert library.resolve("dog.txt") == other / "dog.txt"
    assert (
        library_name((other, folder)).rsplit("-")[-1]
        == library_name((folder, other)).rsplit("-")[-1]
    )


async def test_resolve_stays_inside(folder, tmp_path, settings):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (folder / "link.txt").symlink_to(secret)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "inner").symlink_to(folder / "gas.md")
    async with await Library.open(folder, settings) as library:
        assert library.resolve("gas.md") == folder / "gas.md"
        assert library.resolve(folder / "pets") == folder / "pets"
        assert library.resolve("inner") == folder / "gas.md"
        assert library.resolve(".") == folder
        for outside in (
            "../secret.txt",
            secret,
            "link.txt",
            "/etc/passwd",
            "pets/../../secret.txt",
        ):
            with pytest.raises(UsageError, match="outside"):
                library.resolve(outside)
        for nothing in ("gone.txt", "loop", "a\0b", "x" * 5000):
            with pytest.raises(UsageError):
                library.resolve(nothing)


async def test_a_name_that_is_not_utf8_is_found_read_and_opened(tmp_path, settings):
    folder = tmp_path / "files"
    odd = os.fsdecode(os.fsencode(folder) + b"/caf\xe9/m\xfcll.txt")
    Path(odd).parent.mkdir(parents=True)
    Path(odd).write_text("The dragon costs 77 euros a month.")
    (folder / r"m\xfcll.txt").write_text("A file that is literally called so.")
    async with await Library.open(folder, settings) as library:
        await library.sync()
        first, literal = await library.files()
        assert first.path == r"caf\xe9/m\xfcll.txt"
        assert library.resolve(first.path) == Path(odd)
        assert library.resolve(first.path).as_uri().endswith("/caf%E9/m%FCll.txt")
        assert library.resolve(odd) == Path(odd)
        assert library.resolve(literal.path) == folder / r"m\xfcll.txt"
        for typed in (r"caf\xe9", os.fsdecode(b"caf\xe9"), first.path):
            hits = await library.search("dragon", filters=Filters(within=(typed,)))
            assert [hit.passage.path for hit in hits] == [first.path]
        for nothing in (r"caf\xea/m\xfcll.txt", "a\0/\\xe9", "\ud800\\xe9"):
            with pytest.raises(UsageError):
                library.resolve(nothing)


ODD_NAMES = (
    "new\nline.txt", "tab\there.txt", "\U0001f389.txt", " b .txt", "dots...", "-f.txt", "--help",
    "$(touch owned).txt", "a;b&c|d.txt", "q'uo\"te.txt", "back\\slash.txt", "*?.txt", "[b]x[-].txt",
    "\x1b[31mred.txt", "\u202etxt.gnp", "e\u0301.txt", "\u00e9.txt", "NUL.txt", "x" * 251 + ".txt",
    "%2e%2e%2f.txt", "\u65e5\u672c\u8a9e.txt", "#hash.md", "carriage\rreturn.txt",
)  # fmt: skip


async def test_strange_names_are_indexed_and_what_is_no_file_is_left_out(tmp_path, settings):
    folder = tmp_path / "files"
    folder.mkdir()
    for number, name in enumerate(ODD_NAMES):
        (folder / name).write_text(f"The number of this file is {number}.")
    (folder / "loop").symlink_to(".")
    (folder / "itself").symlink_to("itself")
    (folder / "outside.txt").symlink_to("/etc/passwd")
    (folder / "dangling.txt").symlink_to("gone")
    os.mkfifo(folder / "pipe.txt")
    async with await Library.open(folder, settings) as library:
        report = await library.sync()
        assert report.statuses == {"indexed": len(ODD_NAMES)}
        assert {file.path for file in await library.files()} == set(ODD_NAMES)
        for file in await library.files():
            assert library.resolve(file.path) == folder / file.path
            only = Filters(within=(file.path,))
            hits = await library.search("the number of this file", filters=only)
            assert [hit.passage.path for hit in hits] == [file.path]
        assert (await library.sync()).unchanged == len(ODD_NAMES)


async def test_libraries_are_listed_found_and_removed(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
    (info,) = libraries(settings)
    assert info.name == library.name
    assert info.name.startswith("My-files-old-")
    assert (info.roots, info.files, info.passages) == ((str(folder),), 2, 2)
    assert info.size > 1000
    assert info.updated is not None
    assert library_info(str(folder), settings) == info
    async with await Library.find(info.name, settings) as again:
        assert len(await again.files()) == 2
    assert remove(info.name, settings).name == info.name
    assert libraries(settings) == []
    assert (folder / "gas.md").exists()
    with pytest.raises(UsageError, match=r"There are: none"):
        remove(info.name, settings)


async def test_an_index_of_another_version_is_named_and_replaced_by_force(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
    meta = library.path / "meta.json"
    meta.write_text(json.dumps(json.loads(meta.read_text()) | {"format": 99}))
    async with await Library.open(folder, settings) as library:
        for use in (library.sync, library.files):
            with pytest.raises(IndexVersionError, match="--force"):
                await use()
        assert libraries(settings)[0].problem
        await library.sync(force=True)
        assert len(await library.files()) == 2


async def test_an_index_beyond_repair_is_built_again(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
    for manifest in library.path.rglob("*.manifest"):
        manifest.write_bytes(b"")
    async with await Library.open(folder, settings) as library:
        report = await library.sync()
        assert "built again" in report.notice
        assert report.added == 2
        assert (await library.search("sofa"))[0].passage.path == "pets/cat.txt"


async def test_an_index_that_is_removed_while_it_is_open_is_no_index(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
        assert await library.files()
        remove(library.name, settings)
        with pytest.raises(NotIndexedError, match="has no index yet"):
            await library.files()


async def test_lost_tables_mean_no_index_until_the_next_sync(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
    shutil.rmtree(library.path / "tables")
    async with await Library.open(folder, settings) as library:
        with pytest.raises(NotIndexedError):
            await library.search("sofa")
        await library.sync()
        assert (await library.search("sofa"))[0].passage.path == "pets/cat.txt"


async def test_a_raised_limit_reads_what_it_had_held_back_and_nothing_else(tmp_path, settings):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "small.txt").write_text("A mouse.")
    (folder / "huge.txt").write_text("A whale." + " " * 3_000_000)
    (folder / "large.txt").write_text("An elephant." + " " * 2_000_000)
    (folder / "empty.txt").write_text("")
    (folder / "broken.pdf").write_text("%PDF-1.4 and no more")

    async def synced(**limits):
        changed = settings.model_copy(update={"extract": ExtractSettings(**limits)})
        async with await Library.open(folder, changed) as library:
            report = await library.sync()
            return report.changed, {file.path: file.status.value for file in await library.files()}

    _, first = await synced(max_file_mb=1)
    assert first == {
        "broken.pdf": "failed", "empty.txt": "skipped", "small.txt": "indexed",
        "large.txt": "skipped", "huge.txt": "skipped",
    }  # fmt: skip
    assert await synced(max_file_mb=1) == (0, first)
    # Raised, but not enough for one of them: it is tried, and then left until it is raised again.
    assert await synced(max_file_mb=2) == (2, first | {"large.txt": "indexed"})
    assert (await synced(max_file_mb=2))[0] == 0
    assert await synced() == (1, first | {"large.txt": "indexed", "huge.txt": "indexed"})
    assert (await synced(max_file_mb=1))[0] == 0


async def test_two_syncs_at_once_are_refused(folder, settings):
    for i in range(30):
        (folder / f"{i}.txt").write_text(f"number {i} " * 100)
    async with (
        await Library.open(folder, settings) as one,
        await Library.open(folder, settings) as two,
    ):
        begun = asyncio.Event()
        task = asyncio.create_task(one.sync(progress=lambda _: begun.set()))
        await begun.wait()
        with pytest.raises(IndexBusyError):
            await two.sync()
        await task
        assert len(await two.files()) == 32


async def test_a_search_uses_the_embedder_of_the_index(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
    other = settings.model_copy(update={"index": IndexSettings(embedder="contriever")})
    async with await Library.open(folder, other) as library:
        assert (await library.search("feline"))[0].passage.path == "pets/cat.txt"
        assert library.embedder.name == "manole-e5-small"


async def test_an_unknown_embedder_is_a_settings_error(folder, settings):
    wrong = settings.model_copy(update={"index": IndexSettings(embedder="nonsense")})
    async with await Library.open(folder, wrong) as library:
        with pytest.raises(SettingsError, match="nonsense"):
            await library.sync()
    assert libraries(settings) == []


async def test_a_data_folder_that_cannot_be_made_is_a_store_error(folder, tmp_path, settings):
    (tmp_path / "data").write_text("a file where the folder should be")
    async with await Library.open(folder, settings) as library:
        with pytest.raises(StoreError):
            await library.sync()
