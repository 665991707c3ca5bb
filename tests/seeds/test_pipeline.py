"""“Agentic RAG Pipeline Design”: one test a mechanism; the numbers are those of docs/seeds.md."""

from __future__ import annotations

import json
import shutil

import pytest

from .fake_endpoint import NOTHING, FakeEndpoint, fact, role_of, serving
from .turns import first_number

WARRANTY = "When does the warranty of the boiler end?"
ENDS = fact("warranty ends", "The warranty of the boiler ends in May 2029.")
ANSWER = "The warranty of the boiler ends in May 2029."


def plan(*keywords: str, file_filter: str | None = None, source_hint: str | None = None) -> str:
    planned = {"keywords": keywords, "file_filter": file_filter, "source_hint": source_hint}
    return json.dumps(planned)


@pytest.fixture
def pipeline(ask):
    """A turn of the pipeline, each role scripted."""

    usual = {"plan": plan("boiler", "warranty"), "fact": ENDS, "reduce": ANSWER}

    def run(question=WARRANTY, **roles):
        return ask(question, strategy="pipeline", **usual | roles)

    return run


def roles(turn) -> list[str]:
    """The roles that were asked, in order; those of the map phase once."""
    said = []
    for body in turn.endpoint.asked:
        role = role_of(body)
        if said[-1:] != [role]:
            said.append(role)
    return said


def test_six_stages(pipeline) -> None:
    """Row 37: Planner → Searcher → Map → Filter → Reduce → Self-Check → Answer."""
    turn = pipeline()
    assert roles(turn) == ["plan", "fact", "reduce"]
    assert turn.tools == ["semantic_search"]
    stages = [event.message.split(maxsplit=1)[0].strip(":") for event in turn.of("status")]
    assert [*dict.fromkeys(stages)] == ["Planner", "Reading", "Map", "Filter", "Confidence"]
    assert turn.end.answer.startswith(ANSWER.rstrip("."))
    assert {s.file for s in turn.end.sources if s.cited} == {"notes/boiler.md"}


def test_planner(pipeline) -> None:
    """Row 38: the planner's prompt, and its JSON of keywords, file_filter and source_hint."""
    turn = pipeline(plan=plan("boiler warranty", "May 2029"))
    ((asked,),) = turn.endpoint.talks("plan")
    assert asked["content"].startswith(
        f"Analyze this user question and extract search parameters.\nQuestion: {WARRANTY}\n"
    )
    for key in ('"keywords": list of 2-4', '"file_filter": file ext', '"source_hint": filename'):
        assert key in asked["content"]
    assert turn.of("decision")[0].inputs["query"] == "boiler warranty May 2029"


def test_searcher_filters(pipeline) -> None:
    """Row 39: source_hint and file_filter become filters; both null: plain vector search."""

    def searched(**hints):
        turn = pipeline("Which invoices are there?", plan=plan("total", **hints))
        return turn.of("decision")[0].inputs, {o["file"] for o in turn.of("result")[0].objects}

    inputs, files = searched(source_hint="Invoice", file_filter="txt")
    assert len(inputs["files"]) == 4 and inputs["extension"] == ".txt"
    assert files and all("invoice" in file for file in files)
    assert all(file.endswith(".pdf") for file in searched(file_filter="pdf")[1])
    inputs, files = searched()
    assert not {"files", "extension"} & inputs.keys()
    assert any(file.endswith(".txt") for file in files)


def test_map(pipeline) -> None:
    """Row 40: one focused extraction question a chunk, at most five."""
    turn = pipeline()
    asked = [messages[0]["content"] for messages in turn.endpoint.talks("fact")]
    assert len(asked) == len(turn.of("result")[0].objects) == 5
    assert all(f"Question: {WARRANTY}\nText: " in text for text in asked)
    assert all('"relevant": true or false' in text for text in asked)


def test_filter(pipeline) -> None:
    """Row 41: drop chunks where relevant == false."""
    other = '{"relevant": false, "facts": ["of something else"]}'
    turn = pipeline(fact=lambda prompt: ENDS(prompt).replace(NOTHING, other))
    assert "Filter: 1 of 5 passages stay, with 1 fact." in turn.told
    ((reduced,),) = turn.endpoint.talks("reduce")
    assert "ends in May 2029" in reduced["content"]


def test_reduce_never_sees_raw_chunks(pipeline) -> None:
    """Row 42: the reduce prompt holds extracted facts only."""
    ((asked,),) = pipeline().endpoint.talks("reduce")
    assert asked["content"].startswith(
        "Here are facts extracted from the user's files:\n"
        "- The warranty of the boiler ends in May 2029.\n"
    )
    assert "installed in 2019" not in asked["content"]
    assert 'say "No relevant information found."' in asked["content"]


