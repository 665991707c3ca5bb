"""Everything over HTTP but questions: search, libraries, syncs, files, pages, conversations."""

from __future__ import annotations

import io
import json
import os

import pytest
from PIL import Image

from agent.fake_models import FakeModel
from manole import __version__

from .conftest import ANSWER
from .running import running
from .test_http_ask import problem

NOTICE = {"query": "What is the notice period?", "strategy": "simple"}


# -- /search -----------------------------------------------------------------------------------


def test_search_gives_passages_the_best_first(server):
    got = server.client.get("/search", params={"q": "notice period of the flat"}).json()
    assert list(got) == ["results", "query", "waiting"]
    for item in got["results"]:
        assert set(item) == {
            "file", "page", "line", "line_end", "score", "text", "also", "title", "date",
            "modified", "format", "snippet", "marks",
        }  # fmt: skip
    scores = [item["score"] for item in got["results"]]
    assert scores == sorted(scores, reverse=True)
    assert got["results"][0]["file"] == "home/rental-contract.pdf"


def test_search_has_filters(server):
    def files(**params):
        found = server.client.get("/search", params={"q": "boiler flat flour"} | params).json()
        return {item["file"] for item in found["results"]}

    everything = files()
    assert {"home/rental-contract.pdf", "recipes/pancakes.md"} <= everything
    assert files(path="recipes/") == {"recipes/pancakes.md"}
    assert files(type="pdf") == {"home/rental-contract.pdf"}
    assert files(library=server.name) == everything
    assert len(server.client.get("/search?q=flat&limit=1").json()["results"]) == 1
    assert files(since="2999-01-01") == set()
    assert files(until="1900-01-01") == set()


def test_about_gathers_what_names_it(server):
    got = server.client.get("/about", params={"name": "the flat", "limit": 1}).json()
    assert got["places"] == sum(section["count"] for section in got["sections"]) > 0
    items = [item for section in got["sections"] for item in section["items"]]
    assert "home/rental-contract.pdf" in {item["file"] for item in items}
    nothing = server.client.get("/about", params={"name": "Zebulon"}).json()
    assert (nothing["places"], nothing["sections"], nothing["summary"]) == (0, [], [])
    problem(server.client.get("/about?name=%20"), 400)
    for wrong in ("", "name=a&limit=0", f"name={'a' * 300}"):
        problem(server.client.get(f"/about?{wrong}"), 422)


def test_grep_gives_every_line_and_their_number(server):
    got = server.client.get("/grep", params={"q": "NOTICE period", "limit": 1}).json()
    assert (got["total"], got["files"], got["next_offset"]) == (2, 1, 1) and got["searched"] > 1
    ((start, end),) = got["lines"][0]["marks"]
    assert got["lines"][0]["text"][start:end] == "notice period"
    assert got["lines"][0]["file"] == "home/rental-contract.pdf"
    counted = server.client.get("/grep", params={"q": "notice", "count": True}).json()
    assert counted["lines"] == [] and counted["counts"][0]["lines"] > 0
    exact = server.client.get("/grep", params={"q": "NOTICE", "case": True}).json()
    assert exact["total"] == 0
    problem(server.client.get("/grep", params={"q": "(a", "regex": True}), 400)
    problem(server.client.get("/grep?q=%20"), 400)
    assert server.client.get("/grep?q=a&path=../b").json()["searched"] == 0


def test_check_looks_sentences_up(server):
    text = "The notice period of the tenants is three months."
    (one,) = server.client.post("/check", json={"text": text}).json()["sentences"]
    assert set(one) == {"sentence", "verdict", "quote", "file", "page", "line", "differs"}
    assert one["sentence"] == text and one["file"] == "home/rental-contract.pdf"
    assert server.client.post("/check", json={"text": "What?"}).json() == {"sentences": []}
    problem(server.client.post("/check", json={"text": "a", "other": 1}), 422)


