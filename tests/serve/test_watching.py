"""What is open in a server follows its folders; syncs of its own stand in a line with others."""

from __future__ import annotations

import asyncio
import shutil

import httpx
import pytest

from agent.fake_models import FakeModel
from manole.errors import WouldDropError
from manole.index.store.writer_lock import writer_lock
from manole.serve.service import Service

from .running import LONG, FakeWaitingModel, running

pytestmark = pytest.mark.server  # it follows folders


@pytest.fixture
def own(settings, tmp_path):
    index = settings.index.model_copy(update={"pages": "off"})
    return settings.model_copy(update={"data_dir": tmp_path / "data", "index": index})


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("one", "two", "three"):
        (folder / f"{name}.txt").write_text(f"the story of cat number {name}")
    return folder


async def until(condition):
    async with asyncio.timeout(LONG):
        while not condition():
            await asyncio.sleep(0.05)


async def paths(opened):
    return {file.path for file in await (await opened.library.store()).files()}


async def holds(opened, *names):
    async with asyncio.timeout(LONG):
        while await paths(opened) != set(names):
            await asyncio.sleep(0.05)


ALL = ("one.txt", "two.txt", "three.txt")


async def test_what_is_opened_is_indexed_and_followed(own, folder):
    async with Service(own, FakeModel(""), watch=True) as service:
        opened = await service.open(folder)
        first = opened.sync()
        assert (await first.wait()).added == 3
        (folder / "new.txt").write_text("an elephant")
        await until(lambda: opened.syncing is not first)  # it is shown as any other
        assert opened.syncing.only == {folder / "new.txt"}
        await holds(opened, *ALL, "new.txt")
        await until(lambda: opened.syncing.state == "done")
        assert opened.syncing.describe()["report"]["added"] == 1


async def test_without_being_told_or_where_the_settings_say_no_nothing_is_followed(own, folder):
    watch = own.watch.model_copy(update={"enabled": False})
    for settings, asked in ((own, False), (own.model_copy(update={"watch": watch}), True)):
        async with Service(settings, FakeModel(""), watch=asked) as service:
            opened = await service.open(folder)
            assert opened._watching is None


async def test_a_question_holds_up_what_nobody_asked_for(own, folder):
    model = FakeWaitingModel()
    async with Service(own, model, watch=True) as service:
        opened = await service.open(folder)
        await opened.sync().wait()
        async with service.queue.turn("somebody"):
            (folder / "new.txt").write_text("an elephant")
            await until(lambda: opened.syncing.only)
            await asyncio.sleep(1)  # it would have read the file by now
            assert await paths(opened) == set(ALL)
        await holds(opened, *ALL, "new.txt")


async def test_a_sync_of_everything_waits_for_a_small_one_and_small_ones_join_it(own, folder):
    async with Service(own, FakeModel("")) as service:
        opened = await service.open(folder)
        await opened.sync().wait()
        async with service.queue.turn("somebody"):  # which holds up the small one
            (folder / "new.txt").write_text("an elephant")
            (folder / "other.txt").write_text("a zebra")
            small = asyncio.create_task(opened._syncs.changed(frozenset({folder / "new.txt"})))
            await until(lambda: opened.syncing.only)
            running = opened.syncing
            whole = opened.sync()
            assert whole is not running
            assert opened.sync() is whole
            more = asyncio.create_task(opened._syncs.changed(frozenset({folder / "other.txt"})))
            await asyncio.sleep(0)
        assert ((await small).added, (await whole.wait()).added) == (1, 1)
        assert (await more) is whole.report
        assert opened.syncing is whole


async def test_a_stopped_small_sync_is_made_good_by_a_whole_one(own, folder):
    async with Service(own, FakeModel(""), watch=True) as service:
        opened = await service.open(folder)
        await opened.sync().wait()
        async with service.queue.turn("somebody"):
            (folder / "new.txt").write_text("an elephant")
            await until(lambda: opened.syncing.only)
            await opened.stop_sync()
        assert opened.syncing.state == "cancelled"
        (folder / "newer.txt").write_text("a zebra")
        await holds(opened, *ALL, "new.txt", "newer.txt")
        assert opened.syncing.only is None


async def test_another_writer_is_waited_for_without_a_word(own, folder, caplog):
    async with Service(own, FakeModel(""), watch=True) as service:
        opened = await service.open(folder)
        job = opened.sync()
        await job.wait()
        async with writer_lock(opened.library.path):
            (folder / "new.txt").write_text("an elephant")
            await asyncio.sleep(2)  # some tries
            assert opened.syncing.state in ("done", "running")
        await holds(opened, *ALL, "new.txt")
        assert caplog.text == ""


async def test_most_files_gone_fails_a_sync_until_it_is_confirmed(own, folder):
    with running(folder, own, FakeModel("")) as server:
        client: httpx.Client = server.client

        def sync(**query):
            with client.stream("POST", f"{server.library}/sync", params=query) as answer:
                return answer.read().splitlines()[-1].decode()

        assert '"added": 3' in sync(stream=True)
        (folder / "one.txt").unlink()
        (folder / "two.txt").unlink()
        assert "2 of 3 files are no longer there" in sync(stream=True)
        assert client.get(f"{server.library}/files").json()["total"] == 3
        assert '"deleted": 2' in sync(stream=True, yes=True)


async def test_an_error_of_that_kind_has_a_code_for_programs(own, folder):
    from manole.serve.http.errors import described
    from manole_stdio.protocol import failure
    from manole_stdio.syncs import Syncs

    async with Service(own, FakeModel("")) as service:
        opened = await service.open(folder)
        await opened.sync().wait()
        shutil.rmtree(folder)
        folder.mkdir()
        with pytest.raises(WouldDropError) as error:
            await opened.sync().wait()
        assert described(error.value) == (409, "would_drop")
        assert b'"would_drop"' in failure(1, error.value)

        async def emit(*_):
            pass

        assert (await Syncs(opened).index(False, True, emit))["deleted"] == 3
