"""“Agentic LLM Search Loop Implementation Plan”: one test a mechanism (docs/seeds.md)."""

from __future__ import annotations

import json
import re
from datetime import date

import pytest

from manole.documents.journal.entry import make_entry
from manole.tools.base import Environment, Result
from manole.tools.objects import FoundEntry

from .fake_endpoint import FakeEndpoint, serving
from .home import JOURNAL

THEN_AND_NOW = "What have I been stressed about lately vs last year?"
NOWHERE = "What did I write about in 2019?"
DONE = json.dumps({"tool": "DONE", "reasoning": "nothing more to look for"})
ANSWER = "You were stressed about the move."


def choice(tool: str, **fields: object) -> str:
    return json.dumps({"tool": tool, "reasoning": "it may help", **fields})


@pytest.fixture
def journal(ask):
    """A turn of the journal's loop, led by the model where its choices are given."""

    def run(question, *choices, final=ANSWER, sent=(), **more):
        led = {"led_by": "model"} if choices or "select" in more else {}
        sent = {**led, **dict(sent)}
        return ask(question, *choices, strategy="journal", final=final, sent=sent, **more)

    return run


@pytest.fixture
def chat(server, endpoint: FakeEndpoint):
    """`chat("...", *choices, use_agent=True)` gives the ChatResponse of `/journal_chat`."""

    def run(message: str, *choices: str, path="/journal_chat", status=200, **body: object):
        endpoint.script(*choices, final=ANSWER)
        asked = {"message": message, "today": "2024-12-15", **body}
        answer = server.client.post(path, json=asked)
        assert answer.status_code == status, answer.text
        return answer.json()

    return run


def prompt_of(messages: list[dict[str, str]]) -> str:
    return "\n".join(message["content"] for message in messages)


def entries(turn) -> list[dict]:
    return [entry for result in turn.of("result") for entry in result.objects]


# The loop ---------------------------------------------------------------------------------------


def test_stressed_lately_and_last_year_are_two_searches(journal) -> None:
    """Row 68: “stressed about lately vs last year?” should trigger multiple searches."""
    turn = journal(THEN_AND_NOW)
    ranges = [d.inputs for d in turn.of("decision") if d.tool == "date_range_search"]
    assert [(r["start_date"][:4], r["end_date"][:4]) for r in ranges] == [
        ("2024", "2024"), ("2023", "2023"),
    ]  # fmt: skip
    assert {e["date"] for e in entries(turn)} == set(JOURNAL)


def test_each_tool_type(journal, server) -> None:
    """Rows 52, 67, 71: VECTOR_SEARCH, RECENT_ENTRIES, DATE_RANGE_SEARCH and DONE."""
    chosen = {
        "VECTOR_SEARCH": choice("VECTOR_SEARCH", query="boat trip", limit=1),
        "RECENT_ENTRIES": choice("RECENT_ENTRIES", limit=1),
        "DATE_RANGE_SEARCH": choice(
            "DATE_RANGE_SEARCH", start_date="2024-11-01", end_date="2024-11-30"
        ),
    }
    found = {}
    for name, said in chosen.items():
        turn = journal(NOWHERE, said)
        (led,) = [d for d in turn.of("decision") if d.by == "model"]
        assert led.tool == name.lower()
        found[name] = [e["date"] for e in entries(turn)]
    assert found == {
        "VECTOR_SEARCH": ["2023-08-19"],
        "RECENT_ENTRIES": ["2024-12-05"],
        "DATE_RANGE_SEARCH": ["2024-11-20"],
    }
    done = journal(NOWHERE, chosen["VECTOR_SEARCH"], DONE)
    assert (done.of("decision")[-1].tool, done.of("decision")[-1].by) == ("DONE", "model")
    assert done.of("decision")[-1].reasoning == "nothing more to look for"


