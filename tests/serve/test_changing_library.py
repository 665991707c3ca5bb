"""What a library leaves out, reading one file again, stopping a sync."""

from __future__ import annotations

import asyncio
import json
import shutil

import pytest

from agent.fake_models import FakeModel
from manole.index.store.libraries import META, library_info, read_meta

from .conftest import ANSWER
from .running import running
from .test_first_run import ended
from .test_http_ask import problem


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "mixed"
    for path in ("letters/a.txt", "letters/b.txt", "notes.txt", "old/c.txt"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"The words of {path}.", "utf-8")
    return folder


@pytest.fixture
def server(folder, settings):
    with running(folder, settings, FakeModel(ANSWER)) as server:
        yield server


def sync(server):
    """A sync from its beginning to its end; gives its report."""
    lines = server.client.post(f"{server.library}/sync?stream=true").text.splitlines()
    end = json.loads(lines[-1])
    assert end["state"] == "done", end
    return end["report"]


def files(server):
    listed = server.client.get(f"{server.library}/files").json()["files"]
    return [file["file"] for file in listed]


def item(server):
    listed = server.client.get("/libraries").json()["libraries"]
    return next(item for item in listed if item["name"] == server.name)


def exclude(server, *patterns):
    return server.client.patch(server.library, json={"exclude": list(patterns)})


# -- what is left out --------------------------------------------------------------------------


def test_the_next_sync_drops_what_is_left_out_and_takes_it_back(server, settings):
    sync(server)
    assert len(files(server)) == 4
    changed = exclude(server, "/letters/", "old/*.txt")
    assert changed.status_code == 200
    assert changed.json() == item(server)
    assert changed.json()["exclude"] == ["/letters/", "old/*.txt"]
    assert changed.json()["indexed"]
    assert len(files(server)) == 4  # nothing is dropped before the sync
    report = sync(server)
    assert (report["deleted"], report["unchanged"]) == (3, 1)
    assert files(server) == ["notes.txt"]
    found = server.client.get("/search?q=words").json()["results"]
    assert [hit["file"] for hit in found] == ["notes.txt"]
    content = server.client.get(f"{server.library}/files/content?path=old/c.txt")
    problem(content, 404)
    exclude(server, "old")
    report = sync(server)
    assert (report["added"], report["unchanged"]) == (2, 1)
    assert files(server) == ["letters/a.txt", "letters/b.txt", "notes.txt"]
    assert library_info(server.name, settings).exclude == ("old",)


def test_patterns_are_kept_beside_the_setting(folder, settings):
    own = settings.index.model_copy(update={"exclude": ("notes.txt",)})
    with running(folder, settings.model_copy(update={"index": own}), FakeModel(ANSWER)) as server:
        assert not item(server)["indexed"]
        kept = exclude(server, "letters").json()  # before there is any index
        assert (kept["exclude"], kept["indexed"]) == (["letters"], False)
        problem(server.client.get(f"{server.library}/files"), 409)
        sync(server)
        assert files(server) == ["old/c.txt"]
        assert item(server)["indexed"]
    with running(folder, settings, FakeModel(ANSWER)) as server:  # later, without the setting
        sync(server)
        assert files(server) == ["notes.txt", "old/c.txt"]


def test_what_describes_the_index_stays_when_patterns_change(server, settings):
    sync(server)
    path = server.service.default.library.path
    before = read_meta(path)
    exclude(server, "old")
    assert read_meta(path) == before | {"exclude": ["old"]}


@pytest.mark.parametrize(
    "body",
    [{}, {"exclude": "x"}, {"exclude": [""]}, {"exclude": ["  "]}, {"exclude": ["a\0b"]},
     {"exclude": ["a\nb"]}, {"exclude": ["x" * 501]}, {"exclude": ["x"] * 201},
     {"exclude": [3]}, {"exclude": None}, {"exclude": [], "roots": ["/"]},
     {"title": 3}, {"title": ["x"]}],
)  # fmt: skip
def test_patterns_that_make_no_sense_are_refused(server, body):
    problem(server.client.patch(server.library, json=body), 422)
    assert item(server)["exclude"] == []


