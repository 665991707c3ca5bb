"""“Agent Architecture - Future Design”, its decision agent: the strategy `tree` (docs/seeds.md)."""

from __future__ import annotations

import json
import re

import pytest

from manole.tools.base import Environment, Result
from manole_strategies import summarize

BOILER = "When does the warranty of the boiler end?"
DIAGRAM = "What does the wiring diagram of the pump show?"
FAST, VISUAL, LOOK = "fast_vector_search", "colqwen_visual_search", "visual_interpretation"
ENDS = "The warranty of the boiler ends in May 2029."
NOTE = "The note on the boiler names May 2029."


def decide(tool: str, query: str = "", *, end: bool = False, why="it may help", **more: object):
    inputs = {"query": query} if query else {}
    decision = {"reasoning": why, "tool": tool, "inputs": inputs, "should_end": end, **more}
    return json.dumps(decision)


SEARCH = decide(FAST, "boiler warranty")
RESPOND = decide("text_response", end=True)


@pytest.fixture
def tree(ask):
    """A turn of the decision agent."""

    def run(question, *decisions, respond=ENDS, summary=NOTE, **more):
        return ask(question, *decisions, strategy="tree", respond=respond, summary=summary, **more)

    return run


def prompts(turn) -> list[str]:
    """The state of the turn at each decision, as the model is told: behind rules and examples."""
    return [messages[-1]["content"] for messages in turn.endpoint.talks("tree")]


def available(prompt: str) -> set[str]:
    """The tools that can be chosen now, as the model is told."""
    return set(re.split(r"[,\s]+", re.search(r"Available now: (.*)", prompt)[1]))


# Tools ------------------------------------------------------------------------------------------


def test_fast_vector_search_tool(tree) -> None:
    """Row 82: fast_vector_search gives `text_results` as `chunks`, at most 5."""
    turn = tree(BOILER, SEARCH, RESPOND)
    (found,) = turn.of("result")
    assert (found.tool, found.name, found.payload_type) == (FAST, "text_results", "chunks")
    assert found.metadata["query"] == "boiler warranty"
    assert 1 <= len(found.objects) <= 5
    assert found.objects[0]["file"] == "notes/boiler.md"
    assert re.match(r"\d+ text chunks?, the best: ", found.message)


def test_text_search_without_results_leads_to_the_visual_one(tree) -> None:
    """Rows 77, 82, 91: its error suggests visual search, and the next decision reads it."""
    turn = tree(
        "Who painted the ceiling of the Sistine Chapel?",
        decide(FAST, "painter of the Sistine Chapel ceiling"),
        decide(VISUAL, "Sistine Chapel ceiling"),
        decide(LOOK), RESPOND,
    )  # fmt: skip
    (error,) = [e for e in turn.of("error") if e.tool == FAST]
    assert error.recoverable and VISUAL in error.suggestion
    assert error.suggestion in prompts(turn)[1] and error.message in prompts(turn)[1]
    assert turn.tools[:2] == [FAST, VISUAL]


def test_colqwen_search_tool(tree) -> None:
    """Row 83: colqwen_visual_search gives `visual_pages` as `colqwen_pages`, at most 3."""
    turn = tree(DIAGRAM, decide(VISUAL, "wiring diagram"), RESPOND)
    found = turn.of("result")[0]
    assert (found.tool, found.name) == (VISUAL, "visual_pages")
    assert found.payload_type == "colqwen_pages"
    assert 1 <= len(found.objects) <= 3
    best = found.objects[0]
    assert (best["file"], best["page"]) == ("manuals/pump-manual.pdf", 2)


def test_visual_interpretation_tool(tree) -> None:
    """Row 84: the VLM is shown the top 2 of the pages found, with the user's question."""
    seen = "A relief valve and a 24 V solenoid at terminal X4."
    calls = (decide(VISUAL, "wiring diagram"), decide(LOOK), RESPOND)
    turn = tree(DIAGRAM, *calls, sees=True, sight=seen, respond=seen)
    read = next(r for r in turn.of("result") if r.tool == LOOK)
    assert read.payload_type == "interpretations"
    sights = turn.endpoint.prompts("sight")
    assert len(sights) == 2 and all(DIAGRAM in str(body["messages"]) for body in sights)
    assert seen in {o["text"] for o in read.objects}
    assert "solenoid" in turn.end.answer