def test_the_selector_leads_when_asked_to(journal) -> None:
    """Row 50: AgentToolSelector chooses each tool, or DONE, and gives its reasoning."""
    sea, new = choice("VECTOR_SEARCH", query="boat trip"), choice("RECENT_ENTRIES", limit=2)
    turn = journal("How was the boat trip?", sea, new, DONE)
    assert [(d.tool, d.by, d.reasoning) for d in turn.of("decision")] == [
        ("vector_search", "model", "it may help"),
        ("recent_entries", "model", "it may help"),
        ("DONE", "model", "nothing more to look for"),
    ]
    assert len(turn.endpoint.prompts("select")) == 3
    code = journal("How was the boat trip?")
    assert [(d.tool, d.by) for d in code.of("decision")][:1] == [("vector_search", "router")]
    assert not code.endpoint.prompts("select")


def test_selector_is_held_to_a_schema(journal) -> None:
    """Row 51: a range without its dates cannot be written."""
    body = journal(NOWHERE, DONE).endpoint.prompts("select")[0]
    text = json.dumps(body["response_format"]["json_schema"]["schema"])
    ranges = text[text.index("DATE_RANGE_SEARCH") :].split("}]")[0]
    assert re.search(r'"required": \[[^]]*"start_date", "end_date"', ranges)


def test_selector_reads_what_was_done(journal) -> None:
    """Row 51: AgentToolSelector(user_query, accumulated_context, iteration, max_iterations)."""
    sea = choice("VECTOR_SEARCH", query="boat", limit=1)
    turn = journal(NOWHERE, sea, DONE, sent={"max_iterations": 4})
    first, second = map(prompt_of, turn.endpoint.talks("select"))
    for iteration, asked in ((1, first), (2, second)):
        assert NOWHERE in asked
        assert re.search(rf"\b{iteration}\b[^\n]*\b4\b", asked)
        assert "2024-12-15" in asked  # today, which "lately" counts from
    assert "At the sea" not in first and "At the sea" in second
    assert "VECTOR_SEARCH(query=boat" in second


def test_search_tool_call(journal) -> None:
    """Row 53: SearchToolCall: tool, reasoning, query, start_date, end_date, limit."""
    span = {"start_date": "2023-08-01", "end_date": "2023-08-31"}
    turn = journal(NOWHERE, choice("DATE_RANGE_SEARCH", query="sea", limit=3, **span))
    (led,) = [d for d in turn.of("decision") if d.by == "model"]
    assert (led.tool, led.reasoning) == ("date_range_search", "it may help")
    assert led.inputs == {**span, "query": "sea", "n": 3}


def test_max_iterations_cap(journal) -> None:
    """Row 65: max iterations cap, which prevents runaway loops."""
    years = [
        choice("DATE_RANGE_SEARCH", start_date=f"{year}-01-01", end_date=f"{year}-12-31")
        for year in range(1990, 2010)
    ]
    for most in (2, 4):
        turn = journal(NOWHERE, *years, sent={"max_iterations": most})
        assert turn.tools == ["date_range_search"] * most + ["DONE"]


@pytest.mark.parametrize(
    "reply",
    ["I would look at the sea.", "", choice("DATE_RANGE_SEARCH"), choice("DELETE_ENTRIES")],
)
def test_unusable_choice_falls_back_to_vector_search(journal, reply) -> None:
    """Row 66: “if tool selector fails, fall back to simple vector search”."""
    turn = journal("What was the boat trip like?", reply)
    assert next((d.tool, d.by) for d in turn.of("decision")) == ("vector_search", "fallback")
    assert "2023-08-19" in {e["date"] for e in entries(turn)}


def test_selector_that_fails_falls_back_to_a_search_that_is_made(journal) -> None:
    """Row 66: the same where the model fails."""
    turn = journal("What was the boat trip like?", select={"status": 400})
    assert "vector_search" in turn.tools
    assert "2023-08-19" in {e["date"] for e in entries(turn)}
    assert turn.end.found


