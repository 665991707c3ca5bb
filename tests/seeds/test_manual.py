"""“Agent Architecture - Future Design”: one test a mechanism (docs/seeds.md).

The strategy `tree`, which is its decision agent, is in `test_manual_tree.py`.
"""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import date

import pytest

from manole.hooks import EXTRAS, PAGES
from manole.text.question import Question
from manole.tools.base import Environment, Error, Result, TurnState
from manole.tools.objects import Figure, FoundPage
from manole.tools.registry import Registry

from .fake_endpoint import FakeEndpoint, call, fact, serving
from .turns import first_number

WARRANTY = "When does the warranty of the boiler end?"
ANSWER = "The warranty of the boiler ends in May 2029."
DIAGRAM = "What does the wiring diagram of the pump show?"


@pytest.fixture
def state(session_settings) -> TurnState:
    """A turn that has just begun; its library is not asked."""
    return TurnState(Question(DIAGRAM, date(2024, 12, 15)), None, session_settings)  # type: ignore[arg-type]


def page(n: int) -> FoundPage:
    return FoundPage(id=f"page:{n}", file="a.pdf", page=n, score=1.0, lines=(), passages=())


# Shared state -----------------------------------------------------------------------------------


def test_tree_data(literal, state) -> None:
    """Row 72: TreeData: prompt, environment, history, tasks_completed, errors, collection_names."""
    names = {field.name for field in fields(TurnState)}
    assert names >= {
        "question", "environment", "history", "tasks_completed", "errors", "collection_names",
    }  # fmt: skip
    assert state.tasks_completed == {} and state.errors == []


def test_environment(state) -> None:
    """Row 73: environment[tool_name][result_name] = [{objects, metadata}]; add, find."""
    environment = state.environment
    first = Result([page(1)], {"query": "x"}, "visual_pages", llm_message="one")
    environment.add("visual_search", first)
    environment.add("visual_search", Result([page(1), page(2)], name="visual_pages"))
    environment.add("visual_search", Result(name="other"))
    calls = environment.environment["visual_search"]["visual_pages"]
    assert [[o.page for o in stored.objects] for stored in calls] == [[1], [2]]
    assert calls[0].metadata == {"query": "x"}
    assert environment.find("visual_search", "visual_pages") == calls
    assert len(environment.find("visual_search")) == 3
    assert environment.find("semantic_search") == []
    assert environment.to_llm_context().startswith("visual_search: one")


def test_environment_is_empty(state) -> None:
    """Row 74: is_empty()."""
    assert state.environment.is_empty()
    state.environment.add("count_files", Result(llm_message="3 files."))
    assert not state.environment.is_empty()


def test_hidden_environment(state) -> None:
    """Row 75: hidden_environment for internal state not shown to the LLM."""
    state.environment.hidden_environment["summary"] = "a secret of the tools"
    state.environment.add("count_files", Result(llm_message="3 files."))
    assert "secret" not in state.environment.to_llm_context()
    assert state.environment.hidden_environment == {"summary": "a secret of the tools"}


def test_result_placeholders() -> None:
    """Row 76: llm_message with {num_objects}, {name} and any key in metadata."""
    told = "Found {num_objects} {name} matching '{query}' {unknown}"
    result = Result([Figure(), Figure()], {"query": "a {name}"}, "chunks", llm_message=told)
    assert result.message.startswith("Found 2 chunks matching 'a ")
    assert result.message.endswith("{unknown}")
    assert Result().payload_type == "result"


def test_error_informs_the_next_decision(literal) -> None:
    """Rows 77, 91: an error is recoverable, has a suggestion, and another decision follows."""
    assert Error("Gone.").recoverable and Error("Gone.").suggestion is None
    missed, found = call("grep_files", pattern="zeppelin"), call("grep_files", pattern="boiler")
    turn = literal("What of the boiler?", missed, found, "Done.")
    kinds = [json.loads(line)["type"] for line in turn.lines]
    at = kinds.index("error")
    error = json.loads(turn.lines[at])
    assert error["recoverable"] is True and error["suggestion"]
    assert "decision" in kinds[at:]
    second = turn.endpoint.talks("decide")[1][-1]
    assert second["role"] == "tool"
    assert error["message"] in second["content"] and error["suggestion"] in second["content"]


