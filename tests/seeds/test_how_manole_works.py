"""“How Manole Works”, from the question to the answer; the numbers are those of docs/seeds.md."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from datetime import datetime

import pytest

from manole.models.chat.protocol import Completion
from manole.serve.queue import TurnQueue, turns_at_once
from manole.settings import Settings
from manole.text.lexicon import synonyms

from .fake_endpoint import FINAL, call, fact
from .home import INVOICES, MANUALS

WARRANTY = "When does the warranty of the boiler end?"
SEARCH = call("semantic_search", query="boiler warranty")
ENDS = fact("warranty ends", "The warranty of the boiler ends in May 2029.")


def said(*talk: str) -> list[dict[str, str]]:
    """A history: questions and answers in turn."""
    roles = ("user", "assistant") * len(talk)
    return [{"role": role, "content": text} for role, text in zip(roles, talk, strict=False)]


# Models -----------------------------------------------------------------------------------------


def test_models_of_the_catalog(manole) -> None:
    """Rows 97, 104, 117: the GGUF models and embeddings that are named may be chosen."""
    listed = {m["name"]: m for m in json.loads(manole("models", "--json").stdout)["models"]}
    kinds = {
        name: (listed[name]["kind"], len(listed[name]["files"]))
        for name in ("lfm2.5-1.2b-instruct", "moondream2")
    }
    assert kinds == {"lfm2.5-1.2b-instruct": ("chat", 1), "moondream2": ("vision", 2)}
    sizes = [file["size"] for file in listed["moondream2"]["files"]]
    assert sizes[0] == pytest.approx(2.8e9, rel=0.05) and sizes[1] == pytest.approx(9e8, rel=0.05)
    assert listed["contriever"]["kind"] == listed["nomic-embed-text"]["kind"] == "embedder"


class FakeSlowModel:
    """A model that notes when a call begins and ends."""

    name = "fake"

    def __init__(self) -> None:
        self.notes: list[str] = []

    async def get(self) -> FakeSlowModel:
        return self

    async def complete(self, messages: object, **_: object) -> Completion:
        self.notes.append("begins")
        await asyncio.sleep(0.02)
        self.notes.append("ends")
        return Completion("", None)  # type: ignore[arg-type]


async def test_a_lock_serializes_all_model_calls() -> None:
    """Row 105: model calls come one after the other, as the engine is used by one at a time."""
    model = FakeSlowModel()
    queue = TurnQueue(model, at_once=turns_at_once(Settings()))

    async def turn(client: str) -> None:
        async with queue.turn(client) as source:
            await (await source.get()).complete([])

    await asyncio.gather(*(turn(client) for client in "abc"))
    assert model.notes == ["begins", "ends"] * 3


def test_one_model_with_several_system_prompts(literal) -> None:
    """Row 106: agent, fact extractor and query rewriter are one model with different prompts."""
    talk = said("How high is the deposit?", "3,540.00 euros.")
    whole = "Who holds the deposit?"
    turn = literal("And who holds it?", SEARCH, "Nobody.", rewrite=whole, history=talk)
    begun = {role: turn.endpoint.talks(role)[0] for role in ("rewrite", "decide", "fact")}
    assert len({messages[0]["content"] for messages in begun.values()}) == 3
    assert len({body["model"] for body in turn.endpoint.asked}) == 1


# The loop ---------------------------------------------------------------------------------------


def test_rewriter_resolves_pronouns(literal) -> None:
    """Row 101: the rewriter resolves pronouns with the last 4 turns before the loop starts."""
    talk = said("How high is the deposit?", "3,540.00 euros.")
    whole = "Who holds the deposit?"
    turn = literal("And who holds it?", SEARCH, "Nobody.", rewrite=whole, history=talk)
    (asked,) = turn.endpoint.talks("rewrite")
    assert "How high is the deposit?" in asked[-1]["content"]
    assert "And who holds it?" in asked[-1]["content"]
    assert turn.endpoint.talks("decide")[0][-1]["content"] == whole


def test_rewriting_is_not_trusted(literal) -> None:
    """Row 101: a rewriting that loses a name or invents a number is not taken."""
    talk = said("How high is the deposit?", "3,540.00 euros.")
    wrong = "Who holds the 9,999 euros of Mr. Zorro?"
    turn = literal("And who holds it?", SEARCH, "Nobody.", rewrite=wrong, history=talk)
    asked = turn.endpoint.talks("decide")[0][-1]["content"]
    assert "Zorro" not in asked and "deposit" in asked


def test_term_expansion(literal) -> None:
    """Row 102: the query is expanded with synonyms to improve recall."""
    assert {"bill", "rechnung"} <= set(synonyms("the invoice")) and synonyms("Wyoming") == ()
    turn = literal("Which bill is from Huber?", call("semantic_search", query="bill"), "None.")
    assert "invoice" in turn.told  # what is looked for, too


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("How many lentils?", "count"),
        ("List the invoices", "list"),
        ("Compare the pump with the oven", "compare"),
        ("Summarize the boiler note", "summarize"),
        ("When was the boiler note modified?", "metadata"),
    ],
)
def test_intent_classification(literal, question, intent) -> None:
    """Row 103: factual, count, list, compare, summarize, metadata."""
    turn = literal(question, call("disk_usage"), "Done.")
    assert f"Kind of question: {intent}." in turn.told


def test_intent_helps_the_router(literal) -> None:
    """Row 103: the intent helps the router pick the right tool if the model doesn't."""
    question = "the amount of PDFs that I keep"
    tools = {
        said: literal(question, "Hm.", "Done.", intent=f'"{said}"').tools[0]
        for said in ("count", "metadata", "factual", "nonsense")
    }
    assert tools == {
        "count": "count_files", "metadata": "file_metadata", "factual": "semantic_search",
        "nonsense": "semantic_search",
    }  # fmt: skip


