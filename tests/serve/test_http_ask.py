"""Questions over HTTP: streams of events, whole answers, errors, clients that leave."""

from __future__ import annotations

import http.client
import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from agent.fake_models import FakeBreakingModel, FakeModel
from manole.agent.events import EVENTS, Complete, Decision
from manole.errors import ModelError
from manole.index.store.libraries import folder_of
from manole.serve.queue import QUESTIONS

from .conftest import ANSWER
from .running import LONG, FakeWaitingModel, running, until

NOTICE = {"query": "What is the notice period?", "strategy": "simple"}
JSON = {"Content-Type": "application/json"}
COUNT = {"query": "How many PDF files are there?"}


def events(response: httpx.Response):
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/x-ndjson"
    return [EVENTS.validate_json(line) for line in response.text.splitlines()]


def problem(response: httpx.Response, status: int):
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    (key,) = response.json()
    assert key == "error"
    assert set(response.json()["error"]) == {"message", "hint", "code"}
    return response.json()["error"]


# -- /agentic_search ---------------------------------------------------------------------------


def test_a_stream_is_the_events_of_a_turn(server):
    got = events(server.client.post("/agentic_search", json=COUNT))
    assert isinstance(got[0], Decision)
    assert isinstance(got[-1], Complete)
    assert sum(event.type == "complete" for event in got) == 1
    assert "2 PDF files" in got[-1].answer


def test_a_content_question_is_answered_with_its_source(server):
    got = events(server.client.post("/agentic_search", json=NOTICE))
    assert {"decision", "result", "token", "complete"} <= {event.type for event in got}
    assert "three months" in got[-1].answer
    assert any(s.file == "home/rental-contract.pdf" for s in got[-1].sources if s.cited)


def test_a_question_may_name_its_strategy(server):
    got = events(server.client.post("/agentic_search", json=NOTICE | {"strategy": "tree"}))
    first, *_ = [event for event in got if isinstance(event, Decision)]
    assert (first.tool, first.by) == ("fast_vector_search", "fallback")  # it decides in no JSON
    assert "three months" in got[-1].answer


def test_the_question_has_two_names_and_a_scope(server):
    asked = {"question": "How many files are there?", "scope": "recipes", "library": server.name}
    end = events(server.client.post("/agentic_search", json=asked))[-1]
    assert "1 file" in end.answer
    asked["scope"] = ["recipes", "page.html"]
    assert "2 files" in events(server.client.post("/agentic_search", json=asked))[-1].answer
    asked["until"] = "1980-01-01"
    none = events(server.client.post("/agentic_search", json=asked))[-1]
    assert none.answer == "There are no files in recipes, page.html, to 1980-01-01."
    asked["since"] = "1990-01-01"
    assert (
        "1990-01-01" in problem(server.client.post("/agentic_search", json=asked), 400)["message"]
    )


def test_all_libraries_are_asked_at_once(server, indexed, settings, tmp_path):
    own = settings.model_copy(update={"data_dir": tmp_path})  # without other tests' libraries
    shutil.copytree(folder_of(server.name, settings), folder_of(server.name, own))
    with running(indexed, own, FakeModel(ANSWER)) as alone:
        _all_at_once(alone)


def _all_at_once(server):
    asked = {**COUNT, "library": "all"}
    end = events(server.client.post("/agentic_search", json=asked))[-1]
    assert all(source.file.startswith("papers/") for source in end.sources)
    assert "2 PDF files" in end.answer
    assert "all" not in {
        item["name"] for item in server.client.get("/libraries").json()["libraries"]
    }
    found = server.client.get("/search", params={"q": "boiler", "library": "all"}).json()
    assert found["results"][0]["file"] == "papers/page.html"
    for way in ("view", "files/content"):
        path = {"path": "papers/page.html"}
        assert server.client.get(f"/libraries/all/{way}", params=path).status_code == 200, way
    page = {"path": "papers/home/rental-contract.pdf"}
    assert server.client.get("/libraries/all/pages", params=page).status_code == 200
    for way in ("files", "graph", "timeline", "about", "status", "sync", "conversations"):
        assert server.client.get(f"/libraries/all/{way}").status_code == 200, way
    told = server.client.post("/libraries/all/sync?stream=true").text.splitlines()[-1]
    assert "Name one of" in told
    assert server.client.delete("/libraries/all").status_code == 404


