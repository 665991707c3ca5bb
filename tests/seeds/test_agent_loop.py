"""“Agent Loop Migration Design”: one test a mechanism; the numbers are those of docs/seeds.md."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys

import pytest

from manole.models.engine.llamaserver import LlamaServer
from manole.settings import ModelSettings
from manole.tools.registry import Registry

from .fake_endpoint import FINAL, FakeEndpoint, call, fact, native, serving
from .home import INVOICES, JOURNAL, MANUALS, NOTES, PHOTOS
from .turns import LITERAL

WARRANTY = "When does the warranty of the boiler end?"
SEARCH = call("semantic_search", query="boiler warranty")
ENDS = fact("warranty ends", "The warranty of the boiler ends in May 2029.")
ALL = len(INVOICES) + len(JOURNAL) + len(MANUALS) + len(NOTES) + len(PHOTOS)


# The loop ---------------------------------------------------------------------------------------


def test_at_most_five_steps_then_forced_synthesis(literal) -> None:
    """Rows 1, 7: max 5 steps; then “Give a concise final answer based on the information above.”"""
    words = ("boiler", "rent", "invoice", "budget", "people", "lentils", "pump")
    calls = [call("grep_files", pattern=word) for word in words]
    turn = literal("What of the boiler?", *calls, final="There is a boiler.")
    assert turn.tools == ["grep_files"] * 5
    (last,) = turn.endpoint.talks("final")
    assert last[-1] == {"role": "user", "content": FINAL}
    assert turn.end.answer.startswith("There is a boiler.")


def test_native_tool_calling_first(literal) -> None:
    """Row 2: try native tool calling first."""
    turn = literal("how many PDF files?", native("count_files", extension="pdf"), "3.")
    (first, *_) = turn.of("decision")
    assert (first.tool, first.inputs, first.by) == ("count_files", {"extension": "pdf"}, "model")


def test_keyword_router_on_step_0_only(literal) -> None:
    """Row 3: “if model doesn't produce a tool call on the first step, Python router kicks in”."""
    turn = literal("how many PDF files?", "Let me think about it.", "Still thinking: 3.")
    assert [(d.tool, d.by) for d in turn.of("decision")] == [
        ("count_files", "fallback"), ("respond", "model"),
    ]  # fmt: skip
    assert "Still thinking: 3" in turn.end.answer


@pytest.mark.parametrize(
    ("question", "tool", "inputs"),
    [
        ("count my pdf files", "count_files", {"extension": "pdf"}),
        ("What is the folder structure?", "directory_tree", {}),
        ("show files of type pdf", "list_files", {"extension": "pdf"}),
        ("What is the meaning of lentils?", "semantic_search", None),
    ],
)
def test_router_rules_with_extension_detection(literal, question, tool, inputs) -> None:
    """Row 4: keyword heuristics: count, tree, list, metadata, else search."""
    (first, *_) = literal(question, "Hm.", "Done.").of("decision")
    assert (first.tool, first.by) == (tool, "fallback")
    assert first.inputs == ({"query": question} if inputs is None else inputs)


def test_router_asks_for_metadata(literal) -> None:
    """Row 4: “file size”, “when was”, “modified”, “created” lead to file_metadata."""
    turn = literal("When was budget_q1_2026.txt modified?", "Hm.", "Done.")
    assert turn.tools[0] == "file_metadata"
    assert turn.of("result")[0].objects[0]["file"] == "budget_q1_2026.txt"


def test_router_when_the_model_is_absent(literal) -> None:
    """Row 5: “the architectural benefits regardless of tool calling reliability”."""
    turn = literal("how many PDF files?", decide={"status": 400})
    assert turn.tools == ["count_files"]
    assert turn.of("decision")[0].by == "fallback"
    assert turn.end.answer.startswith("There are 3 PDF files")


def test_respond_needs_something_found(literal) -> None:
    """Row 6: respond(answer) ends the turn, and can be chosen once something was found."""
    early = literal("how many PDF files?", call("respond", answer="None."), "Three.")
    assert early.tools[0] == "count_files"  # as if nothing had been called
    missed = call("grep_files", pattern="zeppelin")
    failed = literal("Where is the zeppelin?", missed, call("respond", answer="In Rome."))
    assert "respond" not in failed.tools and "Rome" not in failed.end.answer
    late = literal(WARRANTY, SEARCH, call("respond", answer="In May 2029."), fact=ENDS)
    assert late.tools[-1] == "respond"
    assert late.end.answer.startswith("In May 2029.")
    assert not late.endpoint.prompts("final")


