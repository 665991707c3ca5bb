"""A server without a library: choosing a folder of this machine, or the example."""

from __future__ import annotations

import os
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

import manole
from agent.fake_models import FakeModel
from manole.errors import LibraryError
from manole.serve.example import example_folder

from .conftest import ANSWER
from .running import LONG, running
from .test_http_ask import problem


@pytest.fixture
def own(settings, tmp_path, monkeypatch):
    """Settings of somebody whose home folder is a temporary one, and who has no library."""
    home = tmp_path / "mara"
    for path in ("Documents/letters/a.txt", "Documents/b.txt", "Music/c.txt", ".secret/d.txt"):
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text("Some words.", "utf-8")
    monkeypatch.setenv("HOME", str(home))
    return settings.model_copy(update={"data_dir": tmp_path / "data"})


@pytest.fixture
def empty(own):
    with running(None, own, FakeModel(ANSWER)) as server:
        yield server


def ended(server, name):
    """The state of the sync, once it has ended."""
    until = time.monotonic() + LONG
    while time.monotonic() < until:
        state = server.client.get(f"/libraries/{name}/sync").json()
        if state["state"] not in ("running", "idle"):
            return state
        time.sleep(0.05)
    raise AssertionError(state)


def test_without_a_library_the_server_runs_and_says_so(empty):
    assert empty.client.get("/libraries").json() == {"libraries": []}
    assert empty.client.get("/health").json()["library"] is None
    error = problem(empty.client.get("/search?q=x"), 404)
    assert "No library" in error["message"]


def test_folders_are_listed_to_choose_from(empty, tmp_path):
    home = tmp_path / "mara"
    got = empty.client.get("/folders").json()
    assert (got["path"], got["parent"], got["home"]) == (str(home), str(tmp_path), str(home))
    assert [(f["name"], f["files"]) for f in got["folders"]] == [("Documents", 2), ("Music", 1)]
    inner = empty.client.get("/folders", params={"path": got["folders"][0]["path"]}).json()
    assert [f["name"] for f in inner["folders"]] == ["letters"]
    assert inner["parent"] == str(home)
    assert empty.client.get("/folders?path=~/Documents").json() == inner
    assert empty.client.get("/folders?path=~/Documents/letters/..").json() == inner


def test_the_top_of_the_disk_has_no_parent(empty):
    got = empty.client.get("/folders?path=/").json()
    assert (got["path"], got["parent"]) == ("/", None)
    assert "tmp" in [folder["name"] for folder in got["folders"]]


def test_strange_folders_are_listed_as_far_as_a_page_can_name_them(empty, tmp_path):
    music = tmp_path / "mara" / "Music"
    (music / "ünï 音楽 <b>").mkdir()
    (music / os.fsdecode(b"bad-\xff")).mkdir()
    (music / "elsewhere").symlink_to(tmp_path / "mara" / "Documents")
    (music / "nowhere").symlink_to(tmp_path / "gone")
    got = empty.client.get("/folders?path=~/Music").json()["folders"]
    assert [folder["name"] for folder in got] == ["elsewhere", "ünï 音楽 <b>"]
    assert got[0]["path"] == str(music / "elsewhere")


@pytest.mark.parametrize(
    ("path", "status"),
    [("/no/such/folder", 404), ("~/Documents/b.txt", 404), ("Documents", 422), ("", 422),
     ("../..", 422), ("~nobody-at-all", 422), ("/a\0b", 422), ("/" + "x" * 3000, 404),
     ("/" + "x" * 5000, 422)],
)  # fmt: skip
def test_no_folder_and_a_relative_path_are_refused(empty, path, status):
    problem(empty.client.get("/folders", params={"path": path}), status)
    problem(empty.client.post("/libraries", json={"folder": path}), status)
    assert empty.client.get("/libraries").json() == {"libraries": []}


def test_a_chosen_folder_is_opened_synced_and_the_default(empty, tmp_path):
    made = empty.client.post("/libraries", json={"folder": "~/Documents"})
    assert made.status_code == 201
    item = made.json()
    assert item["roots"] == [str(tmp_path / "mara" / "Documents")]
    assert (item["default"], item["indexed"], item["exclude"]) == (True, False, [])
    assert ended(empty, item["name"])["state"] == "done"
    (listed,) = empty.client.get("/libraries").json()["libraries"]
    assert (listed["name"], listed["indexed"], listed["files"]) == (item["name"], True, 2)
    assert empty.client.get("/health").json()["library"] == item["name"]
    (found,) = empty.client.get("/search?q=words").json()["results"]
    assert (found["file"], found["also"]) == ("b.txt", ["letters/a.txt"])