def test_all_tool_schemas_in_the_system_prompt(literal) -> None:
    """Row 137: the model sees all 8 tool schemas in its system prompt."""
    turn = literal("how many PDF files?", call("count_files"), "3.")
    system = turn.endpoint.talks("decide")[0][0]["content"]
    listed = json.loads(system.split("List of tools: ")[1].split("\n")[0])
    told = {tool["name"]: set(tool["parameters"]["properties"]) for tool in listed}
    assert told.pop("respond") == {"answer"}
    assert told.keys() == {
        "semantic_search", "count_files", "list_files", "grep_files", "file_metadata",
        "directory_tree", "folder_stats", "disk_usage",
    }  # fmt: skip
    assert told["semantic_search"] == {"query", "top_k"}
    assert {"extension", "time_filter"} <= told["count_files"]


@pytest.mark.parametrize(
    "written",
    [
        '<|tool_call_start|>[count_files(extension="pdf")]<|tool_call_end|>',
        '{"name": "count_files", "params": {"extension": "pdf"}}',
        '[count_files(extension="pdf")]',
        'count_files("pdf")',
    ],
    ids=["native", "json", "bracket", "bare"],
)
def test_parser_handles_four_formats(literal, written) -> None:
    """Rows 28, 107: LFM2.5 native, JSON, bracket, bare function call."""
    (first, *_) = literal("which PDF files?", written, "These.").of("decision")
    assert (first.tool, first.inputs, first.by) == ("count_files", {"extension": "pdf"}, "model")


def test_followup_check(literal) -> None:
    """Row 108: keywords of the query that no result covers are searched for."""
    turn = literal("When does the zeppelin's boiler warranty end?", SEARCH, "2029.", fact=ENDS)
    (follow,) = [d for d in turn.of("decision") if d.by == "followup"]
    assert "zeppelin" in str(follow.inputs) and "boiler" not in str(follow.inputs)
    covered = literal(WARRANTY, SEARCH, "2029.", fact=ENDS)
    assert not [d for d in covered.of("decision") if d.by == "followup"]


def test_followup_check_by_names_of_files(literal) -> None:
    """Row 108: grep_files for a missing word that names a file; names of files cover words."""
    turn = literal("Do the boiler and the leaflet agree?", SEARCH, "Yes.", fact=ENDS)
    follow = next(d for d in turn.of("decision") if d.by == "followup")
    assert (follow.tool, follow.inputs) == ("grep_files", {"pattern": "leaflet"})
    named = literal("Is there a leaflet?", call("grep_files", pattern="leaf"), "Yes.")
    assert named.tools == ["grep_files", "respond"]
    assert not named.endpoint.prompts("fact")  # no needless call


def test_answer_when_out_of_steps(literal) -> None:
    """Row 109: a final answer by `respond`, or when it runs out of steps."""
    by_respond = literal(WARRANTY, SEARCH, call("respond", answer="In May 2029."), fact=ENDS)
    assert by_respond.end.answer.startswith("In May 2029.")
    calls = [call("grep_files", pattern=word) for word in ("boiler", "pump", "oven", "rent")]
    forced = literal(WARRANTY, SEARCH, *calls, *calls, fact=ENDS, final="By May 2029.")
    assert [messages[-1]["content"] for messages in forced.endpoint.talks("final")] == [FINAL]
    assert forced.end.answer.startswith("By May 2029.")


# Tools ------------------------------------------------------------------------------------------