def test_search_for_pages_gives_the_lines_that_fit(server):
    got = server.client.get("/search/pages", params={"q": "notice period of the flat"}).json()
    best = got["results"][0]
    assert (best["file"], best["page"]) == ("home/rental-contract.pdf", 1)
    assert all(0 <= side <= 1 for line in best["lines"] for side in line["box"])
    nowhere = server.client.get("/search/pages", params={"q": "flat", "path": "recipes"}).json()
    assert nowhere == {"results": []}
    problem(server.client.get("/search/pages?q=%20"), 400)
    problem(server.client.get("/search/pages?q=x&limit=51"), 422)


@pytest.mark.parametrize(
    ("query", "status"),
    [("", 422), ("q=", 400), ("q=%20", 400), ("q=x&limit=0", 422), ("q=x&limit=201", 422),
     ("q=x&since=yesterday", 422), ("q=x&library=none-0", 404)],
)  # fmt: skip
def test_search_refuses_what_makes_no_sense(server, query, status):
    problem(server.client.get(f"/search?{query}"), status)


# -- /libraries --------------------------------------------------------------------------------


def test_libraries_are_listed(server, indexed):
    (item,) = [
        item
        for item in server.client.get("/libraries").json()["libraries"]
        if item["name"] == server.name
    ]
    assert item["roots"] == [str(indexed)]
    assert item["default"]
    assert item["files"] > 4


def test_status_counts_files_and_gives_reasons(server):
    whole = server.client.get(f"{server.library}/status").json()
    assert whole["counts"]["failed"] == 1
    assert sum(whole["counts"].values()) == whole["total"] == len(whole["files"])
    assert whole["files"][0]["file"] == "bad.pdf"  # what failed comes first
    assert whole["files"][0]["reason"]
    failed = server.client.get(f"{server.library}/status?status=failed").json()
    assert [file["file"] for file in failed["files"]] == ["bad.pdf"]
    assert failed["counts"] == whole["counts"]


def test_files_come_in_pages(server):
    def files(**params):
        return server.client.get(f"{server.library}/files", params=params).json()

    names = [file["file"] for file in files()["files"]]
    assert names == sorted(names)
    one = files(limit=1, offset=1)
    assert ([file["file"] for file in one["files"]], one["total"]) == (names[1:2], len(names))
    assert [file["file"] for file in files(path="recipes")["files"]] == ["recipes/pancakes.md"]
    assert files(path="recip")["files"] == []


def test_a_sync_finds_what_is_new_and_is_watched(tmp_path, settings):
    folder = tmp_path / "fresh"
    folder.mkdir()
    (folder / "one.txt").write_text("The first file.", "utf-8")
    with running(folder, settings, FakeModel(ANSWER)) as server:
        path = f"{server.library}/sync"
        assert server.client.get(path).json()["state"] == "idle"
        response = server.client.post(path, params={"stream": True})
        assert response.status_code == 202
        assert response.headers["content-type"] == "application/x-ndjson"
        states = [json.loads(line) for line in response.text.splitlines()]
        assert [state["state"] for state in states][-1] == "done"
        assert {state["state"] for state in states[:-1]} == {"running"}
        assert states[-1]["report"]["added"] == 1
        assert server.client.get(path).json() == states[-1]
        (folder / "two.txt").write_text("The second file.", "utf-8")
        started = server.client.post(path)
        assert (started.status_code, started.json()["state"]) == (202, "running")
        joined = server.client.post(path, params={"stream": True}).text.splitlines()
        assert json.loads(joined[-1])["report"]["added"] == 1
        assert server.client.get("/search?q=second").json()["results"][0]["file"] == "two.txt"


def test_a_library_that_is_being_indexed_says_so(tmp_path, settings, monkeypatch):
    folder = tmp_path / "big"
    folder.mkdir()
    with running(folder, settings, FakeModel(ANSWER)) as server:
        opened = server.service.default

        async def finished():
            job = opened.sync()
            await job.wait()
            return job

        server.call(finished()).state = "running"
        monkeypatch.setattr(opened.library, "store", _no_index)
        error = problem(server.client.get("/search?q=x"), 409)
        assert "is being indexed" in error["message"]
        assert "/sync" in error["hint"]
        opened.syncing.state = "done"