def test_the_same_folder_twice_is_one_library_and_an_inner_one_another(empty):
    def add(folder):
        return empty.client.post("/libraries", json={"folder": folder}).json()["name"]

    name = add("~/Documents")
    assert add("~/Documents/") == name
    inner = add("~/Documents/letters")
    assert inner != name
    listed = empty.client.get("/libraries").json()["libraries"]
    assert {item["name"]: item["default"] for item in listed} == {name: False, inner: True}


@pytest.mark.parametrize("folder", ["/", "//", "/tmp/..", "~/up"])
def test_the_whole_disk_is_refused(empty, tmp_path, folder):
    (tmp_path / "mara" / "up").symlink_to("/")
    error = problem(empty.client.post("/libraries", json={"folder": folder}), 409)
    assert "whole disk" in error["message"]
    assert empty.client.get("/libraries").json() == {"libraries": []}


@pytest.mark.parametrize("body", [{}, {"folder": 3}, {"folder": "~", "x": 1}, [], {"folder": None}])
def test_a_folder_is_a_text(empty, body):
    problem(empty.client.post("/libraries", json=body), 422)


def test_the_example_is_copied_with_its_dates_and_opened(empty, own):
    made = empty.client.post("/libraries/example")
    assert made.status_code == 201
    item = made.json()
    copy = own.data_dir / "example"
    assert (item["roots"], item["default"]) == ([str(copy)], True)
    contract = (copy / "home" / "rental-contract.pdf").stat()
    assert datetime.fromtimestamp(contract.st_mtime, UTC).date().isoformat() == "2022-02-04"
    days = {file.stat().st_mtime_ns for file in copy.rglob("*") if file.is_file()}
    assert len(days) == 59  # each file has a day of its own
    assert [path.name for path in own.data_dir.iterdir() if "example" in path.name] == ["example"]
    stopped = empty.client.delete(f"/libraries/{item['name']}/sync")
    assert (stopped.status_code, stopped.json()["state"]) == (202, "cancelled")


def test_an_example_that_was_changed_stays_as_it_is(tmp_path):
    copy = example_folder(tmp_path / "data")
    (copy / "contacts.vcf").unlink()
    assert example_folder(tmp_path / "data") == copy
    assert not (copy / "contacts.vcf").exists()


def test_an_example_of_a_read_only_installation_can_be_changed(tmp_path, monkeypatch):
    """As a wheel has it: inside the package, and written by somebody else."""
    examples = Path(__file__).parents[2] / "examples"
    package = tmp_path / "lib" / "manole"
    shutil.copytree(examples / "household", package / "example" / "household")
    shutil.copy(examples / "household_maker" / "dates.json", package / "example" / "dates.json")
    for path in (package / "example").rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    monkeypatch.setattr(manole, "__file__", str(package / "__init__.py"))
    copy = example_folder(tmp_path / "data")
    assert len([file for file in copy.rglob("*") if file.is_file()]) == 59
    modes = {path.stat().st_mode & 0o200 for path in copy.rglob("*")}
    assert modes == {0o200}


def test_an_example_that_cannot_be_had_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LibraryError, match="cannot be copied"):
        example_folder(tmp_path / "file")
    monkeypatch.setattr(manole, "__file__", str(tmp_path / "lib" / "manole" / "__init__.py"))
    with pytest.raises(LibraryError, match="did not come with"):
        example_folder(tmp_path / "data")
    assert not (tmp_path / "data").exists()


# -- who may ask -------------------------------------------------------------------------------

CHANGES = [
    ("GET", "/folders", None),
    ("POST", "/libraries", {"folder": "~/Music"}),
    ("POST", "/libraries/example", None),
    ("PATCH", "/libraries/{name}", {"exclude": ["*.txt"]}),
    ("POST", "/libraries/{name}/files/reread", {"path": "b.txt"}),
    ("PATCH", "/settings", {"agent.thorough": True}),
    ("POST", "/models/smollm2-135m-instruct/fetch", None),
    ("DELETE", "/models/smollm2-135m-instruct/fetch", None),
]


@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
def test_what_changes_this_machine_is_refused_to_others(empty, own, method, path, body):
    """No such server starts without a token; the routes refuse all the same."""
    name = empty.client.post("/libraries", json={"folder": "~/Documents"}).json()["name"]
    ended(empty, name)
    before = empty.client.get("/libraries").json()

    def ask(headers=None, **serve):
        chosen = empty.service.settings.serve.model_copy(update=serve)
        empty.service.settings = own.model_copy(update={"serve": chosen})
        return empty.client.request(method, path.format(name=name), json=body, headers=headers)

    for refused in (ask({"X-Forwarded-For": "10.0.0.7"}), ask(host="0.0.0.0")):
        error = problem(refused, 403)
        assert error["code"] == "not_here"
        assert "token" in error["message"]
    assert empty.client.get("/libraries").json() == before
    if method == "GET":
        assert ask(host="0.0.0.0", token="a-token-of-sixteen-or-more").status_code == 200
