"""Settings over HTTP: what a page sees, what it may change, and when that holds."""

from __future__ import annotations

import json
import shutil
import tomllib

import pytest

from agent.fake_models import FakeModel
from manole.serve import open_library
from manole.serve.http.routes.preferences import SettingsChange
from manole.settings_file import CHANGEABLE

from .conftest import ANSWER, EXAMPLES
from .running import running
from .test_http_ask import problem

WRITTEN = "# mine\n[agent]\nmax_iterations = 3  # enough\n"


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The settings file in force."""
    file = tmp_path / "mine.toml"
    file.write_text(WRITTEN, "utf-8")
    monkeypatch.setenv("MANOLE_CONFIG", str(file))
    return file


@pytest.fixture
def server(indexed, settings, file):
    blind = settings.vision.model_copy(update={"name": "off"})
    settings = settings.model_copy(update={"vision": blind})
    with running(indexed, settings, FakeModel(ANSWER), flags={"vision.name": "off"}) as server:
        yield server


def listed(server):
    whole = server.client.get("/settings").json()
    return {item["name"]: item for item in whole["settings"]}


def patch(server, **changes):
    named = {name.replace("__", "."): value for name, value in changes.items()}
    return server.client.patch("/settings", json=named)


def test_settings_tell_their_value_origin_and_bounds(server, file):
    assert server.client.get("/settings").json()["file"] == str(file)
    found = listed(server)
    assert list(found) == list(CHANGEABLE)
    assert found["agent.max_iterations"] == {
        "name": "agent.max_iterations", "value": 3, "default": 5,
        "description": "how often one answer may look something up, at most",
        "origin": str(file), "kind": "int", "choices": None, "minimum": 1, "maximum": 20,
        "takes_effect": "now", "pending": False,
    }  # fmt: skip
    assert (found["vision.name"]["value"], found["vision.name"]["origin"]) == ("off", "flag")
    assert found["index.pages"]["choices"] == ["lines", "off"]
    assert found["model.name"]["origin"] == "default"


def test_the_request_takes_exactly_the_settings_that_may_be_changed():
    assert {field.alias for field in SettingsChange.model_fields.values()} == set(CHANGEABLE)


def test_a_change_is_written_and_taken_over(server, file):
    got = patch(server, agent__max_iterations=7, agent__strategy="simple", index__ocr=False)
    assert got.status_code == 200
    assert got.json() == server.client.get("/settings").json()
    assert file.read_text().startswith("# mine\n[agent]\nmax_iterations = 7  # enough\n")
    opened = server.service.default
    assert (opened._settings.agent.strategy, opened._settings.agent.max_iterations) == ("simple", 7)
    assert opened.library.settings.index.ocr is False
    assert server.service.settings.index.ocr is False
    assert not any(item["pending"] for item in listed(server).values())


def test_the_next_question_follows_the_change(server):
    def reasons():
        asked = {"query": "What is the notice period of the flat?"}
        lines = server.client.post("/agentic_search", json=asked).text.splitlines()
        events = [json.loads(line) for line in lines]
        return [event["reasoning"] for event in events if event["type"] == "decision"]

    assert "one search, one answer" not in reasons()
    patch(server, agent__strategy="simple")
    assert reasons() == ["one search, one answer"]


def test_a_question_that_names_no_limit_follows_the_setting(server, monkeypatch):
    limits, make = [], open_library.make

    def noted(settings, *others, **more):
        limits.append(settings.agent.max_iterations)
        return make(settings, *others, **more)

    monkeypatch.setattr(open_library, "make", noted)
    patch(server, agent__max_iterations=2)
    for asked in ({}, {"max_iterations": None}, {"max_iterations": 9}):
        body = {"query": "How many files are there?"} | asked
        assert server.client.post("/agentic_search", json=body).status_code == 200
    body = {"message": "How many files are there?", "use_agent": True}
    assert server.client.post("/journal_chat", json=body).status_code == 200
    assert limits == [2, 2, 9, 2]


def test_a_sync_follows_the_change(tmp_path, settings, file):
    folder = tmp_path / "papers"
    folder.mkdir()
    shutil.copy(EXAMPLES / "home" / "floor-plan.png", folder)
    with running(folder, settings, FakeModel(ANSWER)) as server:

        def words():
            server.client.post(f"{server.library}/sync?stream=true")
            return server.client.get(f"{server.library}/files").json()["files"][0]["passages"]

        patch(server, index__ocr=False)
        unread = words()
        patch(server, index__ocr=None)  # back to the default
        assert words() > unread
        assert "[index]" not in file.read_text()  # nor is an empty section left


def test_a_library_opened_later_follows_the_change(server, tmp_path):
    patch(server, index__ocr=False, agent__thorough=True)
    (tmp_path / "more").mkdir()
    made = server.client.post("/libraries", json={"folder": str(tmp_path / "more")}).json()
    opened = server.service._libraries[made["name"]]
    assert (opened.library.settings.index.ocr, opened._settings.agent.thorough) == (False, True)


def test_another_model_answers_from_the_next_question_on(server, file):
    got = patch(server, model__name="smollm2-135m-instruct")
    assert got.status_code == 200
    item = listed(server)["model.name"]
    assert (item["value"], item["pending"]) == ("smollm2-135m-instruct", False)
    assert server.service.settings.model.name == "smollm2-135m-instruct"


@pytest.mark.parametrize(
    ("name", "value"),
    [("model.name", "gpt-9"), ("model.name", "all-minilm-l6-v2"), ("model.name", "/no/such.gguf"),
     ("model.name", "openai:spy"), ("model.name", "ollama:spy@http://127.0.0.1:9/v1"),
     ("vision.name", "smollm2-135m-instruct"), ("vision.name", "openai:spy")],
)  # fmt: skip
def test_only_a_model_of_the_catalog_that_fits_is_taken(indexed, settings, file, name, value):
    with running(indexed, settings, FakeModel(ANSWER)) as server:
        error = problem(server.client.patch("/settings", json={name: value}), 400)
    assert value in error["message"]
    assert file.read_text() == WRITTEN


@pytest.mark.parametrize("value", ["auto", "qwen2.5-coder-0.5b-instruct"])
def test_models_that_can_be_named_are_taken(server, file, value):
    assert patch(server, model__name=value).status_code == 200
    assert tomllib.loads(file.read_text())["model"]["name"] == value


def test_weights_of_a_users_own_come_from_the_terminal_and_stay(indexed, settings, file, tmp_path):
    weights = tmp_path / "own.gguf"
    weights.write_bytes(b"GGUF and more")
    with running(indexed, settings, FakeModel(ANSWER)) as server:
        error = problem(patch(server, model__name=str(weights)), 400)
    assert "of your own" in error["hint"]
    named = settings.model.model_copy(update={"name": str(weights)})
    with running(
        indexed, settings.model_copy(update={"model": named}), FakeModel(ANSWER)
    ) as server:
        assert patch(server, model__name=str(weights)).status_code == 200


@pytest.mark.parametrize(
    "body",
    [{"agent.max_iterations": 0}, {"agent.max_iterations": "7"}, {"agent.max_iterations": True},
     {"agent.max_iterations": 2.5}, {"agent.thorough": "yes"}, {"agent.thorough": 1},
     {"agent.strategy": "magic"}, {"index.pages": "colqwen"}, {"model.name": ""},
     {"model.name": "a\nb"}, {"serve.host": "0.0.0.0"}, {"data_dir": "/"}, {"thorough": True},
     {"index.hidden": True}, {"model.api_key": "x"}, [], "x"],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_by_name(server, file, body):
    error = problem(server.client.patch("/settings", json=body), 422)
    if isinstance(body, dict):
        assert next(iter(body)) in error["message"]
    assert file.read_text() == WRITTEN


def test_all_changes_are_taken_or_none(server, file):
    problem(patch(server, agent__thorough=True, vision__name="auto"), 400)
    assert file.read_text() == WRITTEN
    assert not server.service.settings.agent.thorough


def test_what_goes_before_the_file_cannot_be_changed(server, file, monkeypatch):
    error = problem(patch(server, vision__name="auto"), 400)
    assert "vision.name is set by a flag" in error["message"]
    monkeypatch.setenv("MANOLE_INDEX__OCR", "false")
    item = listed(server)["index.ocr"]
    assert (item["value"], item["origin"]) == (False, "environment (MANOLE_INDEX__OCR)")
    error = problem(patch(server, index__ocr=True), 400)
    assert "MANOLE_INDEX__OCR" in error["message"]
    assert file.read_text() == WRITTEN


def test_a_file_that_became_wrong_is_told(server, file):
    file.write_text("[agent\n", "utf-8")
    assert "valid TOML" in problem(server.client.get("/settings"), 400)["message"]
    problem(patch(server, agent__thorough=True), 400)
    assert file.read_text() == "[agent\n"


def test_no_secret_is_among_them(server, file):
    file.write_text('[model]\napi_key = "very-secret"\n', "utf-8")
    assert "very-secret" not in server.client.get("/settings").text