async def _no_index():
    from manole.errors import NotIndexedError

    raise NotIndexedError("big has no index yet.", "Run `manole index`.")


# -- files and pages ---------------------------------------------------------------------------


def content(server, path, **params):
    return server.client.get(f"{server.library}/files/content", params={"path": path} | params)


@pytest.mark.parametrize(
    ("path", "kind", "shown"),
    [("home/rental-contract.pdf", "application/pdf", "inline"),
     ("home/floor-plan.png", "image/png", "inline"),
     ("page.html", "application/octet-stream", "attachment"),
     ("größe 1.txt", "application/octet-stream", "attachment")],
)  # fmt: skip
def test_a_file_comes_as_it_is_with_safe_headers(server, indexed, path, kind, shown):
    got = content(server, path)
    assert got.content == (indexed / path).read_bytes()
    assert got.headers["content-type"] == kind
    assert got.headers["content-disposition"].startswith(shown)
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["content-security-policy"].startswith("sandbox")
    assert content(server, path, download=True).headers["content-disposition"].startswith("attach")


def test_a_part_of_a_file(server, indexed):
    got = server.client.get(
        f"{server.library}/files/content?path=page.html", headers={"Range": "bytes=0-3"}
    )
    assert (got.status_code, got.content) == (206, b"<h1>")


def test_a_page_is_a_picture_of_the_width_asked_for(server):
    path = f"{server.library}/pages?path=home/rental-contract.pdf"
    got = server.client.get(f"{path}&page=2&width=300")
    assert got.headers["content-type"] == "image/png"
    picture = Image.open(io.BytesIO(got.content))
    assert abs(picture.width - 300) <= 1
    assert picture.height > picture.width
    assert len(picture.convert("L").getcolors()) > 2  # something is drawn
    assert got.content != server.client.get(f"{path}&page=1&width=300").content
    problem(server.client.get(f"{path}&page=99"), 404)
    problem(server.client.get(f"{path}&width=9000"), 422)
    problem(server.client.get(f"{server.library}/pages?path=page.html"), 404)
    problem(server.client.get(f"{server.library}/pages?path=bad.pdf"), 422)


# -- conversations -----------------------------------------------------------------------------


@pytest.fixture
def talks(server):
    return f"{server.library}/conversations"


def test_a_conversation_from_its_beginning_to_its_end(server, talks):
    client = server.client
    made = client.post(talks, json={})
    assert made.status_code == 201
    path = f"{talks}/{made.json()['id']}"
    asked = NOTICE | {"conversation": made.json()["id"]}
    lines = client.post("/agentic_search", json=asked).text.splitlines()
    whole = client.get(path).json()
    (turn,) = whole["turns"]
    assert (turn["n"], turn["question"]) == (1, NOTICE["query"])
    assert turn["events"] == [json.loads(line) for line in lines]
    assert whole["conversation"]["turns"] == 1
    renamed = client.patch(path, json={"title": "The flat"}).json()
    assert renamed["title"] == "The flat"
    listed = client.get(talks, params={"containing": "flat"}).json()["conversations"]
    assert renamed in listed
    assert client.post(f"{path}/turns/1/feedback", json={"rating": "up"}).status_code == 204
    assert client.get(path).json()["turns"][0]["rating"] == "up"
    text = client.get(f"{path}/export")
    assert text.headers["content-type"].startswith("text/markdown")
    assert text.headers["content-disposition"].startswith("attachment")
    assert NOTICE["query"] in text.text
    assert client.get(f"{path}/export?format=json").json()
    assert client.delete(path).status_code == 204
    assert problem(client.get(path), 404)["code"] == "conversation_not_found"


def test_conversations_of_all_libraries_are_listed_the_latest_first(server, talks):
    client = server.client
    first, other, last = (
        client.post(path, json={"title": title}).json()["id"]
        for path, title in (
            (talks, "Zebra one"), ("/libraries/all/conversations", "Zebra two"), (talks, "Zebra x"),
        )
    )  # fmt: skip

    def listed(**wanted):
        found = client.get("/conversations", params={"containing": "zebra"} | wanted).json()
        return [(item["library"], item["id"]) for item in found["conversations"]]

    everything = [(server.name, last), ("all", other), (server.name, first)]
    assert listed() == everything
    assert listed(limit=1, offset=1) == everything[1:2]
    assert listed(containing="zebra x") == everything[:1]


