"""A library that follows its folders: real files, the system's real events, real syncs."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
from pathlib import Path

import psutil
import pytest

from manole.errors import IndexBusyError, NotIndexedError, PausedError
from manole.index.store.libraries import remove
from manole.index.store.writer_lock import writer_lock
from manole.index.sync.pace import Pace
from manole.index.watch.change_sources import WatchRules
from manole.index.watch.watcher import Watch
from manole.library import Library
from manole.settings import Settings

pytestmark = pytest.mark.server  # it follows folders

LONG = 60.0  # seconds until something that never happens is given up


async def until(condition) -> None:
    """Return once `condition()` holds."""
    async with asyncio.timeout(LONG):
        while True:
            held = condition()
            if await held if asyncio.iscoroutine(held) else held:
                return
            await asyncio.sleep(0.05)


class Followed:
    """A library with its watch: the syncs it made, and what it said."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.asked: list[frozenset[Path] | None] = []
        self.reports = []
        self.said: list[str] = []

    async def sync(self, paths):
        self.asked.append(paths)
        report = await self.library.sync(only=paths)
        self.reports.append(report)
        return report

    def sum(self, what: str) -> int:
        return sum(getattr(report, what) for report in self.reports)

    async def did(self, **counts: int) -> None:
        """Wait until its syncs did so much; what is committed is seen before a sync has ended."""
        with contextlib.suppress(TimeoutError):
            await until(lambda: all(self.sum(what) >= count for what, count in counts.items()))
        assert {what: self.sum(what) for what in counts} == counts

    async def paths(self) -> set[str]:
        return {file.path for file in await (await self.library.store()).files()}

    async def holds(self, *names: str) -> None:
        """Wait until the index has these files and no others."""

        async def same() -> bool:
            return await self.paths() == set(names)

        await until(same)

    async def finds(self, query: str, path: str, text: str) -> None:
        async def found() -> bool:
            for hit in await self.library.search(query, limit=1):
                return (hit.passage.path, hit.passage.text) == (path, text)
            return False

        await until(found)


@contextlib.asynccontextmanager
async def following(library: Library, **options):
    """Follow an indexed library; once changes are not missed any more."""
    followed = Followed(library)
    watch = library.watch(followed.sync, followed.said.append, options.pop("pace", Pace()))
    for name, value in options.items():
        setattr(watch._sources[0], f"_{name}", value)
    task = asyncio.create_task(watch.run(first=False))
    try:
        await asyncio.wait([task, asyncio.create_task(watch.ready.wait())], timeout=LONG,
                           return_when=asyncio.FIRST_COMPLETED)  # fmt: skip
        assert watch.ready.is_set()
        yield followed
        assert not task.done(), task.exception()
    finally:
        task.cancel()
        await asyncio.wait([task])


@pytest.fixture
def settings(tmp_path) -> Settings:
    made = Settings(data_dir=tmp_path / "data", cache_dir=Settings.load().cache_dir)
    index = made.index.model_copy(update={"pages": "off"})
    return made.model_copy(update={"index": index})


@pytest.fixture
def folder(tmp_path) -> Path:
    folder = tmp_path / "files"
    (folder / "pets").mkdir(parents=True)
    for name in ("one", "two", "three", "four"):
        (folder / "pets" / f"{name}.txt").write_text(f"the story of cat number {name}")
    return folder