# Tools ------------------------------------------------------------------------------------------


def test_names_of_the_tools() -> None:
    """Row 82: fast_vector_search, colqwen_visual_search, visual_interpretation, text_response."""
    registry = Registry()
    for name in ("fast_vector_search", "colqwen_visual_search", "visual_interpretation"):
        assert registry[name].description and not registry[name].end
    assert registry["text_response"].end


def test_is_tool_available(state) -> None:
    """Row 78: visual interpretation only after pages were found, a response only with results."""

    def available() -> set[str]:
        return {tool.name for tool in Registry().available(state)}

    assert not available() & {"visual_interpretation", "respond", "visual_search"}
    state.collection_names = ("pages",)
    assert "visual_search" in available()
    state.environment.add("visual_search", Result([page(1)], name="visual_pages"))
    assert {"visual_interpretation", "respond"} <= available()


def test_pages_by_what_they_show(server) -> None:
    """Row 83: visual document search: for diagrams, schematics, charts, visual layouts."""
    asked = {"q": "solenoid in the wiring diagram"}
    answer = server.client.get("/search/pages", params=asked).json()
    best = answer["results"][0]
    assert (best["file"], best["page"]) == ("manuals/pump-manual.pdf", 2)
    assert any("solenoid" in line["text"] for line in best["lines"])
    assert "colqwen" in PAGES.names()
    extra = EXTRAS.get("colqwen")
    assert extra is not None and "colpali_engine" in extra.modules


def test_visual_interpretation(ask) -> None:
    """Rows 84, 85, 96: a VLM reads the top 2 pages of the last page search, and only after it."""
    seen = "A circuit with a relief valve and a 24 V solenoid."
    drawing = "what does the drawing of the pump show"
    turn = ask(drawing, sees=True, query="FIND", sight=seen, final=seen)
    assert turn.tools.index("visual_search") < turn.tools.index("visual_interpretation")
    sights = turn.endpoint.prompts("sight")
    assert len(sights) == 2 and {body["model"] for body in sights} == {"moon"}
    (read,) = [r for r in turn.of("result") if r.tool == "visual_interpretation"]
    pages = next(r for r in turn.of("result") if r.tool == "visual_search").objects
    top = [(p["file"], p["page"]) for p in pages[:2]]
    assert [(o["file"], o["page"]) for o in read.objects if o.get("seen_by")] == top
    assert {o["text"] for o in read.objects if o.get("seen_by") == "moon"} == {seen}


def test_interpretation_without_pages(literal, session_settings, state) -> None:
    """Row 84: “No visual pages to interpret” is an error."""
    tool = Registry()["visual_interpretation"]
    (outcome,) = _run(tool(state, tool.inputs()))
    assert isinstance(outcome, Error) and outcome.suggestion


def _run(outcomes) -> list[object]:
    import asyncio

    async def collect() -> list[object]:
        return [outcome async for outcome in outcomes]

    return asyncio.run(collect())


# Response, stream -------------------------------------------------------------------------------


@pytest.mark.usefixtures("a_model_answers")
def test_response_streams_with_page_references(ask) -> None:
    """Row 86: streamed, based only on what was retrieved, with references."""
    turn = ask(WARRANTY, query="FIND", final=ANSWER)
    tokens = turn.of("token")
    assert len(tokens) > 1
    assert "".join(token.content for token in tokens).startswith(ANSWER.rstrip("."))
    assert [s.file for s in turn.end.sources if s.cited] == ["notes/boiler.md"]
    invented = ask(WARRANTY, query="FIND", final="It ends in June 2047.")
    assert "2047" not in invented.end.answer  # no extract holds it