def test_an_unknown_library_and_one_of_another_version_keep_no_patterns(server):
    problem(server.client.patch("/libraries/none-0", json={"exclude": []}), 404)
    sync(server)
    meta = server.service.default.library.path / META
    meta.write_text(json.dumps(json.loads(meta.read_text()) | {"format": 0, "exclude": ["old"]}))
    problem(exclude(server, "notes.txt"), 409)
    assert json.loads(meta.read_text())["format"] == 0
    lines = server.client.post(f"{server.library}/sync?stream=true&force=true").text.splitlines()
    assert json.loads(lines[-1])["state"] == "done"
    assert item(server)["exclude"] == ["old"]  # a person's choice outlives the format
    assert "old/c.txt" not in files(server)


# -- what it is called -------------------------------------------------------------------------


def rename(server, title):
    return server.client.patch(server.library, json={"title": title})


def test_a_title_stays_through_syncs_and_other_changes_and_is_taken_away(server, settings):
    kept = rename(server, "  Papers of the flat 🏠 ")  # before there is any index
    assert (kept.json()["name"], kept.json()["title"]) == (server.name, "Papers of the flat 🏠")
    sync(server)
    exclude(server, "old")
    server.client.post(f"{server.library}/sync?stream=true&force=true")
    assert item(server)["title"] == "Papers of the flat 🏠"
    assert library_info(server.name, settings).title == "Papers of the flat 🏠"
    assert (item(server)["exclude"], rename(server, "x" * 80).status_code) == (["old"], 200)
    for nothing in ("", "  ", None):
        rename(server, "Papers")
        assert rename(server, nothing).json()["title"] is None


@pytest.mark.parametrize(
    "title", ["a\nb", "a\tb", "a\0b", "\x1b[31mred", "a\u2028b", "x\u202egnp.exe", "a\n", "x" * 81]
)
def test_what_is_no_title_is_refused_in_words(server, title):
    problem(rename(server, title), 400)
    said = rename(server, title).json()["error"]
    assert said["message"].startswith("A title") and said["hint"]
    assert item(server)["title"] is None
    both = server.client.patch(server.library, json={"title": title, "exclude": ["old"]})
    problem(both, 400)
    assert item(server)["exclude"] == []  # all of it, or nothing


def test_a_title_outlives_the_format_of_an_index(server):
    sync(server)
    meta = server.service.default.library.path / META
    meta.write_text(json.dumps(json.loads(meta.read_text()) | {"format": 0, "title": "Papers"}))
    problem(rename(server, "Other"), 409)
    server.client.post(f"{server.library}/sync?stream=true&force=true")
    assert item(server)["title"] == "Papers"


def test_a_description_that_was_tampered_with_does_no_harm(server):
    sync(server)
    meta = server.service.default.library.path / META
    meta.write_text(json.dumps(json.loads(meta.read_text()) | {"exclude": [3, "old", None]}))
    assert item(server)["exclude"] == ["old"]
    meta.write_text(json.dumps(json.loads(meta.read_text()) | {"exclude": "old"}))
    assert item(server)["exclude"] == []
    assert sync(server)["deleted"] == 0


# -- reading one file again --------------------------------------------------------------------


def reread(server, path):
    return server.client.post(f"{server.library}/files/reread", json={"path": path})


def test_one_file_is_read_again_though_it_did_not_change(server):
    sync(server)
    started = reread(server, "letters/a.txt")
    assert (started.status_code, started.json()["state"]) == (202, "running")
    report = ended(server, server.name)["report"]
    assert (report["changed"], report["unchanged"], report["added"]) == (1, 3, 0)
    assert sync(server)["changed"] == 0


class FakeSlowSyncs:
    """Real syncs, but they wait for `release`. `asked`: what each is to read again."""

    def __init__(self, server):
        self.asked = []
        self.go = None
        self._sync = server.service.default.library.sync
        server.service.default.library.sync = self.sync
        self._server = server
        server.call(self._prepare())

    async def _prepare(self):
        self.go = asyncio.Semaphore(0)

    async def sync(self, force=False, progress=None, **how):
        self.asked.append(sorted(how["again"]))
        await self.go.acquire()
        return await self._sync(force, progress, **how)

    def release(self):
        async def let():
            self.go.release()

        self._server.call(let())