def test_direct_text_is_the_answer(literal) -> None:
    """Row 138: “Direct text → return as answer”."""
    turn = literal(WARRANTY, SEARCH, "It ends in May 2029.", fact=ENDS)
    assert turn.end.answer.startswith("It ends in May 2029.")
    assert len(turn.endpoint.prompts("decide")) == 2


def test_results_are_appended_to_the_messages(literal) -> None:
    """Row 25: the call as assistant's message, the result as the tool's."""
    turn = literal(WARRANTY, SEARCH, call("disk_usage"), "Done.", fact=ENDS)
    first, second, third = turn.endpoint.talks()
    assert [m["role"] for m in third] == ["system", "user", *("assistant", "tool") * 2]
    assert third[:2] == first and third[:4] == second
    assert second[2]["content"] == SEARCH


def test_unknown_tool(literal) -> None:
    """Row 17: ToolRegistry maps names to functions; an unknown one is none."""
    turn = literal("how many PDF files?", call("rm", path="/"), "3.")
    assert turn.tools == ["count_files", "respond"]
    assert Registry().parse("rm", {"path": "/"}) is None
    assert "rm" not in Registry() and "count_files" in Registry()


def test_results_fit_the_context(literal) -> None:
    """Row 35: “facts capped per chunk”, so that results fit n_ctx = 8192."""
    many = json.dumps({"relevant": True, "facts": [f"{n} {'x' * 2000}" for n in range(80)]})
    turn = literal(WARRANTY, call("semantic_search", query="boiler"), "Done.", fact=many)
    for found in turn.of("result")[0].objects:
        assert 0 < len(found["facts"]) <= 12 and max(map(len, found["facts"])) <= 300
    result = turn.endpoint.talks()[-1][3]
    assert result["role"] == "tool"
    assert 1000 < len(result["content"]) <= 6000


# The model --------------------------------------------------------------------------------------


def test_the_seeds_model_is_in_the_catalog(manole) -> None:
    """Row 8: LFM2.5-1.2B-Instruct, GGUF Q4_0, 696 MB, may be chosen."""
    listed = {m["name"]: m for m in json.loads(manole("models", "--json").stdout)["models"]}
    model = listed["lfm2.5-1.2b-instruct"]
    assert model["kind"] == "chat"
    assert 600e6 < model["size"] < 750e6
    assert ModelSettings(name="lfm2.5-1.2b-instruct").name == model["name"]


def test_one_model_for_all_roles(literal) -> None:
    """Row 9: drop the dual-model setup; one model for deciding, extracting and answering."""
    calls = [call("grep_files", pattern=w) for w in ("boiler", "rent", "pump", "budget")]
    turn = literal(WARRANTY, SEARCH, *calls, fact=ENDS, final="May 2029.")
    for role in ("decide", "fact", "final"):
        assert turn.endpoint.prompts(role)
    assert {body["model"] for body in turn.endpoint.asked} == {"fake"}


def test_sampling_of_generate(manole, literal) -> None:
    """Rows 10, 139: n_ctx 8192, temperature 0.1, top_k 50, top_p 0.1, repeat_penalty 1.05."""
    usual = ModelSettings()
    assert usual.context == 8192
    engine = LlamaServer("m", "http://127.0.0.1:9", "key", usual)._body([], {"max_tokens": 1})
    assert (engine["temperature"], engine["top_k"], engine["top_p"]) == (0.1, 50, 0.1)
    assert engine["repeat_penalty"] == 1.05
    asked = literal("how many PDF files?", call("count_files"), "3.").endpoint.asked
    assert {(body["temperature"], body["top_p"]) for body in asked} == {(0.1, 0.1)}
    assert {body["max_tokens"] for body in asked} == {256}


# Tools ------------------------------------------------------------------------------------------


def test_semantic_search(literal) -> None:
    """Row 11: semantic_search(query, top_k): search by meaning, returns extracted facts."""
    asked = call("semantic_search", query="boiler warranty", top_k=2)
    turn = literal(WARRANTY, asked, "Done.", fact=ENDS)
    (found,) = [r for r in turn.of("result") if r.metadata["query"] == "boiler warranty"]
    assert [o["file"] for o in found.objects] == ["notes/boiler.md"]
    assert 1 <= len(turn.endpoint.prompts("fact")) <= 2