def test_each_event_comes_when_it_happens(indexed, settings):
    model = FakeWaitingModel()
    with (
        running(indexed, settings, model) as server,
        server.client.stream("POST", "/agentic_search", json=NOTICE) as response,
    ):
        lines = response.iter_lines()
        assert any('"result"' in line for line in lines)  # while the model still waits
        assert model.began.acquire(timeout=LONG)
        model.go.set()
        *_, last = lines
        assert json.loads(last)["type"] == "complete"


@pytest.mark.parametrize(
    "change",
    [{"max_iterations": 0}, {"max_iterations": 21}, {"strategy": "magic"}, {"queri": "x"},
     {"library": "../etc"}, {"query": 7}],
)  # fmt: skip
def test_senseless_fields_are_named(server, change):
    error = problem(server.client.post("/agentic_search", json=COUNT | change), 422)
    assert next(iter(change)) in error["message"]


@pytest.mark.parametrize("path", ["/agentic_search", "/journal_chat", "/journal_chat_agent/stream"])
def test_errors_before_the_stream_are_statuses(server, path):
    name = "query"
    empty = server.client.post(path, json={name: "?!"})
    assert "empty" in problem(empty, 400)["message"]
    long = server.client.post(path, json={name: "x" * 9000})
    assert "characters" in problem(long, 400)["message"]
    broken = server.client.post(path, content=b"{", headers=JSON)
    assert problem(broken, 400)["code"] == "bad_request"
    body = {name: "x", "library": "letters-00000000"}
    assert problem(server.client.post(path, json=body), 404)["code"] == "not_found"
    body = {name: "x", "conversation": "aaaaaaaaaaaaaa"}
    assert problem(server.client.post(path, json=body), 404)["code"] == "conversation_not_found"


def test_a_library_without_an_index_says_so(tmp_path, settings, indexed):
    (tmp_path / "new").mkdir()
    with running(tmp_path / "new", settings, FakeWaitingModel()) as server:
        error = problem(server.client.post("/agentic_search", json=COUNT), 409)
        assert error["code"] == "not_indexed"
        assert problem(server.client.get("/search", params={"q": "x"}), 409) == error


def test_errors_within_the_stream_are_events_and_the_end_is_complete(indexed, settings):
    with running(indexed, settings, FakeBreakingModel("x")) as server:
        got = events(server.client.post("/agentic_search", json=NOTICE))
        assert any(event.type == "error" for event in got)
        assert isinstance(got[-1], Complete)


@pytest.mark.parametrize(
    ("error", "told"),
    [(ModelError("The engine is gone.", "Restart."), "The engine is gone."),
     (RuntimeError("inner detail"), "Something went wrong")],
)  # fmt: skip
def test_a_turn_that_breaks_ends_its_stream_in_form(server, monkeypatch, error, told):
    opened = server.service.default

    async def ask(*_, **__):
        yield Decision(step=1, tool="semantic_search", reasoning="why")
        raise error

    monkeypatch.setattr(opened, "ask", ask)
    got = events(server.client.post("/agentic_search", json=COUNT))
    assert [event.type for event in got] == ["decision", "error", "complete"]
    assert told in got[1].message
    assert "inner detail" not in got[1].message
    assert got[2].answer == ""
    assert not got[2].found


def test_an_unexpected_error_tells_nothing_of_the_inside(server, monkeypatch):
    async def ask(*_, **__):
        raise RuntimeError("inner detail")
        yield

    monkeypatch.setattr(server.service.default, "ask", ask)
    response = server.client.post("/agentic_search", json=COUNT)
    assert problem(response, 500)["code"] == "internal"
    assert "inner" not in response.text
    assert response.headers["x-content-type-options"] == "nosniff"