def test_availability_is_computed_and_told(tree) -> None:
    """Rows 78, 85: visual_interpretation after pages, text_response and summarize with results."""
    turn = tree(DIAGRAM, decide(LOOK), decide(VISUAL, "wiring diagram"), RESPOND)
    before, again, after = map(available, prompts(turn))
    late = {LOOK, "text_response", "summarize"}
    assert {FAST, VISUAL} <= before and not late & before
    assert late <= after
    assert turn.tools[0] != LOOK  # it was not there to be chosen
    assert not again - after


def test_text_response_tool(tree) -> None:
    """Row 86: streams an answer from what was retrieved, with page references."""
    turn = tree(BOILER, SEARCH, RESPOND)
    (talk,) = turn.endpoint.talks("respond")
    *_, asked = (message for message in talk if message["role"] == "user")
    assert "May 2029" in asked["content"]
    assert "Answer based ONLY on the retrieved information" in asked["content"]
    assert BOILER in asked["content"]
    assert len(turn.of("token")) > 1
    assert [s.file for s in turn.end.sources if s.cited] == ["notes/boiler.md"]


# Summaries --------------------------------------------------------------------------------------


def test_estimate_tokens() -> None:
    """Row 74: estimate_tokens()."""
    environment = Environment()
    assert environment.estimate_tokens() == 0
    environment.add("x", Result(llm_message="word " * 700))
    assert 700 <= environment.estimate_tokens() <= 1400


@pytest.fixture
def small(server, endpoint, monkeypatch):
    """A turn of a server whose limit of tokens is small."""
    monkeypatch.setattr(summarize, "TOKENS", 40)
    from manole.agent.events import EVENTS

    from .turns import Turn

    def run(question, *decisions, **roles):
        endpoint.script(*decisions, **roles)

        body = {"query": question, "strategy": "tree"}
        lines = server.client.post("/agentic_search", json=body).text.splitlines()
        return Turn([EVENTS.validate_json(line) for line in lines], endpoint, lines)

    return run


def test_summarize_triggers_itself(small) -> None:
    """Rows 79, 80, 81: over a limit of tokens; the summary is hidden, the main cleared."""
    turn = small(BOILER, SEARCH, RESPOND, summary=NOTE, respond=ENDS)
    first, auto = turn.of("decision")[:2]
    assert (first.tool, first.by) == (FAST, "model")
    assert (auto.tool, auto.by) == ("summarize", "auto")
    made = next(r for r in turn.of("result") if r.tool == "summarize")
    assert (made.name, made.payload_type) == ("summarized", "summary")
    assert NOTE in made.objects[0]["summary"]
    read = " ".join(messages[-1]["content"] for messages in turn.endpoint.talks("summary"))
    assert "Its warranty ends in" in read and "installed in 2019" in read
    after = prompts(turn)[1]
    assert NOTE in after  # its key points stay
    assert "installed in 2019" not in after  # what was found is gone
    assert [s.file for s in turn.end.sources if s.cited] == ["notes/boiler.md"]


def test_nothing_is_summarized_below_the_limit(tree) -> None:
    """Row 81: 50,000 tokens as the design says."""
    turn = tree(BOILER, SEARCH, RESPOND)
    assert "summarize" not in turn.tools
    assert summarize.TOKENS == 50_000


def test_summary_that_fails_leaves_all_as_it_was(small) -> None:
    """Row 80: a summarizer that fails: the environment is as before."""
    turn = small(BOILER, SEARCH, RESPOND, summary={"status": 400}, respond=ENDS)
    (error,) = [e for e in turn.of("error") if e.tool == "summarize"]
    assert error.recoverable
    assert "May 2029" in prompts(turn)[1]
    assert "May 2029" in turn.end.answer and turn.end.found


# Decisions --------------------------------------------------------------------------------------


def test_decision_prompt(tree) -> None:
    """Row 87: query, environment, previous errors, tools already used, available tools."""
    asked = "Who painted the ceiling of the Sistine Chapel?"
    miss = decide(FAST, "painter of the Sistine Chapel ceiling")
    turn = tree(asked, miss, decide(VISUAL, "wiring diagram"), RESPOND)
    first, second, *_ = prompts(turn)
    assert all(f"User query: {asked}" in prompt for prompt in prompts(turn))
    rules = "\n".join(m["content"] for m in turn.endpoint.talks("tree")[0][:-1])
    for name in (FAST, VISUAL, LOOK, "text_response", "summarize"):
        assert f"- {name}(" in rules
    (error,) = [e for e in turn.of("error") if e.tool == FAST]
    assert error.message not in first and error.message in second
    assert not re.search(rf"used: .*{FAST}", first) and re.search(rf"used: .*{FAST}", second)
    found = prompts(tree(BOILER, SEARCH, RESPOND))[1]
    assert "warranty ends in May 2029" in found  # the environment
    for key in ('"tool"', '"inputs"', '"reasoning"', '"should_end"', '"impossible": true'):
        assert key in rules