def test_count_files(tool) -> None:
    """Row 12: count_files(extension)."""
    assert tool("count_files", extension="pdf").metadata["count"] == len(MANUALS)
    assert tool("count_files", extension=".PDF").metadata["count"] == len(MANUALS)
    assert tool("count_files").metadata["count"] == ALL


def test_list_files(tool) -> None:
    """Row 13: list_files(extension, limit): sorted by modification date."""
    newest = tool("list_files", limit=2)
    assert len(newest.objects) == 2
    assert newest.objects[0]["file"] == "notes/rent.md"
    pdfs = tool("list_files", extension="pdf")
    assert {o["file"] for o in pdfs.objects} == {f"manuals/{name}" for name in MANUALS}


def test_file_metadata(tool, home) -> None:
    """Row 14: file_metadata(name_hint): file size, dates for matching files."""
    told = tool("file_metadata", name_hint="budget_q1_2026")
    (found,) = told.objects
    assert found["size"] == (home / "budget_q1_2026.txt").stat().st_size
    assert "2024-06-01" in told.message and f"{found['size']:,} bytes" in told.message


def test_grep_files(tool) -> None:
    """Row 15: grep_files(pattern): find files by name pattern."""
    found = tool("grep_files", pattern="invoice")
    assert {o["file"] for o in found.objects} == {f"invoices/{name}" for name in INVOICES}
    missed = tool("grep_files", pattern="zeppelin")
    assert missed.type == "error" and missed.recoverable and missed.suggestion


def test_directory_tree(tool) -> None:
    """Row 16: directory_tree(max_depth): show folder structure."""
    tree = tool("directory_tree", max_depth=1)
    folders = {o["folder"]: o["files"] for o in tree.objects}
    assert folders == {
        "holidays": 2, "invoices": 4, "journal": 4, "manuals": 3, "notes": 4,
    }  # fmt: skip
    assert "invoices/ (4 files)" in tree.message