@pytest.mark.parametrize(
    ("start", "end", "days"),
    [
        ("2023-02-28", "2023-02-31", ("2023-02-28", "2023-02-28")),
        ("2023-08-31", "2023-08-01", ("2023-08-01", "2023-08-31")),
        ("2023-08-01", "9999-12-31", ("2023-08-01", "2024-12-15")),
    ],
)
def test_impossible_ranges(journal, start, end, days) -> None:
    """Row 53: start_date and end_date may be impossible: they are mended, and said to be."""
    turn = journal(NOWHERE, choice("DATE_RANGE_SEARCH", start_date=start, end_date=end))
    (led,) = [d for d in turn.of("decision") if d.by == "model" and d.tool != "DONE"]
    assert (led.inputs["start_date"], led.inputs["end_date"]) == days
    assert "mended" in turn.told


def test_a_time_without_entries_is_said_to_have_none(journal) -> None:
    """Row 68: an answer holds only what entries of its times say."""
    turn = journal("What was I stressed about in 2019?", final="You feared a storm in 2019.")
    assert "storm" not in turn.end.answer and "2019" in turn.end.answer
    assert turn.end.outcome != "answered"


def test_what_no_entry_of_a_time_says_is_no_answer(journal) -> None:
    """Row 68: entries of the time that do not say it answer nothing; the nearest is quoted."""
    turn = journal("What did I cook last year?", final="You cooked on the boat trip.")
    assert (turn.end.found, turn.end.outcome, turn.end.confidence) == (False, "nearest", "low")
    (nearest,) = [source.file for source in turn.end.sources if source.cited]
    assert nearest.startswith("journal/2023-")
    assert "2023" in turn.end.answer and "You cooked" not in turn.end.answer


# State ------------------------------------------------------------------------------------------


def test_retrieved_entry(journal) -> None:
    """Row 55: RetrievedEntry: entry_id, date, title, text, retrieval_method, relevance_score."""
    turn = journal(NOWHERE, choice("VECTOR_SEARCH", query="boat trip", limit=1))
    (entry,) = entries(turn)
    assert entry["entry_id"] and entry["title"] == "At the sea"
    assert "Two weeks of sun" in entry["text"]
    assert (entry["date"], entry["retrieval_method"]) == ("2023-08-19", "VECTOR_SEARCH")
    assert 0 < entry["relevance_score"] <= 1


def test_search_iterations_in_the_trace(chat) -> None:
    """Rows 56, 64: iteration, tool, reasoning, query, results_count, new_entries_added."""
    trace = chat(THEN_AND_NOW, path="/journal_chat_agent")["search_trace"]
    assert [(t["iteration"], t["tool"]) for t in trace] == [
        (1, "date_range_search"), (2, "date_range_search"), (3, "DONE"),
    ]  # fmt: skip
    assert all(t["reasoning"] for t in trace)
    assert all("stressed" in t["query"] for t in trace[:2]) and trace[2]["query"] is None
    assert [(t["results_count"], t["new_entries_added"]) for t in trace] == [(2, 2), (2, 2), (0, 0)]


def test_dedupe_by_hash_of_date_and_title(chat) -> None:
    """Rows 62, 71: entry deduplication by hash(date+title)."""
    sea = choice("VECTOR_SEARCH", query="boat trip at the sea", limit=1)
    year = choice("DATE_RANGE_SEARCH", start_date="2023-01-01", end_date="2023-12-31")
    path, asked = "/journal_chat_agent", "How was my boat trip in 2023?"
    first, second, *_ = chat(asked, sea, year, path=path, led_by="model")["search_trace"]
    assert (first["results_count"], first["new_entries_added"]) == (1, 1)
    assert (second["results_count"], second["new_entries_added"]) == (2, 1)
    day = date(2023, 8, 19)
    same = [make_entry(f"{n}.md", day, "At the sea", [], 1).id for n in "ab"]
    other = make_entry("a.md", date(2023, 8, 20), "At the sea", [], 1).id
    assert same[0] == same[1] != other


def found(n: int, day: int) -> FoundEntry:
    entry = make_entry("a.md", date(2023, 1, day), f"Entry {n} {'word ' * 14}", [], 1)
    return FoundEntry.of(entry, 0.5, "vector_search")


