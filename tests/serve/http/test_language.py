"""What people read is sent in the language that they ask for; what programs read stays as it is."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from manole.agent.events import Complete, Source
from manole.cli.render import Screen
from manole.sentences import speaking
from manole.serve.base import translated

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
NOTICE = {"query": "What is the notice period?", "strategy": "simple"}


def lines(response):
    assert response.status_code in (200, 202), response.text
    return [json.loads(line) for line in response.text.splitlines()]


def steps(response):
    """What a turn says of itself, without its answer."""
    fields = {"decision": "reasoning", "status": "message", "result": "message", "error": "message"}
    events = [event for event in lines(response) if event["type"] in fields]
    return [event[fields[event["type"]]].partition("\n")[0] for event in events]


def test_an_error_is_told_in_german_under_the_same_code(server):
    path = f"/libraries/{server.name}/view?path=nowhere.pdf"
    english = server.client.get(path).json()["error"]
    german = server.client.get(path, headers=GERMAN).json()["error"]
    assert english["message"] == "There is no 'nowhere.pdf' in this library."
    assert german["message"] == "'nowhere.pdf' gibt es in dieser Bibliothek nicht."
    assert german["hint"] == f"GET /libraries/{server.name}/files zählt sie auf."
    assert german["code"] == english["code"] == "not_found"


def test_what_is_refused_at_the_door_is_told_in_german(server):
    got = server.client.get("/health", headers=GERMAN | {"Host": "evil.example"})
    assert got.json()["error"]["message"] == "Den Namen im Host-Header hat dieser Server nicht."


def test_the_steps_of_a_turn_are_told_in_german(server):
    english = steps(server.client.post("/agentic_search", json=NOTICE))
    german = steps(server.client.post("/agentic_search", json=NOTICE, headers=GERMAN))
    assert len(english) == len(german)
    assert [both for both in zip(english, german, strict=True) if both[0] == both[1]] == []
    assert any("werden gelesen: " in step for step in german)


def test_an_answer_is_the_same_in_every_language(server):
    first, second = (
        lines(server.client.post("/agentic_search", json=NOTICE, headers=headers))[-1]
        for headers in ({}, GERMAN)
    )
    assert first["answer"] == second["answer"]
    assert first["sources"] == second["sources"]


def test_a_kept_conversation_is_read_in_any_language(server):
    conversations = f"/libraries/{server.name}/conversations"
    id = server.client.post(conversations, json={}).json()["id"]
    asked = NOTICE | {"conversation": id}
    server.client.post("/agentic_search", json=asked, headers=GERMAN)

    def reasons(headers):
        (turn,) = server.client.get(f"{conversations}/{id}", headers=headers).json()["turns"]
        return [e["reasoning"] for e in turn["events"] if e["type"] == "decision"]

    assert reasons({}) == ["one search, one answer"]
    assert reasons(GERMAN) == ["eine Suche, eine Antwort"]


def test_why_a_file_was_not_read_has_a_reason_for_programs_and_one_for_people(server):
    path = f"/libraries/{server.name}/status?status=failed"
    (english,) = server.client.get(path).json()["files"]
    (german,) = server.client.get(path, headers=GERMAN).json()["files"]
    assert english["reason"] == english["why"] == german["reason"]
    assert german["reason"] == "broken PDF: it cannot be opened"
    assert german["why"] == "beschädigtes PDF: es lässt sich nicht öffnen"


def test_models_are_described_in_german(server):
    models = server.client.get("/models", headers=GERMAN).json()["models"]
    assert {"zu klein für gute Antworten"} <= {m["about"].partition("; ")[2] for m in models}


QUOTING = [
    "It is not stated. The closest is: “Payment is due on Monday or Tuesday.” [1]",
    "It is not stated. The closest is: “Permission denied. Choose one of them.” [1]",
    "Permission denied.",
    "No files yet.",
]
BY_A_MODEL = Complete(answer="", found=False, outcome="nothing", model_calls=1)
BY_A_SOURCE = Complete(
    answer="", found=False, outcome="nearest", sources=[Source(n=1, file="a.txt", quote="")]
)
BY_CODE = Complete(answer="", found=False, outcome="nothing")


def printed(event):
    console = Console(file=io.StringIO(), width=200)
    Screen(console, lambda file: None).show(event)
    return console.file.getvalue()


@pytest.mark.parametrize("answer", QUOTING)
@pytest.mark.parametrize("end", [BY_A_MODEL, BY_A_SOURCE])
def test_what_an_answer_quotes_is_never_translated(answer, end):
    event = end.model_copy(update={"answer": answer})
    with speaking("de"):
        assert translated(event) == event
        assert answer in printed(event)


def test_an_answer_of_code_alone_is_told_in_german():
    event = BY_CODE.model_copy(update={"answer": "No files yet."})
    with speaking("de"):
        assert translated(event).answer == "Noch keine Dateien."
        assert "Noch keine Dateien." in printed(event)
    assert translated(event) == event
