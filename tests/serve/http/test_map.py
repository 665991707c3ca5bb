"""The map of files over HTTP."""

from __future__ import annotations

import threading

import pytest

from agent.fake_models import FakeModel
from manole.index.graph import build
from serve.conftest import ANSWER
from serve.running import running
from serve.test_http_ask import problem

FILES = {
    "letters/bank.txt": "Please pay the plumber, plumber@example.com, see soup.md",
    "letters/plumber.txt": "Write to plumber@example.com. Yours, the plumber",
    "soup.md": "Lentil soup: cook the lentils for twenty minutes with carrots.",
    "stew.md": "Lentil stew: cook lentils and carrots for thirty minutes.",
    "blank.txt": "",
}


@pytest.fixture
def mapped(tmp_path, settings):
    """A server over a small folder, synced by itself."""
    folder = tmp_path / "mapped"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    with running(folder, settings, FakeModel(ANSWER)) as server:
        synced(server)
        server.folder = folder
        yield server


def synced(server):
    said = server.client.post(f"{server.library}/sync", params={"stream": True}).text
    assert '"state": "done"' in said.splitlines()[-1]


def graph(server, **params):
    return server.client.get(f"{server.library}/graph", params=params).json()


def joined(told, relation):
    ids = [node["id"] for node in told["nodes"]]
    return {
        (ids[a], ids[b]): (weight, why) for a, b, r, weight, why in told["edges"] if r == relation
    }


def test_the_map_has_nodes_and_edges_between_their_places(mapped):
    told = graph(mapped)
    assert set(told) == {"nodes", "edges"}
    ids = [node["id"] for node in told["nodes"]]
    assert ids == sorted(["/", "letters/", *FILES.keys() - {"blank.txt"}])
    assert told["nodes"][ids.index("soup.md")] == {
        "id": "soup.md", "kind": "file", "format": "markdown", "size": len(FILES["soup.md"]),
        "date": None, "title": None,
    }  # fmt: skip
    assert joined(told, "reference") == {
        ("letters/bank.txt", "letters/plumber.txt"): (1.0, "e-mail plumber@example.com"),
        ("letters/bank.txt", "soup.md"): (1.0, "file name soup.md"),
    }
    assert ("soup.md", "stew.md") in joined(told, "similarity")
    assert {("letters/", "letters/bank.txt"), ("/", "soup.md")} <= joined(told, "structure").keys()


def test_the_threshold_is_that_of_similarity(mapped):
    assert joined(graph(mapped, threshold=1), "similarity") == {}
    assert len(joined(graph(mapped, threshold=0), "similarity")) > 1
    assert joined(graph(mapped, threshold=1), "reference")


@pytest.mark.parametrize("threshold", ["-0.1", "1.1", "nan", "inf", "x", ""])
def test_another_threshold_is_refused(mapped, threshold):
    problem(mapped.client.get(f"{mapped.library}/graph", params={"threshold": threshold}), 422)


def test_the_map_follows_a_sync(mapped):
    before = graph(mapped)
    assert graph(mapped) == before
    (mapped.folder / "stew.md").rename(mapped.folder / "letters" / "stew.md")
    (mapped.folder / "soup.md").unlink()
    (mapped.folder / "new.md").write_text("plumber@example.com again", "utf-8")
    synced(mapped)
    after = graph(mapped)
    ids = {node["id"] for node in after["nodes"]}
    assert {"letters/stew.md", "new.md"} <= ids
    assert not {"stew.md", "soup.md"} & ids
    assert ("letters/bank.txt", "new.md") in joined(after, "reference")


def test_many_that_ask_at_once_cause_one_computation(mapped, monkeypatch):
    calls = []
    real = build._graph
    monkeypatch.setattr(build, "_graph", lambda *given: calls.append(1) or real(*given))
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(graph(mapped))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 6
    assert all(answer == answers[0] for answer in answers)
    assert len(calls) == 1


def test_a_library_that_is_unknown_or_not_indexed_has_no_map(mapped, tmp_path, settings):
    problem(mapped.client.get("/libraries/none-0/graph"), 404)
    (tmp_path / "fresh").mkdir()
    with running(tmp_path / "fresh", settings, FakeModel(ANSWER)) as server:
        problem(server.client.get(f"{server.library}/graph"), 409)