def test_agent_search_state() -> None:
    """Row 57: AgentSearchState: add_entry(), get_context_string(), get_trace_string()."""
    environment = Environment()
    assert environment.add("vector_search", Result([found(1, 1), found(2, 2)])) == 2
    assert environment.add("recent_entries", Result([found(2, 2), found(3, 3)])) == 1
    kept = list(environment.objects(FoundEntry))
    assert [entry.date.day for entry in kept] == [1, 2, 3]


def test_token_aware_truncation() -> None:
    """Rows 63, 71: token-aware context truncation prevents exceeding model limits."""
    environment = Environment()
    for n in range(1, 29):
        environment.add(
            "vector_search", Result([found(n, n)], llm_message=f"Entry {n} {'word ' * 40}")
        )
    for most in (50, 200, 1000):
        context = environment.to_llm_context(most)
        assert len(context) / 3.5 <= most
        assert "Entry 28" in context  # the newest
        assert "Entry 1 " not in context


# Synthesizer, endpoints -------------------------------------------------------------------------


def test_synthesizer_gets_history_context_and_trace(journal) -> None:
    """Rows 54, 59: AgentSynthesizer of query, chat_history, context and search_trace."""
    said = [
        {"role": "user", "content": "Who is Pippa?"},
        {"role": "assistant", "content": "The dog."},
    ]
    turn = journal(THEN_AND_NOW, history=said)
    then, now = sorted(map(prompt_of, turn.endpoint.talks("other")), key=lambda t: "boxes" in t)
    for asked in (then, now):
        assert "Who is Pippa?" in asked and "The dog." in asked
        assert asked.count("DATE_RANGE_SEARCH(") == 2
        assert "stressed" in asked
    assert "forty boxes" in now and "audit at work" not in now
    assert "audit at work" in then and "forty boxes" not in then
    assert "move" in turn.end.answer


def test_chat_request(chat) -> None:
    """Row 58: ChatRequest: use_agent = False, max_iterations = 5."""
    plain = chat(THEN_AND_NOW)
    assert [t["tool"] for t in plain["search_trace"]] == ["semantic_search"]
    steps = chat(THEN_AND_NOW, use_agent=True)
    assert len(steps["search_trace"]) == 3
    one = chat(THEN_AND_NOW, use_agent=True, max_iterations=1)
    assert [t["tool"] for t in one["search_trace"]] == ["date_range_search", "DONE"]
    for wrong in (0, 99, "many"):
        chat(THEN_AND_NOW, max_iterations=wrong, status=422)


def test_journal_chat_agent(chat, server, endpoint) -> None:
    """Rows 60, 61: POST /journal_chat_agent → ChatResponse, by agentic_llm_flow."""
    answer = chat(THEN_AND_NOW, path="/journal_chat_agent")
    assert answer["found"] and "move" in answer["response"]
    assert {s["file"] for s in answer["sources"]} <= {f"journal/{day}.md" for day in JOURNAL}
    endpoint.script(final=ANSWER)
    asked = {"message": THEN_AND_NOW, "today": "2024-12-15"}
    lines = server.client.post("/journal_chat_agent/stream", json=asked).text.splitlines()
    assert json.loads(lines[-1])["answer"] == answer["response"]


def test_client_is_chosen_at_run_time(manole, home) -> None:
    """Row 141: the synthesizer's client comes from a registry, by name and address."""
    with serving(FakeEndpoint(final=ANSWER)) as other:
        done = manole(
            "--set", f"model.base_url={other.url}", "ask", "How was the boat trip?", str(home),
            "--reuse", "--model", "openai:another", "--strategy", "journal",
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert {body["model"] for body in other.asked} == {"another"}


def test_lancedb(server, session_settings) -> None:
    """Row 70: LanceDB keeps the entries."""
    assert server.service.default.library.kept_by == "lancedb"
    assert list(session_settings.data_dir.rglob("*.lance"))