# -- clients that leave, queues that are full --------------------------------------------------


@pytest.mark.usefixtures("a_model_answers")
@pytest.mark.parametrize("path", ["/agentic_search", "/journal_chat_agent/stream"])
def test_a_turn_stops_when_its_reader_leaves(indexed, settings, path):
    model = FakeWaitingModel()
    with running(indexed, settings, model) as server:
        body = {"query": NOTICE["query"]} | ({"strategy": "simple"} if path[1] == "a" else {})
        with server.client.stream("POST", path, json=body) as response:
            assert response.status_code == 200
            assert model.began.acquire(timeout=LONG)
        assert model.stopped.acquire(timeout=LONG)
        model.go.set()
        events(server.client.post("/agentic_search", json=NOTICE))  # the model is free again
        assert server.client.get("/health").json()["queue"]["turns"] == 0


@pytest.mark.usefixtures("a_model_answers")
def test_a_whole_answer_is_not_made_for_a_client_that_left(indexed, settings):
    model = FakeWaitingModel()
    with running(indexed, settings, model) as server:
        link = http.client.HTTPConnection(server.client.base_url.netloc.decode())
        link.request("POST", "/journal_chat", json.dumps({"query": NOTICE["query"]}), JSON)
        assert model.began.acquire(timeout=LONG)
        link.close()
        assert model.stopped.acquire(timeout=LONG)


def test_a_full_queue_refuses_with_a_time(indexed, settings):
    model = FakeWaitingModel()
    with (
        running(indexed, settings, model) as server,
        server.client.stream("POST", "/agentic_search", json=NOTICE),
        ThreadPoolExecutor(QUESTIONS) as others,
    ):
        assert model.began.acquire(timeout=LONG)
        for _ in range(QUESTIONS - 1):
            others.submit(server.client.post, "/agentic_search", json=NOTICE)
        until(server, waiting=QUESTIONS - 1)
        for path in ("/agentic_search", "/journal_chat", "/journal_chat_agent/stream"):
            refused = server.client.post(path, json={"query": "What is the rent?"})
            assert problem(refused, 503)["code"] == "busy"
            assert int(refused.headers["retry-after"]) >= 1
        assert server.client.get("/health").json()["queue"] == {
            "turns": QUESTIONS, "waiting": QUESTIONS - 1, "limit": QUESTIONS, "at_once": 1,
        }  # fmt: skip
        assert server.client.get("/search", params={"q": "rent"}).status_code == 200
        model.go.set()


def test_a_server_that_stops_ends_its_streams_in_form(indexed, settings):
    model = FakeWaitingModel()
    with (
        running(indexed, settings, model) as server,
        server.client.stream("POST", "/agentic_search", json=NOTICE) as response,
    ):
        assert model.began.acquire(timeout=LONG)
        server.stop()
        *_, error, end = (json.loads(line) for line in response.iter_lines())
        assert (error["type"], end["type"]) == ("error", "complete")
        assert "stopping" in error["message"]
    assert model.stopped.acquire(timeout=LONG)


# -- /journal_chat -----------------------------------------------------------------------------


def test_journal_chat_gives_answer_sources_and_trace(server):
    got = server.client.post("/journal_chat", json={"message": "What is the notice period?"}).json()
    assert set(got) == {"response", "found", "outcome", "sources", "confidence", "search_trace"}
    assert "three months" in got["response"]
    assert got["sources"][0]["file"] == "home/rental-contract.pdf"
    (step,) = got["search_trace"]
    assert set(step) == {
        "iteration", "tool", "reasoning", "query", "inputs", "results_count", "new_entries_added",
    }  # fmt: skip
    assert (step["iteration"], step["tool"]) == (1, "semantic_search")
    assert step["query"] == "What is the notice period?"
    assert step["results_count"] == step["new_entries_added"] > 0


@pytest.mark.parametrize(
    ("path", "body"), [("/journal_chat", {"use_agent": True}), ("/journal_chat_agent", {})]
)
def test_the_agent_counts_without_a_model(server, path, body):
    got = server.client.post(path, json={"query": "How many PDF files are there?"} | body).json()
    assert "2 PDF files" in got["response"]
    assert got["search_trace"][0]["tool"] == "query"


