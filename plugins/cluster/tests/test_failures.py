"""What dies in the middle of a sync loses nothing and doubles nothing, and questions go on."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from rays import RayCluster
from remote import remote
from rows import assert_same, rows_of
from seaweed import SeaweedFS
from servers import Asking, Server

from manole.errors import IndexBusyError, NotIndexedError
from manole.index.sync.report import Progress, SyncReport
from manole.library import Library
from manole.settings import Settings
from manole_cluster.address import Address
from manole_cluster.bucket import Bucket
from manole_cluster.lease import SECONDS
from manole_cluster.library import library_of, open_place

pytestmark = pytest.mark.asyncio(loop_scope="session")

FILES = 300
QUESTION = "when was the boiler repaired?"
DRIVER = """
from manole_cluster import sync
sync.BATCH_FILES = 10
from manole.cli.app import main
main()
"""
DEADLY = "deadly.md"  # see deadly/sitecustomize.py


def papers(bucket: Bucket, count: int = FILES) -> set[str]:
    """Small notes, each with a number of its own, in a few folders."""
    names = set()
    for number in range(count):
        name = f"{number % 7}/note-{number}.md"
        text = f"# Note {number}\n\nThe boiler of house {number} was repaired.\n\n" + "\n\n".join(
            f"Paragraph {part} of note {number} tells of pipes, valves and bills. " * 12
            for part in range(3)
        )
        bucket.put(name, text.encode())
        names.add(name)
    return names


async def assert_complete(library: Library, names: set[str]) -> None:
    """Every file is there once, with all its passages, once each, and their vectors."""
    store = await library.store()
    files = await store.files()
    assert Counter(file.path for file in files) == Counter(names)
    assert await store.stale() == (set(), set())
    seen = Counter([passage.id async for passage in store.scan_texts()])
    assert set(seen.values()) == {1}
    assert len(seen) == sum(file.passages for file in files)
    assert await store.count() == (len(seen), len(seen))


def once(after: int, act: Callable[[], None]) -> Callable[[Progress], None]:
    """What hears of progress, and acts when so many files were read."""
    acted = threading.Event()

    def heard(progress: Progress) -> None:
        if progress.stage == "read" and progress.done >= after and not acted.is_set():
            acted.set()
            act()

    return heard


async def test_a_node_and_a_storage_server_die_while_questions_are_answered(
    documents: Address,
    bucket: Bucket,
    settings: Settings,
    seaweed: SeaweedFS,
    ray_cluster: RayCluster,
    tmp_path: Path,
) -> None:
    bucket.put("first.md", b"The boiler was repaired in May.")
    async with remote(documents, settings) as library:
        await library.sync()
    address = str(documents)
    names = papers(bucket)

    def kill() -> None:
        ray_cluster.kill_node(1)
        seaweed.kill_volume(2)

    try:
        with Server(address, tmp_path / "one") as one, Server(address, tmp_path / "two") as two:
            with Asking([one, two], lambda server, _: server.search(QUESTION)) as asking:
                async with remote(documents, settings, ray_cluster) as library:
                    report = await library.sync(progress=once(FILES // 4, kill))
            assert report.added == len(names)
            assert not asking.failed
            assert all(asking.found)
            assert min(asking.answered) > 3
            assert one.search("paragraph 4 of note 77")[0]["file"] == "0/note-77.md"
    finally:
        seaweed.start_volume(2)
        ray_cluster.add_node()
        del ray_cluster.nodes[1]
    async with await open_place(address, settings) as library:
        await assert_complete(library, names | {"first.md"})
        assert {file.status.value for file in await library.files()} == {"indexed"}


async def test_a_reader_that_dies_is_replaced(
    documents: Address, bucket: Bucket, settings: Settings, ray_cluster: RayCluster
) -> None:
    names = papers(bucket, 150)

    def kill() -> None:
        for process in ray_cluster.readers()[:1]:
            process.kill()

    async with remote(documents, settings, ray_cluster) as library:
        await library.sync(progress=once(30, kill))
        await assert_complete(library, names)


async def test_a_file_that_kills_its_reader_fails_alone(
    documents: Address,
    bucket: Bucket,
    settings: Settings,
    ray_cluster: RayCluster,
) -> None:
    """The process is ended whenever it is about to read that one file."""
    names = papers(bucket, 20) | {DEADLY}
    bucket.put(DEADLY, b"words")
    async with remote(documents, settings, ray_cluster) as library:
        report = await library.sync()
        assert [(file.path, file.status.value) for file in report.problems] == [(DEADLY, "failed")]
        assert "ended the process" in (report.problems[0].reason or "")
        await assert_complete(library, names)


async def test_a_driver_that_is_killed_loses_nothing(
    documents: Address,
    bucket: Bucket,
    settings: Settings,
    ray_cluster: RayCluster,
    household: Path,
    tmp_path: Path,
) -> None:
    """`manole index --ray` ends by SIGKILL when some files are written and others being read."""
    bucket.put("contract.pdf", (household / "home" / "rental-contract.pdf").read_bytes())
    names = papers(bucket, 120) | {"contract.pdf"}
    with (tmp_path / "index.log").open("wb") as log:
        driver = await asyncio.create_subprocess_exec(
            sys.executable, "-c", DRIVER, "--set", f"cluster.ray={ray_cluster.address}",
            "index", str(documents),
            stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
        try:
            while not await listed(documents, settings):
                said = (tmp_path / "index.log").read_text()
                assert driver.returncode is None, said
                await asyncio.sleep(0.2)
        finally:
            driver.kill()
            await driver.wait()
    written = await listed(documents, settings)
    assert 0 < written < len(names)
    async with remote(documents, settings, ray_cluster) as library:
        with pytest.raises(IndexBusyError, match=f"process {driver.pid}"):
            await library.sync()
        report = await taken_over(library)
        assert report.added == len(names) - written
        await assert_complete(library, names)
        found = await rows_of(library)
    undisturbed = str(Address(documents.bucket, documents.prefix.replace("documents", "again")))
    async with library_of([str(documents)], undisturbed, settings) as library:
        await library.sync()
        assert_same(found, await rows_of(library))


async def listed(documents: Address, settings: Settings) -> int:
    """How many files the index there lists now."""
    try:
        async with await open_place(str(documents), settings) as library:
            return len(await library.files())
    except NotIndexedError:
        return 0


async def taken_over(library: Library) -> SyncReport:
    """A sync as soon as the lease of the one that died has run out."""
    until = time.monotonic() + 2 * SECONDS
    while True:
        try:
            return await library.sync()
        except IndexBusyError:
            assert time.monotonic() < until
            await asyncio.sleep(2)


async def test_an_indexing_process_that_is_killed_goes_on_next_time(
    documents: Address,
    bucket: Bucket,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = papers(bucket, 120)
    monkeypatch.setattr("manole_cluster.sync.BATCH_FILES", 10)
    reached = asyncio.Event()
    loop = asyncio.get_running_loop()
    async with remote(documents, settings) as library:
        syncing = asyncio.create_task(
            library.sync(progress=once(60, lambda: loop.call_soon_threadsafe(reached.set)))
        )
        await reached.wait()
        syncing.cancel()
        await asyncio.wait([syncing])
    async with remote(documents, settings) as library:
        report = await library.sync()
        assert 0 < report.added <= 80
        await assert_complete(library, names)
