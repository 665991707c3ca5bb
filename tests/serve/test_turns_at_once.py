"""Several questions answered at once, and not where one model takes one: over every way in."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, aclosing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from manole.agent.events import Complete, Token
from manole.serve.queue import QUESTIONS
from manole.serve.service import Service
from manole.settings import ModelSettings, ServeSettings, Settings

from .running import LONG, FakeWaitingModel, Running, running, until

NOTICE = {"query": "What is the notice period?", "strategy": "simple"}


def ask(server: Running, **more):
    """A stream that has been asked for; it need not have begun."""
    return server.client.stream("POST", "/agentic_search", json=NOTICE | more)


def last(response: httpx.Response):
    *_, end = response.iter_lines()
    return json.loads(end)


def in_a_thread(server: Running, **more):
    """Ask aside; gives what fetches the last event."""
    ends: list[dict] = []

    def work():
        with ask(server, **more) as response:
            ends.append(last(response))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()

    def end():
        thread.join(LONG)
        return ends[0]

    return end


# -- over HTTP, with endpoints -----------------------------------------------------------------


class FakeMeeting:
    """An endpoint over real HTTP that answers when so many calls are there, or when told to.

    `heard` are the beginnings and ends of its answers; `most` is how many it ever made at once.
    """

    def __init__(self, calls: int) -> None:
        self.meeting = threading.Barrier(calls)
        self.heard: list[str] = []
        self.most = self.now = 0
        self._lock = threading.Lock()

    def note(self, what: str, change: int) -> None:
        with self._lock:
            self.heard.append(what)
            self.now += change
            self.most = max(self.most, self.now)


@contextmanager
def meeting(calls: int) -> Iterator[tuple[str, FakeMeeting]]:
    """Serve one; gives its address."""
    place = FakeMeeting(calls)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            place.note("begin", 1)
            place.meeting.wait(LONG)
            place.note("end", -1)
            self.send_response(200)
            self.end_headers()
            for choice in (
                {"delta": {"content": "The notice period is three months."}},
                {"delta": {}, "finish_reason": "stop"},
            ):
                self.wfile.write(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", place
    finally:
        place.meeting.abort()
        server.shutdown()
        server.server_close()


def remote(settings: Settings, *urls: str) -> Settings:
    chosen = ModelSettings(name="openai:m", base_url=", ".join(urls))
    return settings.model_copy(update={"model": chosen})


@pytest.mark.parametrize("turns", [1, 2])
def test_two_questions_meet_at_the_endpoint_where_two_are_allowed(indexed, settings, turns):
    with (
        meeting(turns) as (url, place),
        running(indexed, remote(settings, url), None, turns=turns) as server,
    ):
        ends = [in_a_thread(server) for _ in range(2)]
        assert all("three months" in end()["answer"] for end in ends)
    assert place.most == turns
    alternating = ["begin", "end", "begin", "end"]
    assert (place.heard == alternating) == (turns == 1)


def test_without_a_setting_each_endpoint_gets_four(indexed, settings):
    with (
        meeting(4) as (one, first),
        meeting(4) as (two, second),
        running(indexed, remote(settings, one, two), None) as server,
    ):
        assert server.client.get("/health").json()["queue"]["at_once"] == 8
        ends = [in_a_thread(server) for _ in range(8)]
        assert all("three months" in end()["answer"] for end in ends)
    assert (first.most, second.most) == (4, 4)  # spread: with five at one, three never meet


# -- over HTTP, with the model's every word held back ------------------------------------------


def test_what_runs_what_waits_and_what_is_refused(indexed, settings):
    model = FakeWaitingModel()
    with (
        running(indexed, settings, model, turns=2) as server,
        ask(server) as first,
        ask(server) as second,
    ):
        assert all(model.began.acquire(timeout=LONG) for _ in range(2))
        others = [in_a_thread(server) for _ in range(QUESTIONS - 2)]
        until(server, turns=QUESTIONS, waiting=QUESTIONS - 2)
        assert model.calls == 2
        refused = server.client.post("/agentic_search", json=NOTICE)
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) >= 1
        model.go.set()
        ends = (last(first), last(second), *(other() for other in others))
        assert {end["type"] for end in ends} == {"complete"}
        until(server, turns=0, waiting=0)


def test_a_place_is_free_again_when_a_reader_leaves(indexed, settings):
    model = FakeWaitingModel()
    with (
        running(indexed, settings, model, turns=2) as server,
        ask(server) as first,
    ):
        with ask(server):
            assert all(model.began.acquire(timeout=LONG) for _ in range(2))
            third = in_a_thread(server)
            until(server, turns=3, waiting=1)
        assert model.stopped.acquire(timeout=LONG)
        assert model.began.acquire(timeout=LONG)  # the third one's
        model.go.set()
        assert (last(first)["type"], third()["type"]) == ("complete", "complete")


def test_a_server_that_stops_ends_all_that_run_and_wait(indexed, settings):
    model = FakeWaitingModel()
    with ExitStack() as streams:
        server = streams.enter_context(running(indexed, settings, model, turns=2))
        responses = [streams.enter_context(ask(server)) for _ in range(3)]
        assert all(model.began.acquire(timeout=LONG) for _ in range(2))
        until(server, turns=3, waiting=1)
        server.stop()
        for response in responses:
            *_, error, end = (json.loads(line) for line in response.iter_lines())
            assert (error["type"], end["type"]) == ("error", "complete")
            assert "stopping" in error["message"]
    assert all(model.stopped.acquire(timeout=LONG) for _ in range(2))
    assert model.calls == 2


def test_turns_of_one_conversation_never_overlap(indexed, settings):
    model = FakeWaitingModel()
    with running(indexed, settings, model, turns=2) as server:
        made = f"{server.library}/conversations"
        id, other = (server.client.post(made, json={}).json()["id"] for _ in range(2))
        first = in_a_thread(server, conversation=id)
        assert model.began.acquire(timeout=LONG)
        second = in_a_thread(server, conversation=id, query="And the deposit of the flat?")
        until(server, turns=2, waiting=1)
        elsewhere = in_a_thread(server, conversation=other)
        assert model.began.acquire(timeout=LONG)  # not kept from it by the one that waits
        assert model.calls == 2
        (turn,) = server.client.get(f"{made}/{id}").json()["turns"]
        assert turn["events"][-1]["type"] != "complete"
        model.go.set()
        assert all(end()["type"] == "complete" for end in (first, second, elsewhere))
        asked = server.client.get(f"{made}/{id}").json()["turns"]
        assert [turn["question"] for turn in asked] == [
            NOTICE["query"], "And the deposit of the flat?",
        ]  # fmt: skip


# -- within the service ------------------------------------------------------------------------


async def test_a_sync_waits_until_no_question_is_answered(indexed, settings):
    own = settings.model_copy(update={"serve": ServeSettings(turns=2)})
    async with Service(own, FakeWaitingModel()) as service:
        opened = await service.open(indexed)
        async with service.queue.turn("a"):
            async with service.queue.turn("b"):
                assert opened._busy()
            assert opened._busy()
        assert not opened._busy()


@pytest.mark.parametrize("turns", [1, 2])
async def test_a_real_engine_behind_an_endpoint_streams_to_two_at_once(
    household, household_folder, small_model, session_settings, turns
):
    own = session_settings.model_copy(
        update={
            "model": ModelSettings(
                name="openai:smollm2",
                base_url=small_model.endpoint.url,
                api_key=small_model.endpoint.key,
            ),
            "serve": ServeSettings(turns=turns),
        }
    )
    order: list[str] = []
    spoken = {"first": asyncio.Event(), "second": asyncio.Event()}

    async with Service(own) as service:
        opened = await service.open(household_folder)

        async def turn(name: str, other: str) -> None:
            events = opened.ask("What is our notice period as tenants?", client=name)
            async with aclosing(events) as stream:
                async for event in stream:
                    if isinstance(event, Token) and not spoken[name].is_set():
                        order.append(f"{name} speaks")
                        spoken[name].set()
                        if turns == 2:  # whoever does not read holds its turn
                            await spoken[other].wait()
                    if isinstance(event, Complete):
                        order.append(f"{name} ends")

        async with asyncio.timeout(LONG), asyncio.TaskGroup() as group:
            group.create_task(turn("first", "second"))
            await spoken["first"].wait()
            group.create_task(turn("second", "first"))
    assert (order[1] == "second speaks") == (turns == 2)
    assert (order[1] == "first ends") == (turns == 1)


# -- refused before anything is served ---------------------------------------------------------


@pytest.mark.parametrize("way", ["serve", "mcp", "stdio"])
def test_more_turns_than_the_model_of_this_machine_can_are_refused(
    settings, indexed, tmp_path, way
):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MANOLE_")}
    environment = kept | {
        "MANOLE_DATA_DIR": str(settings.data_dir),
        "MANOLE_CACHE_DIR": str(settings.cache_dir),
        "MANOLE_SERVE__TURNS": "9",
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }
    command = [sys.executable, "-m", "manole.cli.app", way, str(indexed), "--reuse"]
    got = subprocess.run(
        command, env=environment, text=True, capture_output=True, timeout=LONG,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert got.returncode == 2
    assert "serve.turns = 9" in got.stderr
    assert "model.context to 36864" in got.stderr
    assert "Traceback" not in got.stderr