def test_a_stateless_caller_hands_over_the_day_and_what_came_before(server):
    model = server.service.queue._model
    before = len(model.prompts)
    said = [{"role": "user", "content": "How high is the deposit of the flat?"}]
    asked = {"query": "And which colour has it?", "history": said, "today": "2024-06-01"}
    asked |= {"scope": "home/rental-contract.pdf"}  # of one file the model is asked
    assert events(server.client.post("/agentic_search", json=asked))
    assert any("deposit of the flat" in prompt for prompt in model.prompts[before:])
    problem(server.client.post("/agentic_search", json=asked | {"today": "soon"}), 422)


def test_history_is_read(server):
    model = server.service.queue._model
    before = len(model.prompts)
    history = [
        {"role": "user", "content": "How high is the deposit of the flat?"},
        {"role": "assistant", "content": "3,540.00 euros."},
    ]
    asked = {"message": "And which colour has it?", "history": history, "use_agent": True}
    asked |= {"scope": "home/rental-contract.pdf"}
    assert server.client.post("/journal_chat", json=asked).status_code == 200
    assert any("deposit of the flat" in prompt for prompt in model.prompts[before:])
    asked["history"][0]["role"] = "system"
    problem(server.client.post("/journal_chat", json=asked), 422)


@pytest.mark.parametrize("blank", ["", "  ", "\n", "?"])
def test_a_blank_message_in_the_history_is_no_trouble(server, blank):
    history = [
        {"role": "user", "content": "How high is the rent?"},
        {"role": "assistant", "content": blank},
        {"role": "user", "content": blank},
    ]
    asked = {"message": "And in 2023?", "history": history}
    assert server.client.post("/journal_chat_agent", json=asked).status_code == 200


# -- /v1 ---------------------------------------------------------------------------------------

CHAT = {"model": "manole", "temperature": 0.5, "messages": [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "What is the notice period?"}]},
]}  # fmt: skip


def test_libraries_are_models(server):
    listed = server.client.get("/v1/models").json()
    assert {item["id"] for item in listed["data"]} >= {"manole", server.name}


@pytest.mark.usefixtures("a_model_answers")
def test_a_chat_program_gets_the_answer_and_its_sources(server):
    for model in ("manole", server.name):
        got = server.client.post("/v1/chat/completions", json=CHAT | {"model": model}).json()
        text = got["choices"][0]["message"]["content"]
        assert "three months" in text
        assert "[1] home/rental-contract.pdf, page 1" in text
        assert got["object"] == "chat.completion"
        assert got["usage"]["total_tokens"] > 0


def test_a_chat_program_may_stream(server):
    response = server.client.post("/v1/chat/completions", json=CHAT | {"stream": True})
    assert response.headers["content-type"].startswith("text/event-stream")
    *chunks, done = [line[6:] for line in response.text.split("\n") if line]
    assert done == "[DONE]"
    choices = [json.loads(chunk)["choices"][0] for chunk in chunks]
    text = "".join(choice["delta"].get("content", "") for choice in choices)
    whole = server.client.post("/v1/chat/completions", json=CHAT).json()
    assert text == whole["choices"][0]["message"]["content"]
    assert choices[-1]["finish_reason"] == "stop"


def test_a_chat_must_have_a_question(server):
    said = [{"role": "system", "content": "x"}, {"role": "assistant", "content": ANSWER}]
    problem(server.client.post("/v1/chat/completions", json=CHAT | {"messages": said}), 400)
    problem(server.client.post("/v1/chat/completions", json=CHAT | {"model": "gpt-4"}), 404)


def test_the_chat_interface_is_there_only_when_asked_for(indexed, settings):
    with running(indexed, settings, FakeWaitingModel()) as server:
        assert problem(server.client.get("/v1/models"), 404)["code"] == "not_found"
        assert "/v1/models" not in server.client.get("/openapi.json").json()["paths"]