def test_count_files_of_a_time(tool) -> None:
    """Row 110: count_files(extension, time_filter): by extension or recency."""
    assert tool("count_files", time_filter="December 2024").metadata["count"] == 1
    assert tool("count_files", time_filter="June 2024", extension="pdf").metadata["count"] == 3
    assert tool("count_files", time_filter="2019").metadata["count"] == 0


def test_list_files_sorted(tool, home) -> None:
    """Row 111: list_files(extension, limit, sort_by): by date, size or name."""
    sizes = {p.relative_to(home).as_posix(): p.stat().st_size for p in home.rglob("*.*")}
    by_size = [o["file"] for o in tool("list_files", sort_by="size", limit=3).objects]
    assert by_size == sorted(sizes, key=lambda name: -sizes[name])[:3]
    by_name = [o["file"] for o in tool("list_files", sort_by="name", limit=100).objects]
    assert by_name == sorted(sizes, key=str.lower)


def test_creation_date(tool, home) -> None:
    """Row 112: file_metadata(name_hint): size, creation date, modification date."""
    file = home / "notes" / "boiler.md"
    seconds = getattr(file.stat(), "st_birthtime", None)
    if seconds is None and sys.platform == "linux":  # 0 where the file system does not know it
        told = subprocess.run(["stat", "-c", "%W", file], capture_output=True, check=True)
        seconds = int(told.stdout)
    (found,) = tool("file_metadata", name_hint="boiler.md").objects
    assert found["size"] == file.stat().st_size
    assert found["modified"].startswith("2024-06-01T12:00")
    if seconds:
        born = datetime.fromisoformat(found["created"])
        assert int(born.timestamp()) == int(seconds)
    else:
        assert not found.get("created")


def test_folder_stats(tool, home) -> None:
    """Row 113: folder_stats(sort_by, limit): aggregate folder sizes and file counts."""
    stats = tool("folder_stats", sort_by="count", limit=2).objects
    assert [(o["folder"], o["files"]) for o in stats] == [("invoices", 4), ("journal", 4)]
    on_disk = sum((home / "invoices" / name).stat().st_size for name in INVOICES)
    assert stats[0]["size"] == on_disk


def test_disk_usage(tool, home) -> None:
    """Row 114: disk_usage(): total breakdown by file type."""
    used = tool("disk_usage")
    assert used.metadata["total_bytes"] == sum(p.stat().st_size for p in home.rglob("*.*"))
    by_type = {o["type"]: o["files"] for o in used.objects}
    assert by_type[".pdf"] == len(MANUALS) and by_type[".jpg"] == 1


def test_intent_routing(literal) -> None:
    """Row 122: tree → directory_tree, how many .pdf files → count_files, else semantic_search."""
    first = {
        question: literal(question, "Hm.", "Done.").of("decision")[0]
        for question in ("show me the tree", "how many .pdf files", "what is the deposit?")
    }
    assert [d.tool for d in first.values()] == ["directory_tree", "count_files", "semantic_search"]
    assert first["how many .pdf files"].inputs["extension"].strip(".") == "pdf"


def test_intent_routing_of_space_and_size(literal) -> None:
    """Row 121: “disk usage” → disk_usage(), “biggest files” → list_files(sort_by="size")."""
    for question in ("how much space do my files take?", "what is the disk usage?"):
        assert literal(question, "Hm.", "Done.").tools[0] == "disk_usage"
    (biggest, *_) = literal("what are the biggest files?", "Hm.", "Done.").of("decision")
    assert (biggest.tool, biggest.inputs) == ("list_files", {"sort_by": "size"})


def test_router_takes_the_name_out_of_a_question(literal) -> None:
    """Row 122: the router gives file_metadata the name, not the whole question."""
    (first, *_) = literal("When was rent.md created?", "Hm.", "Done.").of("decision")
    assert (first.tool, first.inputs) == ("file_metadata", {"name_hint": "rent.md"})


# Search -----------------------------------------------------------------------------------------


def test_map_filter_gives_facts_and_sources(literal) -> None:
    """Rows 119, 135: facts of the chunks that the LLM found relevant, and the source files."""
    turn = literal(WARRANTY, SEARCH, "It ends in May 2029.", fact=ENDS)
    (found,) = turn.of("result")
    assert [(o["file"], o["facts"]) for o in found.objects] == [
        ("notes/boiler.md", ["The warranty of the boiler ends in May 2029."])
    ]
    (source,) = [s for s in turn.end.sources if s.cited]
    assert source.file == "notes/boiler.md" and source.quote


def test_filename_fallback(server) -> None:
    """Row 120: a file is found by the words of its name alone."""
    found = server.client.get("/search", params={"q": "leaflet"}).json()
    best = found["results"][0]
    assert best["file"] == "manuals/leaflet.pdf"
    assert "leaflet" not in best["text"].lower()