def test_a_follow_up_reads_what_is_kept(server, talks):
    model = server.service.queue._model
    id = server.client.post(talks).json()["id"]
    for question in ("How high is the deposit of the flat?", "And which colour has it?"):
        before = len(model.prompts)
        asked = {"query": question, "conversation": id, "scope": "home/rental-contract.pdf"}
        assert server.client.post("/agentic_search", json=asked).status_code == 200
    assert any("deposit of the flat" in prompt for prompt in model.prompts[before:])


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("GET", "", None), ("PATCH", "", {"title": "x"}), ("DELETE", "", None),
     ("GET", "/export", None), ("POST", "/turns/1/feedback", {"rating": "up"})],
)  # fmt: skip
def test_an_unknown_conversation_is_not_found(server, talks, method, path, body):
    got = server.client.request(method, f"{talks}/aaaaaaaaaaaaaa{path}", json=body)
    problem(got, 404)


def test_an_unknown_turn_is_not_found(server, talks):
    id = server.client.post(talks).json()["id"]
    problem(server.client.post(f"{talks}/{id}/turns/1/feedback", json={"rating": "up"}), 404)
    problem(server.client.post(f"{talks}/{id}/turns/1/feedback", json={"rating": "so"}), 422)
    problem(server.client.patch(f"{talks}/{id}", json={"title": ""}), 400)


# -- /health and what is not there --------------------------------------------------------------


def test_health(server):
    got = server.client.get("/health").json()
    assert got["status"] == "ok"
    assert got["version"] == __version__
    assert got["library"] == server.name
    assert got["model"]["loaded"]
    assert got["queue"] == {"turns": 0, "waiting": 0, "limit": 16, "at_once": 1}


def test_what_is_not_there_has_the_same_body(server):
    assert problem(server.client.get("/nothing"), 404)["code"] == "not_found"
    refused = server.client.put("/health")
    assert problem(refused, 405)["code"] == "method_not_allowed"
    assert refused.headers["allow"] == "GET"
    problem(server.client.get("/libraries/none-0/files"), 404)
    assert server.client.get("/docs").status_code == 404  # loads scripts from elsewhere


def test_a_file_that_may_not_be_read_is_refused_by_name(server, monkeypatch):
    real = os.open

    def fake_open(path, *others, **more):  # root, who may run the tests, may read everything
        if path == "page.html":
            raise PermissionError(13, "Permission denied", path)
        return real(path, *others, **more)

    monkeypatch.setattr(os, "open", fake_open)
    answer = server.client.get(f"{server.library}/files/content", params={"path": "page.html"})
    assert answer.status_code == 403
    assert "page.html" in answer.json()["error"]["message"]


def test_a_private_key_is_given_to_nobody(tmp_path, settings):
    folder = tmp_path / "keys"
    folder.mkdir()
    (folder / "holiday.txt").write_text(f"-----BEGIN RSA PRIVATE KEY-----\n{'MIIE' * 30}\n")
    (folder / "note.txt").write_text("A note.")
    with running(folder, settings, FakeModel("")) as server:
        server.client.post(f"{server.library}/sync?stream=true")
        asked = {"path": "holiday.txt"}
        for place in ("files/content", "view"):
            answer = server.client.get(f"{server.library}/{place}", params=asked)
            assert answer.status_code == 403
            assert "MIIE" not in answer.text
        found = server.client.get("/search", params={"q": "MIIE", "library": server.name})
        assert "MIIEMIIE" not in found.text


@pytest.mark.parametrize("folder", ["/", "/proc", "/proc/self", "/dev"])
def test_the_systems_own_state_is_no_library(server, folder):
    answer = server.client.post("/libraries", json={"folder": folder})
    assert answer.is_client_error
    said = answer.json()["error"]["message"]
    assert "system's own state" in said or "whole disk" in said