def test_decision_json(tree) -> None:
    """Row 88: {tool, inputs, reasoning, should_end}: its own reasoning in the event."""
    said = decide(FAST, "boiler warranty", why="User asked factual question")
    turn = tree(BOILER, said, decide("text_response", end=True, why="Have enough context"))
    told = [(d.tool, d.reasoning, d.by) for d in turn.of("decision")]
    assert told == [
        (FAST, "User asked factual question", "model"),
        ("text_response", "Have enough context", "model"),
    ]
    assert turn.of("decision")[0].inputs["query"] == "boiler warranty"
    schema = turn.endpoint.prompts("tree")[0]["response_format"]["json_schema"]["schema"]
    assert "should_end" in json.dumps(schema)


def test_should_end(tree) -> None:
    """Row 88: should_end ends the loop."""
    more = [decide(VISUAL, "boiler"), RESPOND]
    turn = tree(BOILER, decide(FAST, "boiler warranty", end=True), *more)
    assert len(prompts(turn)) == 1
    assert "May 2029" in turn.end.answer


def test_impossible(tree) -> None:
    """Row 89: “If the task is impossible”: impossible is obeyed, with its reason."""
    why = "Cannot complete: files cannot be mailed"
    turn = tree(
        "Mail my tax files to Bob", decide("text_response", end=True, why=why, impossible=True)
    )
    assert [(d.tool, d.reasoning) for d in turn.of("decision")] == [("text_response", why)]
    assert not turn.end.found and not turn.endpoint.prompts("respond")
    late = tree(BOILER, SEARCH, decide("text_response", end=True, why=why, impossible=True))
    assert late.tools == [FAST, "text_response"]
    assert not late.end.found and not late.endpoint.prompts("respond")


@pytest.mark.parametrize(
    "wrong",
    [
        "I would search.",
        "",
        "x" * 20_000,
        decide("rm", "/"),
        decide(LOOK),
        json.dumps({"tool": FAST, "inputs": "boiler", "reasoning": 7, "should_end": "no"}),
        json.dumps({"tool": ["a"], "inputs": {"query": [1]}}),
    ],
    ids=["words", "nothing", "long", "no tool", "not available", "wrong types", "wrong tool"],
)
def test_unusable_decisions_end_with_what_is_known(tree, wrong) -> None:
    """Row 88: a decision that cannot be used is replaced, and the turn ends with an answer."""
    turn = tree(BOILER, wrong, SEARCH, RESPOND)
    assert set(turn.tools) <= {FAST, VISUAL, LOOK, "text_response"}
    assert FAST in turn.tools
    assert "May 2029" in turn.end.answer


def test_loop_on_one_tool(tree) -> None:
    """Row 143: the loop ends at max_iterations, and no call is made twice."""
    turn = tree(BOILER, *[SEARCH] * 9)
    assert turn.tools.count(FAST) == 1
    several = [decide(FAST, query) for query in ("boiler warranty", "red lentils", "bake bread")]
    turn = tree(BOILER, *several, sent={"max_iterations": 2})
    assert turn.tools == [FAST] * 2 and "May 2029" in turn.end.answer


def test_orchestrator(tree) -> None:
    """Row 93: available tools, triggers, decision, execution, environment, NDJSON, complete."""
    turn = tree(DIAGRAM, decide(VISUAL, "wiring diagram"), decide(LOOK), RESPOND)
    kinds = [
        (line["type"], line.get("tool"))
        for line in map(json.loads, turn.lines)
        if line["type"] in ("decision", "result", "complete")
    ]
    assert kinds == [
        ("decision", VISUAL), ("result", VISUAL), ("decision", LOOK), ("result", LOOK),
        ("decision", "text_response"), ("complete", None),
    ]  # fmt: skip
    assert [len(prompts(turn)), turn.end.model_calls] == [3, 4]