@pytest.mark.parametrize(
    ("answer", "confidence"),
    [(ANSWER, "high"), ("Elephants wander through green meadows every morning.", "low")],
)
def test_confidence_check(pipeline, answer, confidence) -> None:
    """Row 43: token overlap of answer and facts below 0.2 = low confidence, no LLM call."""
    turn = pipeline(reduce=answer)
    assert turn.end.confidence == confidence
    assert (turn.end.grounding >= 0.2) == (confidence == "high")
    assert roles(turn)[-1] == "reduce"  # nothing is asked after it


def test_cost_per_query(pipeline) -> None:
    """Row 44: 2 + N LLM calls, typically 7."""
    turn = pipeline()
    assert turn.end.model_calls == len(turn.endpoint.asked) == 7


@pytest.mark.parametrize(
    ("reply", "read", "relevant"),
    [
        ('{"relevant": true, "facts": ["in May 2029"]}', "json", True),
        ('Sure: {"relevant": true, "facts": ["in May 2029"', "pattern", True),
        ('"relevant" : FALSE, because it is not', "pattern", False),
        ("It ends in May 2029.", "default", True),
    ],
)
def test_json_parsing_strategy(pipeline, reply, read, relevant) -> None:
    """Row 45: json.loads, then regex, then relevant as the safe default."""
    turn = pipeline(fact=fact_of(reply))
    verdict = "relevant" if relevant else "not relevant"
    assert f": {verdict} ({read})." in turn.told
    stay = 1 if relevant else 0
    assert f"Filter: {stay} of 5 passages stay" in turn.told


def fact_of(reply: str):
    return lambda prompt: reply if "warranty ends" in prompt.split("Text:", 1)[-1] else NOTHING


def test_debug_prints_each_stage(manole, home) -> None:
    """Row 46: each stage prints intermediate results when debug=True."""
    roles = {"plan": plan("boiler", "warranty"), "fact": ENDS, "reduce": ANSWER}
    with serving(FakeEndpoint(**roles)) as endpoint:
        words = (
            "--set", f"model.base_url={endpoint.url}", "ask", WARRANTY, str(home), "--reuse",
            "--model", "openai:fake", *("--strategy", "pipeline"),
        )  # fmt: skip
        quiet, loud = manole(*words).stdout, manole(*words, "--debug").stdout
    for stage in ("Planner (json)", "Map 1 of 5", "Filter: 1 of 5", "Confidence: "):
        assert stage in loud and stage not in quiet


@pytest.mark.parametrize("broken", ["I cannot plan.", {"status": 400}])
def test_fallback_to_basic_rag(pipeline, broken) -> None:
    """Row 47: degrades gracefully to basic RAG if any stage fails."""
    turn = pipeline(plan=broken, final=ANSWER)
    assert "Answering from the passages in one prompt instead." in turn.told
    assert roles(turn) == ["plan", "other"]
    assert "May 2029" in turn.end.answer


def test_cli_arguments(manole, home, tmp_path) -> None:
    """Row 48: directory, --reuse, --force."""
    folder = tmp_path / "few"
    folder.mkdir()
    shutil.copy(home / "notes" / "boiler.md", folder)
    data = {"MANOLE_DATA_DIR": str(tmp_path / "data")}

    def files(*options: str) -> int:
        with serving(FakeEndpoint()) as endpoint:
            words = ("--set", f"model.base_url={endpoint.url}", "ask", "how many files are there?")
            done = manole(*words, str(folder), "--model", "openai:fake", "--json", *options, **data)
        assert done.returncode == 0, done.stderr
        return first_number(json.loads(done.stdout.splitlines()[-1])["answer"])

    assert files() == 1
    shutil.copy(home / "notes" / "lentils.md", folder)
    assert files("--reuse") == 1
    assert files("--force") == 2


def test_without_facts_nothing_is_invented(pipeline) -> None:
    """Row 49: “No relevant information found.” where the facts don't answer the question."""
    none = pipeline(fact=NOTHING)
    assert not none.end.found
    assert roles(none) == ["plan", "fact"]
    said = pipeline(reduce="No relevant information found.")
    assert not said.end.found


def test_basic_rag(ask) -> None:
    """Row 140: basic RAG (retrieve + single LLM call), the baseline."""
    turn = ask(WARRANTY, strategy="simple", final=ANSWER)
    assert turn.tools == ["semantic_search"]
    (asked,) = turn.endpoint.asked
    text = "".join(message["content"] for message in asked["messages"])
    assert "installed in 2019" in text and "The audit" in text  # whole chunks, unfiltered
    assert turn.end.model_calls == 1
