"""Turns as jobs of the server: they go on when nobody reads, and can be read again."""

from __future__ import annotations

import asyncio
import threading

import pytest

from agent.fake_models import FakeBreakingModel
from manole.agent.conversations import Conversations
from manole.agent.events import Stopped
from manole.errors import ModelError
from manole.serve.turn_recorder import TurnRecorder

from .running import LONG, FakeWaitingModel, running
from .test_http_ask import COUNT, NOTICE, events, problem


def begin(server, asked=NOTICE, **more):
    response = server.client.post("/turns", json={**asked, **more})
    assert response.status_code == 202, response.text
    return response.json()


def follow(server, turn, after=0):
    return server.client.get(f"/turns/{turn['id']}/events", params={"after": after})


def talk(server):
    made = server.client.post(f"/libraries/{server.name}/conversations")
    return made.json()["id"]


def kept(server, id):
    path = f"/libraries/{server.name}/conversations/{id}"
    return server.client.get(path).json()["turns"]


@pytest.fixture
def waiting(indexed, settings):
    """A server whose model waits, and that model."""
    model = FakeWaitingModel()
    with running(indexed, settings, model) as server:
        yield server, model
        model.go.set()


def test_a_turn_is_read_to_its_end_and_from_any_event_on(server):
    turn = begin(server, COUNT)
    whole = events(follow(server, turn))
    assert whole[-1].type == "complete"
    assert "2 PDF files" in whole[-1].answer
    for after in (1, len(whole) - 1, len(whole), 99):
        assert events(follow(server, turn, after)) == whole[after:]


def test_a_turn_goes_on_when_its_reader_leaves(waiting):
    server, model = waiting
    id = talk(server)
    turn = begin(server, conversation=id)
    with server.client.stream("GET", f"/turns/{turn['id']}/events") as response:
        next(response.iter_lines())
    assert model.began.acquire(timeout=LONG)
    (shown,) = server.client.get("/turns", params={"library": server.name}).json()["turns"]
    assert (shown["id"], shown["state"], shown["conversation"]) == (turn["id"], "running", id)
    model.go.set()
    assert events(follow(server, turn))[-1].answer
    (shown,) = server.client.get("/turns").json()["turns"]
    assert (shown["id"], shown["state"]) == (turn["id"], "done")
    assert server.client.get("/turns", params={"library": "other-00000000"}).json() == {"turns": []}
    assert kept(server, id)[0]["events"][-1]["type"] == "complete"


def test_two_readers_read_the_same(waiting):
    server, model = waiting
    turn = begin(server)
    path = f"/turns/{turn['id']}/events"
    with server.client.stream("GET", path) as one, server.client.stream("GET", path) as other:
        first, second = one.iter_lines(), other.iter_lines()
        assert next(first) == next(second)
        model.go.set()
        assert list(first) == list(second)


def test_stop_ends_a_turn_and_is_kept(waiting):
    server, model = waiting
    id = talk(server)
    turn = begin(server, conversation=id)
    assert model.began.acquire(timeout=LONG)
    assert server.client.delete(f"/turns/{turn['id']}").status_code == 204
    assert model.stopped.acquire(timeout=LONG)
    assert events(follow(server, turn))[-1].type == "stopped"
    assert kept(server, id)[0]["events"][-1]["type"] == "stopped"
    assert server.client.delete(f"/turns/{turn['id']}").status_code == 204


def test_who_has_to_wait_is_told(waiting):
    server, model = waiting
    begin(server)
    assert model.began.acquire(timeout=LONG)
    second = begin(server)
    with server.client.stream("GET", f"/turns/{second['id']}/events") as response:
        assert any("comes after it" in line for line in response.iter_lines())
        model.go.set()


def test_what_fails_in_a_turn_is_told_in_it(indexed, settings):
    with running(indexed, settings, FakeBreakingModel("x")) as server:
        got = events(follow(server, begin(server)))
        assert "error" in {event.type for event in got}
        assert got[-1].type == "complete"


def test_a_server_that_ends_leaves_a_turn_broken_off(indexed, settings):
    model = FakeWaitingModel()
    with running(indexed, settings, model) as server:
        id = talk(server)
        begin(server, conversation=id)
        assert model.began.acquire(timeout=LONG)
    with running(indexed, settings, model) as server:
        (turn,) = kept(server, id)
        assert turn["events"]
        assert turn["events"][-1]["type"] not in {"complete", "stopped"}


@pytest.mark.parametrize("path", ["0" * 16, "abc", "0" * 17])
def test_a_turn_that_is_not_there_is_not_found(server, path):
    for response in (
        server.client.get(f"/turns/{path}/events"),
        server.client.delete(f"/turns/{path}"),
    ):
        assert response.status_code in {404, 422}, response.text


def test_what_cannot_be_asked_is_refused_at_once(server):
    assert "empty" in problem(server.client.post("/turns", json={"query": "?!"}), 400)["message"]
    unknown = {"query": "x", "conversation": "a" * 14}
    assert problem(server.client.post("/turns", json=unknown), 404)
    problem(server.client.post("/turns", json={}), 422)


def test_what_is_stopped_at_once_is_kept_as_stopped(waiting):
    server, _ = waiting
    id = talk(server)
    turn = begin(server, conversation=id)
    server.client.delete(f"/turns/{turn['id']}")
    server.client.delete(f"/turns/{turn['id']}")
    assert events(follow(server, turn))[-1].type == "stopped"
    assert server.client.get("/turns").json()["turns"][-1]["state"] == "stopped"
    assert [t["events"][-1]["type"] for t in kept(server, id)] == ["stopped"]


async def test_what_is_stopped_while_the_disk_is_slow_is_kept_as_stopped(settings, monkeypatch):
    store = Conversations.of(settings, "flat-00000000")
    id = store.create().id
    read, slow, ready = store.history, threading.Event(), threading.Event()

    def late(*asked):
        slow.set()
        assert ready.wait(LONG)
        return read(*asked)

    monkeypatch.setattr(store, "history", late)
    recorder = TurnRecorder(store, id)
    beginning = asyncio.create_task(recorder.begin("How high is the rent?", None, 4))
    assert await asyncio.to_thread(slow.wait, LONG)
    beginning.cancel()
    with pytest.raises(asyncio.CancelledError):
        await beginning
    ready.set()
    await recorder.ended(Stopped())
    (turn,) = store.turns(id)
    assert (turn.question, turn.events) == ("How high is the rent?", (Stopped(),))
    store.close()


def test_why_a_turn_failed_is_kept(indexed, settings, monkeypatch):
    def fails(*_args, **_more):
        raise ModelError("The engine is gone.", "Restart.")

    monkeypatch.setattr("manole.serve.open_library.make", fails)
    with running(indexed, settings, FakeWaitingModel()) as server:
        id = talk(server)
        told, end = events(follow(server, begin(server, conversation=id)))[-2:]
        assert (told.type, told.message, end.type) == ("error", "The engine is gone.", "complete")
        assert [e["type"] for e in kept(server, id)[0]["events"]] == ["error", "complete"]