def test_ndjson(literal) -> None:
    """Row 90: each message is NDJSON with a type: decision, status, result, token, complete."""
    turn = literal(
        WARRANTY,
        call("semantic_search", query="boiler warranty"),
        fact=fact("warranty ends", ANSWER),
    )
    lines = [json.loads(line) for line in turn.lines]
    kinds = [line["type"] for line in lines]
    assert kinds[0] in ("decision", "status") and kinds[-1] == "complete"
    assert {"decision", "result", "token"} <= set(kinds)
    decision = lines[kinds.index("decision")]
    assert decision["tool"] == "semantic_search" and decision["reasoning"]
    result = lines[kinds.index("result")]
    assert result["tool"] == "semantic_search" and result["objects"] and "metadata" in result
    assert all(isinstance(line["content"], str) for line in lines if line["type"] == "token")


def test_agentic_search_endpoint(server, endpoint) -> None:
    """Row 92: POST /agentic_search streams lines."""
    endpoint.script(final=ANSWER)
    asked = {"query": "how many PDF files are there?"}
    with server.client.stream("POST", "/agentic_search", json=asked) as answer:
        assert answer.headers["content-type"] == "application/x-ndjson"
        lines = [json.loads(line) for line in answer.iter_lines()]
    assert lines[-1]["type"] == "complete" and first_number(lines[-1]["answer"]) == 3
    assert "/agentic_search" in server.client.get("/openapi.json").json()["paths"]


def test_payload_types(tool) -> None:
    """Row 99: payload_type is a rendering hint for the frontend."""
    kinds = {
        name: tool(name, **inputs).payload_type
        for name, inputs in {
            "count_files": {}, "directory_tree": {}, "folder_stats": {}, "disk_usage": {},
        }.items()
    }  # fmt: skip
    assert kinds == {
        "count_files": "files", "directory_tree": "tree", "folder_stats": "folders",
        "disk_usage": "usage",
    }  # fmt: skip


# Around it --------------------------------------------------------------------------------------


def test_ollama_endpoint(manole, home) -> None:
    """Row 94: decision and synthesis by gpt-oss-120B via Ollama."""
    with serving(FakeEndpoint(final=ANSWER)) as ollama:
        done = manole(
            "--set", f"model.base_url={ollama.url}", "ask", WARRANTY, str(home), "--reuse",
            "--model", "ollama:gpt-oss:120b", "--strategy", "simple", "--json",
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (asked,) = ollama.asked
    assert asked["model"] == "gpt-oss:120b" and asked["reasoning_effort"] == "none"
    assert "May 2029" in json.loads(done.stdout.splitlines()[-1])["answer"]


def test_conversation_persistence(server, endpoint) -> None:
    """Row 98: conversations are kept, and read again."""
    url = f"{server.library}/conversations"
    begun = server.client.post(url, json={"title": "The boiler"}).json()
    id_ = begun.get("id") or begun["conversation"]["id"]
    for question in ("how many PDF files are there?", "how many files are there?"):
        endpoint.script(final=ANSWER)
        asked = {"query": question, "conversation": id_}
        assert server.client.post("/agentic_search", json=asked).status_code == 200
    whole = server.client.get(f"{url}/{id_}").json()
    assert whole["conversation"]["title"] == "The boiler"
    assert [t["question"] for t in whole["turns"]] == [
        "how many PDF files are there?", "how many files are there?",
    ]  # fmt: skip
    assert [t["events"][-1]["type"] for t in whole["turns"]] == ["complete"] * 2


def test_context_within_a_budget() -> None:
    """Row 73: to_llm_context(max_tokens) keeps within its budget."""
    environment = Environment()
    for n in range(50):
        environment.add("x", Result(llm_message=f"{n} " + "word " * 100))
    assert (
        len(environment.to_llm_context(500)) / 3.5 <= 500 < len(environment.to_llm_context()) / 3.5
    )