@pytest.fixture
async def library(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
        yield library


PETS = tuple(f"pets/{name}.txt" for name in ("one", "two", "three", "four"))


async def test_a_file_is_found_once_it_is_written_changed_renamed_and_not_once_deleted(
    folder, library
):
    async with following(library) as followed:
        dog, parrot = "A dog barks at the postman.", "A parrot repeats every word."
        (folder / "dog.txt").write_text(dog)
        await followed.finds("barking at mail", "dog.txt", dog)
        (folder / "dog.txt").write_text(parrot)
        await followed.finds("a bird that talks", "dog.txt", parrot)
        (folder / "dog.txt").rename(folder / "bird.txt")
        await followed.finds("a bird that talks", "bird.txt", parrot)
        (folder / "bird.txt").unlink()
        await followed.holds(*PETS)
        await followed.did(added=1, changed=1, renamed=1, deleted=1)
        assert None not in followed.asked  # never the whole library
        assert followed.said == []


async def test_a_folder_is_followed_with_all_that_is_in_it(folder, library):
    async with following(library) as followed:
        deep = folder / "a" / "b" / "c"
        deep.mkdir(parents=True)
        (deep / "x.txt").write_text("nested deeply")
        await followed.holds(*PETS, "a/b/c/x.txt")
        (folder / "a").rename(folder / "z")
        await followed.holds(*PETS, "z/b/c/x.txt")
        await followed.did(added=1, renamed=1)
        (folder / "z/b/c/y.txt").write_text("in a folder that was moved")
        await followed.holds(*PETS, "z/b/c/x.txt", "z/b/c/y.txt")
        shutil.rmtree(folder / "z")
        await followed.holds(*PETS)


async def test_a_burst_of_files_takes_few_syncs(folder, library):
    async with following(library) as followed:
        for number in range(300):
            (folder / f"{number}.txt").write_text(f"number {number}")
        await followed.holds(*PETS, *(f"{number}.txt" for number in range(300)))
        await followed.did(added=300)
        assert len(followed.reports) <= 5


async def test_a_changed_ignore_file_is_obeyed(folder, library):
    async with following(library) as followed:
        ignore = folder / "pets" / ".manoleignore"
        ignore.write_text("t*.txt\n")
        await followed.holds("pets/one.txt", "pets/four.txt")
        ignore.unlink()
        await followed.holds(*PETS)
        assert followed.asked[0] == {folder / "pets"}


async def test_what_is_left_out_wakes_nothing(folder, settings):
    inside = settings.model_copy(update={"data_dir": folder / "data"})
    (folder / ".gitignore").write_text("build/\n")
    (folder / "build").mkdir()
    async with await Library.open(folder, inside) as library:
        await library.sync()
        async with following(library) as followed:
            for name in (".git/index", ".cache/x.txt", "build/x.txt", "data/x.txt", "~$x.docx"):
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_text("noise")
            (folder / "last.txt").write_text("a signal")
            await followed.holds(*PETS, "last.txt")
            assert all(path.name == "last.txt" for paths in followed.asked for path in paths)


async def test_a_file_that_grows_is_read_when_it_is_whole(folder, library):
    async with following(library) as followed:
        with (folder / "long.txt").open("w") as file:
            for number in range(12):
                file.write(f"line {number} of a download\n")
                file.flush()
                await asyncio.sleep(0.1)  # it goes on growing while the watch looks at it
        await followed.holds(*PETS, "long.txt")
        await followed.did(added=1, changed=0)


async def test_a_file_that_never_settles_is_read_all_the_same(folder, library, monkeypatch):
    monkeypatch.setattr("manole.index.watch.watcher.MOST_WAIT", 1.0)
    async with following(library) as followed:
        stop = asyncio.Event()

        async def write() -> None:
            with (folder / "log.txt").open("w") as file:
                while not stop.is_set():
                    file.write("one more line\n")
                    file.flush()
                    await asyncio.sleep(0.02)

        writing = asyncio.create_task(write())
        await followed.holds(*PETS, "log.txt")
        stop.set()
        await writing


async def test_a_root_that_was_moved_away_is_waited_for(folder, library):
    async with following(library) as followed:
        away = folder.with_name("away")
        folder.rename(away)
        await until(lambda: followed.said)
        assert "is not there" in followed.said[0]
        assert await followed.paths() == set(PETS)
        (away / "new.txt").write_text("written meanwhile")
        away.rename(folder)
        await followed.holds(*PETS, "new.txt")
        (folder / "newer.txt").write_text("written afterwards")
        await followed.holds(*PETS, "new.txt", "newer.txt")
        await followed.did(added=2, deleted=0)
        assert len(followed.said) == 2  # that it is away, and that it is back


async def test_more_than_half_of_the_files_gone_is_said_once_and_the_rest_goes_on(folder, library):
    async with following(library) as followed:
        shutil.rmtree(folder / "pets")
        (folder / "new.txt").write_text("written at the same time")
        await until(lambda: followed.said)
        await followed.holds(*PETS, "new.txt")
        assert "4 of" in followed.said[0]
        (folder / "newer.txt").write_text("written afterwards")
        await followed.holds(*PETS, "new.txt", "newer.txt")
        await followed.did(added=2)  # and its end has come, so that another may write
        assert len(followed.said) == 1
        await library.sync(yes=True)
        await followed.holds("new.txt", "newer.txt")


async def test_while_another_writes_nothing_is_lost_and_nothing_said(folder, library):
    async with following(library) as followed:
        async with writer_lock(library.path):
            (folder / "new.txt").write_text("an elephant")
            await until(lambda: len(followed.asked) >= 2)  # it was tried again
            (folder / "pets/one.txt").unlink()
            assert followed.reports == []
        await followed.holds(*PETS[1:], "new.txt")
        assert followed.said == []


async def test_folders_that_do_not_tell_are_scanned(folder, library):
    (folder / "more").mkdir()
    remote = {folder: "nfs4"}
    options = {"remote": lambda _: remote, "seconds": 0.2}
    async with following(library, **options) as followed:
        assert "is scanned every 0.2 s" in followed.said[0]
        (folder / "more/new.txt").write_text("from another machine")
        await followed.holds(*PETS, "more/new.txt")
        (folder / "more/new.txt").unlink()
        await followed.holds(*PETS)
        assert followed.asked == [{folder / "more/new.txt"}] * 2


async def test_a_network_folder_inside_a_local_one_is_scanned(folder, library):
    (folder / "share").mkdir()
    remote = {folder / "share": "cifs"}
    async with following(library, remote=lambda _: remote, seconds=0.2) as followed:
        assert followed.said == [
            f"{folder}/share is scanned every 0.2 s: a folder of type cifs does not tell."
        ]
        (folder / "share/new.txt").write_text("from another machine")
        await followed.holds(*PETS, "share/new.txt")


async def test_a_name_that_is_no_text_is_not_lost(folder, library):
    async with following(library) as followed:
        (folder / os.fsdecode(b"caf\xe9.txt")).write_text("a cup of coffee")
        await followed.holds(*PETS, r"caf\xe9.txt")
        (folder / "new.txt").write_text("and it goes on")
        await followed.holds(*PETS, r"caf\xe9.txt", "new.txt")


async def test_on_battery_it_waits_and_then_looks_at_everything(folder, library):
    unplugged = True

    async def sync(paths):
        done.append(paths)
        if unplugged:
            raise PausedError("on battery")

    done: list[object] = []
    watch = Watch(
        [folder], sync, print, WatchRules(patterns=tuple), pace=Pace(battery=lambda: unplugged)
    )
    task = asyncio.create_task(watch.run())
    await asyncio.wait_for(watch.ready.wait(), LONG)
    (folder / "new.txt").write_text("new")
    await asyncio.sleep(1)  # it would have begun by now
    assert done == []
    unplugged = False
    await until(lambda: done)
    assert done[0] is None
    task.cancel()
    await asyncio.wait([task])


async def test_one_of_several_roots_that_is_missing_or_empty_keeps_its_files(tmp_path, settings):
    one, two = tmp_path / "one", tmp_path / "two"
    for root in (one, two):
        root.mkdir()
        (root / f"in {root.name}.txt").write_text(f"the files of {root.name}")
    async with await Library.open([one, two], settings) as library:
        await library.sync()
    two.rename(tmp_path / "unplugged")
    async with await Library.open([one, two], settings) as library:
        (one / "new.txt").write_text("new")
        report = await library.sync(yes=True)
        assert (report.added, report.deleted) == (1, 0)
        assert [path for path, _ in report.unreadable] == [str(two)]
        two.mkdir()  # where a disk is mounted otherwise
        report = await library.sync()
        assert (report.deleted, [path for path, _ in report.unreadable]) == (0, [str(two)])
        assert (await library.sync(only=[two])).deleted == 0
        assert len(await library.files()) == 3
        assert (await library.sync(yes=True)).deleted == 1
    remove(library.name, settings)


async def test_two_watches_of_one_library_wait_for_each_other(folder, library, settings):
    async with (
        await Library.open(folder, settings) as other,
        following(library) as first,
        following(other) as second,
    ):
        for number in range(2):
            (folder / f"{number}.txt").write_text(f"number {number}")
            await first.holds(*PETS, *(f"{n}.txt" for n in range(number + 1)))
        await until(lambda: first.sum("added") + second.sum("added") == 2)
        assert first.said == second.said == []


async def test_a_busy_index_is_an_error_for_those_who_ask(library):
    async with writer_lock(library.path):
        with pytest.raises(IndexBusyError):
            await library.sync(only=[])


async def test_small_syncs_that_follow_each_other_share_their_processes(folder, library):
    def workers():
        return {process.pid for process in psutil.Process().children()}

    before = workers()
    for number in range(2):
        (folder / "new.txt").write_text(f"version {number}")
        await library.sync(only=[folder / "new.txt"])
        kept = workers() - before
        if not number:
            first = kept
    assert len(kept) == 1 and kept == first
    await library.close()
    assert workers() <= before


async def test_another_process_finds_each_batch_before_a_sync_has_ended(tmp_path, settings):
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(600):
        (folder / f"{number}.txt").write_text(f"the story number {number}")
    environment = os.environ | {
        "MANOLE_DATA_DIR": str(settings.data_dir), "MANOLE_INDEX__PAGES": "off"
    }  # fmt: skip
    command = [sys.executable, "-m", "manole.cli.app", "index", "--json", str(folder)]
    writer = await asyncio.create_subprocess_exec(
        *command, env=environment, stdout=asyncio.subprocess.DEVNULL
    )
    async with await Library.open(folder, settings) as reader:
        found = await _some(reader)
        assert writer.returncode is None
        assert 0 < len(found) < 600
        (hit,) = await reader.search(f"story {Path(found[0]).stem}", limit=1)
        assert hit.passage.path == found[0]
        assert await writer.wait() == 0
        assert len(await reader.files()) == 600


async def _some(reader: Library) -> list[str]:
    """The files of an index that another process has just begun."""
    async with asyncio.timeout(LONG):
        while True:
            with contextlib.suppress(NotIndexedError):
                if files := await (await reader.store()).files():
                    return [file.path for file in files]
            await asyncio.sleep(0.02)