def test_toolbox_without_shell(tool, home) -> None:
    """Rows 26, 115: single methods, no execute(plan); the indexed folder only, no shell."""
    (home.parent / "outside.txt").write_text("not of the folder")
    listed = {o["file"] for o in tool("list_files", limit=100).objects}
    on_disk = {p.relative_to(home).as_posix() for p in home.rglob("*") if p.is_file()}
    assert listed == on_disk
    for name in ("files", "matching", "wording"):
        module = importlib.import_module(f"manole.tools.{name}")
        tree = ast.parse(open(module.__file__).read())  # noqa: SIM115, PTH123
        imported = {
            alias.name.partition(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in [*node.names, ast.alias(getattr(node, "module", None) or "")]
        }
        assert not imported & {"os", "subprocess", "shutil"}


# Search -----------------------------------------------------------------------------------------


def test_the_agent_never_sees_raw_chunks(literal) -> None:
    """Row 18: search → score-filter → extract facts → format: “From FILE:”, then its facts."""
    turn = literal(WARRANTY, SEARCH, "Done.", fact=ENDS)
    result = turn.endpoint.talks()[-1][3]["content"]
    assert result == "From notes/boiler.md:\n  - The warranty of the boiler ends in May 2029."
    assert any("installed in 2019" in talk[-1]["content"] for talk in turn.endpoint.talks("fact"))


def test_score_pre_filter(ask, literal) -> None:
    """Rows 19, 118: chunks far below the best one are dropped before the map phase."""
    plain = ask(WARRANTY, strategy="simple").of("result")[0].objects
    relevant = '{"relevant": true, "facts": ["a warranty of a boiler"]}'
    turn = literal(WARRANTY, call("semantic_search", query=WARRANTY), "Done.", fact=relevant)
    kept = turn.of("result")[0].objects
    best = max(o["similarity"] for o in kept)
    near = {o["id"] for o in plain if (o["similarity"] or 0) >= 0.85 * best}
    assert {o["id"] for o in kept} == near
    assert len(near) < len(plain)
    assert len(turn.endpoint.prompts("fact")) == len(kept)


@pytest.mark.parametrize("unreadable", ["The boiler is warm.", "", '{"facts": ["x"]}'])
def test_relevance_is_false_where_the_reply_cannot_be_parsed(literal, unreadable) -> None:
    """Rows 20, 22: relevant=False on parse failure: “… none were relevant to the query.”"""
    turn = literal(WARRANTY, SEARCH, "I do not know.", fact=unreadable)
    (error, *_) = turn.of("error")
    assert error.message == "Search returned results but none were relevant to the query."
    assert not turn.of("result")


def test_raw_text_where_extraction_fails(literal) -> None:
    """Row 21: “If extraction fails, return raw chunk text”."""
    turn = literal(WARRANTY, SEARCH, "Done.", fact={"status": 400})
    assert "warranty ends in May 2029" in turn.of("result")[0].objects[0]["text"]
    assert "warranty" in turn.endpoint.talks()[-1][3]["content"]


# Prompt, parser, shell --------------------------------------------------------------------------

RULES = """
- Call semantic_search when the user asks about information INSIDE files
- Call filesystem tools for questions ABOUT files themselves
- You can call multiple tools if needed to get a complete answer
- If a search returns no results, try a different query or tool before giving up
- Keep answers concise and grounded in what the tools return
- NEVER make up information that wasn't in tool results
"""


def test_system_prompt(literal) -> None:
    """Row 23: SYSTEM_PROMPT with its rules."""
    system = literal("how many PDF files?", call("count_files"), "3.").endpoint.talks()[0][0]
    assert system["role"] == "system"
    assert system["content"].startswith("You are a personal file assistant.")
    assert RULES.strip() in system["content"]


def test_chat_keeps_the_conversation(environment, home, tmp_path) -> None:
    """Rows 24, 27: chat.py is a thin shell; the last 2 turns stand before the question."""
    script = FakeEndpoint(*[call("grep_files", pattern=w) for w in ("pump", "rent", "lentil")])
    questions = ["pump files?", "rent files?", "lentil files?", "oven files?"]
    script.decisions = [
        said for n, q in enumerate(questions)
        for said in (call("grep_files", pattern=q.split()[0]), f"Answer {n}.")
    ]  # fmt: skip
    with serving(script):
        done = subprocess.run(
            [sys.executable, "-m", "manole.cli.app", "--set", f"model.base_url={script.url}",
             "--set", "agent.keep_conversations=false",
             "chat", str(home), "--reuse", "--model", "openai:fake", *LITERAL],
            env=environment, cwd=tmp_path, input="\n".join([*questions, "/quit", "never"]),
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Answer 3." in done.stdout
    last = script.talks()[-1]
    said = [m["content"] for m in last[1:5]]
    assert [m["role"] for m in last[1:6]] == ["user", "assistant", "user", "assistant", "user"]
    assert said[0] == "rent files?" and said[2] == "lentil files?"
    assert said[1].startswith("Answer 1.") and said[3].startswith("Answer 2.")


# Examples ---------------------------------------------------------------------------------------


def test_how_many_pdf_files_in_two_calls_without_a_search(literal) -> None:
    """Row 29: “how many PDF files?” = 2 LLM calls, 0 search calls."""
    turn = literal("how many PDF files?", call("count_files", extension="pdf"), "You have 3.")
    assert turn.tools == ["count_files", "respond"]
    assert turn.end.model_calls == len(turn.endpoint.asked) == 2
    assert turn.end.answer.startswith("You have 3")


def test_semantic_question_from_extracted_facts(literal) -> None:
    """Row 31: “target revenue for engineering department?” answered from facts."""
    found = fact("Project Alpha", "Revenue targets: Project Alpha $180,000")
    query = call("semantic_search", query="target revenue engineering department")
    final = "The target is $180,000 for Project Alpha."
    turn = literal("target revenue for engineering department?", query, final, fact=found)
    assert turn.end.answer.startswith("The target is $180,000")
    assert {s.file for s in turn.end.sources if s.cited} == {"budget_q1_2026.txt"}
    assert turn.end.confidence == "high"  # the figure stands in the facts


def test_several_tools_and_a_second_search_for_the_gap(literal) -> None:
    """Rows 32, 34: the model sees 4 of 10 invoices, and searches again before it answers."""
    turn = literal(
        "list all invoices and their totals",
        call("semantic_search", query="invoice total amount"),
        call("grep_files", pattern="invoice"),
        call("semantic_search", query="invoice amount due"),
        call("respond", answer="Four: 120.00, 86.50, 240.00 and 95.00."),
        fact=fact("Total amount due", "Total amount due"),
    )
    led = [(d.tool, d.by) for d in turn.of("decision") if d.by == "model"]
    assert [tool for tool, _ in led] == [
        "semantic_search", "grep_files", "semantic_search", "respond",
    ]  # fmt: skip
    assert turn.end.answer.startswith("Four: 120.00, 86.50, 240.00 and 95.00.")