def test_a_file_waits_to_be_read_again_until_the_running_sync_has_ended(server):
    sync(server)
    held = FakeSlowSyncs(server)
    server.client.post(f"{server.library}/sync")
    for path in ("letters/a.txt", "notes.txt", "letters/a.txt"):
        assert reread(server, path).json()["state"] == "running"
    assert held.asked == [[]]
    job = server.service.default.syncing
    joined = server.client.post(f"{server.library}/sync").json()
    assert joined["state"] == "running"
    assert server.service.default.syncing is job
    held.release()
    held.release()
    server.call(job.wait())
    report = ended(server, server.name)["report"]
    assert held.asked == [[], ["letters/a.txt", "notes.txt"]]  # both in one sync
    assert (report["changed"], report["unchanged"]) == (2, 2)


def test_a_sync_that_fails_does_not_keep_the_next_from_running(server, monkeypatch):
    sync(server)
    held = FakeSlowSyncs(server)
    real = held._sync

    async def fails_once(*_, **__):
        held._sync = real
        raise RuntimeError("the disk is gone")

    held._sync = fails_once
    first = server.client.post(f"{server.library}/sync").json()
    reread(server, "notes.txt")
    held.release()
    held.release()
    end = ended(server, server.name)
    while end["state"] == "failed":  # the first one
        end = ended(server, server.name)
    assert (first["state"], end["state"]) == ("running", "done")
    assert end["report"]["changed"] == 1


@pytest.mark.parametrize("path", ["", "none.txt", "../mixed/notes.txt", "/etc/passwd", "letters"])
def test_only_a_file_that_the_index_knows_is_read_again(server, path):
    sync(server)
    problem(reread(server, path), 404)
    problem(server.client.post(f"{server.library}/files/reread", json={"file": path}), 422)
    assert server.client.get(f"{server.library}/sync").json()["state"] == "done"


def test_without_an_index_there_is_no_file_to_read_again(server):
    problem(reread(server, "notes.txt"), 409)
    assert server.client.get(f"{server.library}/sync").json()["state"] == "idle"


# -- stopping ----------------------------------------------------------------------------------


def test_a_sync_is_stopped_with_what_waits_for_its_end(server):
    sync(server)
    held = FakeSlowSyncs(server)
    server.client.post(f"{server.library}/sync")
    reread(server, "notes.txt")
    stopped = server.client.delete(f"{server.library}/sync")
    assert (stopped.status_code, stopped.json()["state"]) == (202, "cancelled")
    assert held.asked == [[]]
    assert server.client.get(f"{server.library}/sync").json()["state"] == "cancelled"
    held.release()
    assert sync(server)["unchanged"] == 4


def test_stopping_when_nothing_runs_changes_nothing(server):
    assert server.client.delete(f"{server.library}/sync").json()["state"] == "idle"
    report = sync(server)
    got = server.client.delete(f"{server.library}/sync").json()
    assert (got["state"], got["report"]) == ("done", report)
    problem(server.client.delete("/libraries/none-0/sync"), 404)


def test_a_server_that_stops_leaves_no_sync_behind(folder, settings):
    with running(folder, settings, FakeModel(ANSWER)) as server:
        sync(server)
        held = FakeSlowSyncs(server)
        server.client.post(f"{server.library}/sync")
        reread(server, "notes.txt")
        syncs = server.service.default._syncs
        jobs = [syncs._last, syncs._next]
    assert [job.state for job in jobs] == ["cancelled", "cancelled"]
    assert held.asked == [[]]


def test_a_library_is_taken_out_and_its_files_stay(server, folder, settings):
    sync(server)
    turn = server.client.post("/turns", json={"query": "How many files are there?"})
    assert turn.status_code == 202
    assert server.client.delete(server.library).status_code == 204
    assert server.name not in str(server.client.get("/libraries").json())
    assert (folder / "notes.txt").exists()
    assert not library_exists(server.name, settings)
    problem(server.client.get(f"{server.library}/files"), 404)
    problem(server.client.delete(server.library), 404)
    again = server.client.post("/libraries", json={"folder": str(folder)}).json()
    assert again["name"] == server.name


def test_a_library_whose_folder_is_gone_can_be_taken_out(folder, settings, tmp_path):
    with running(folder, settings, FakeModel(ANSWER)) as server:
        sync(server)
        (tmp_path / "other").mkdir()
    with running(tmp_path / "other", settings, FakeModel(ANSWER)) as other:
        shutil.rmtree(folder)
        assert other.client.delete(server.library).status_code == 204
        assert not library_exists(server.name, settings)


def library_exists(name, settings):
    return (settings.data_dir / "libraries" / name / META).exists()
