"""A question about times in a turn: answered from the journal's lines, without a model."""

from __future__ import annotations

import json
import re

import pytest
import pytest_asyncio

from agent.fake_models import FakeMissingModel, FakeModel
from agent.turns import of, tools, turn
from manole.agent.answering.answer import NOT_STATED
from manole.agent.events import Decision, ResultEvent
from manole.agent.times.routes import with_times
from manole.agent.times.tool import CITED, TIMES, JournalTimes, TimesInputs
from manole.agent.understanding.rules import Route
from manole.library import Library
from manole.tools.environment import TurnState

from .notes import DAYS, TODAY

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES = {f"days/{day}.md": text for day, text in DAYS.items()} | {
    "sports/2023.md": "\n".join(f"# 2023-07-{n:02}\nSwam {n} lengths.\n" for n in range(1, 21)),
    "letters/bank.txt": "The deposit of the flat is 900 EUR.\nIt is due on 3 June 2024.\n",
    "Journal.json": json.dumps(
        {"entries": [
            {"uuid": "A", "creationDate": "2023-12-31T22:30:00Z", "timeZone": "Europe/Bucharest",
             "text": "# New Year\n\nWatched the fireworks from the roof."},
            {"uuid": "B", "creationDate": "2024-02-01T09:00:00Z", "text": "Planted the plum tree."},
        ]},
        indent=2,
    ),
}  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def library(tmp_path_factory, session_settings):
    folder = tmp_path_factory.mktemp("life")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    async with await Library.open(folder, session_settings) as library:
        await library.sync()
        yield library


@pytest.fixture
def ask(library, session_settings):
    async def run(question, model=None, **more):
        return await turn(library, session_settings, model or FakeMissingModel(), question, **more)

    return run


def places(end):
    return [(s.file, s.line) for s in end.sources if s.cited]


@pytest.mark.parametrize(
    ("question", "answer", "cited"),
    [
        (
            "How many times did I have soup in April 2024?",
            "2 times: on 2024-04-02, 2024-04-09 [1][2]",
            [("days/2024-04-02.md", 2), ("days/2024-04-09.md", 2)],
        ),
        ("When did I last ride?", "2025-01-03 [1]", [("days/2025-01-03.md", 1)]),
        ("When did I first ride?", "2024-04-09 [1]", [("days/2024-04-09.md", 1)]),
        ("When did I repair the gate?", "2024-04-16 [1]", [("days/2024-04-17.md", 1)]),
        (
            "When did I visit Sanda?",
            "2024-05-13 to 2024-05-19 (“last week”) [1]",
            [("days/2024-05-21.md", 1)],
        ),
        ("When was my dentist appointment?", "2024-06-01 [1]", [("days/2024-06-01.md", 1)]),
        ("When did I watch the fireworks?", "2024-01-01 [1]", [("Journal.json", 7)]),
        ("When did I plant the plum tree?", "2024-02-01 [1]", [("Journal.json", 12)]),
        (
            "How many km did I ride last year?",
            "20 km, from 2 entries [1][2]",
            [("days/2024-04-09.md", 1), ("days/2024-05-04.md", 1)],
        ),
        (
            "How many days between the dentist appointment and my call to Sanda?",
            "28 days, from 2024-06-01 to 2024-05-04 [1][2]",
            [("days/2024-06-01.md", 1), ("days/2024-05-04.md", 3)],
        ),
        (
            "Who did I have lunch with most?",
            "Dorin (Dorin 3×, Sanda 1×) [1][2][3]",
            [("days/2024-04-02.md", 2), ("days/2024-04-17.md", 2), ("days/2024-06-01.md", 3)],
        ),
    ],
)
async def test_an_answer_without_a_model(ask, question, answer, cited):
    events = await ask(question)
    end = events[-1]
    assert tools(events) == [TIMES]
    assert (end.answer, end.found, end.model_calls) == (answer, True, 0)
    assert places(end) == cited


async def test_a_source_quotes_a_line_of_its_file(ask, library):
    model = FakeModel("nothing")
    for question in ("When did I watch the fireworks?", "How often did I have soup for lunch?"):
        end = (await ask(question, model))[-1]
        assert {int(n) for n in re.findall(r"\[(\d+)\]", end.answer)} == {s.n for s in end.sources}
        for source in end.sources:
            lines = (library.roots[0] / source.file).read_text("utf-8").split("\n")
            assert source.quote in lines[source.line - 1]
    assert model.prompts == []


async def test_the_decision_and_the_result_say_what_was_counted(ask):
    events = await ask("How many times did I have soup for lunch?")
    (decision,) = of(events, Decision)
    assert (decision.by, decision.reasoning) == ("router", "asks for times (count)")
    (result,) = of(events, ResultEvent)
    assert result.payload_type == "rows"
    assert result.metadata == {"kind": "count", "words": "soup lunch", "mentions": 3}
    first = result.objects[0]
    assert first["columns"] == {"date": "2024-04-02", "text": "Had soup for lunch with Dorin."}
    assert len({o["id"] for o in result.objects}) == 3


@pytest.mark.parametrize(
    ("question", "confidence"),
    [
        ("When did I repair the gate?", "high"),
        ("On which days did I have soup?", "medium"),
        ("How many times did I repair the gate?", "medium"),
        ("When did I last have soup?", "medium"),
    ],
)
async def test_that_no_other_line_speaks_of_it_is_not_certain(ask, question, confidence):
    assert (await ask(question))[-1].confidence == confidence


async def test_of_many_mentions_only_some_are_cited(ask):
    end = (await ask("How often did I swim lengths in 2023?"))[-1]
    assert end.answer.startswith("20 times: on 2023-07-01")
    assert len(end.sources) == CITED
    assert end.sources[-1].file == "sports/2023.md"
    assert end.sources[-1].line == 3 * CITED - 1


async def test_only_what_lies_in_the_scope_is_counted(ask):
    assert tools(await ask("How often did I swim lengths?", scope="sports")) == [TIMES]
    end = (await ask("When did I last have soup?", scope="days/2024-05-21.md"))[-1]
    assert places(end) == [("days/2024-05-21.md", 2)]
    events = await ask("How often did I have soup?", FakeModel("Not found."), scope="sport")
    assert not events[-1].found


@pytest.mark.parametrize(
    "question", ["When did I go to Madrid?", "How often did I play chess in 2024?"]
)
async def test_where_nothing_speaks_of_it_the_search_follows(ask, question):
    model = FakeModel("Not found.")
    events = await ask(question, model)
    assert tools(events)[:2] == [TIMES, "semantic_search"]
    assert not of(events, ResultEvent) or of(events, ResultEvent)[0].tool == "semantic_search"
    assert events[-1].answer.startswith(NOT_STATED)
    assert not events[-1].found


async def test_what_no_entry_says_is_answered_from_other_files(ask):
    events = await ask("When is the deposit of the flat due?", FakeModel("On 3 June 2024."))
    assert tools(events)[:2] == [TIMES, "semantic_search"]
    assert events[-1].answer.startswith("On 3 June 2024.")
    assert {s.file for s in events[-1].sources if s.cited} == {"letters/bank.txt"}


@pytest.mark.parametrize("question", ["What is the deposit?", "How many files are there?"])
async def test_other_questions_go_their_own_way(ask, question):
    assert TIMES not in tools(await ask(question, FakeModel("900 EUR.")))


async def test_where_there_is_no_journal_the_search_goes_first(tmp_path, session_settings):
    text = "question,reply\ndeposit,It was paid on 3 June 2024\nrent,900 EUR\n"
    (tmp_path / "bank.eml").write_text(f"Subject: The deposit\n\n{text}")
    async with await Library.open(tmp_path, session_settings) as library:
        await library.sync()
        model = FakeModel("On 3 June 2024.")
        events = await turn(library, session_settings, model, "When was the deposit paid?")
    assert TIMES not in tools(events)
    assert events[-1].found


async def test_where_files_are_declared_nothing_is_counted(library, session_settings):
    index = session_settings.index.model_copy(update={"kind": "files"})
    settings = session_settings.model_copy(update={"index": index})
    async with await Library.open(library.roots[0], settings) as files:
        events = await turn(files, settings, FakeModel("Yes."), "When did I repair the gate?")
    assert "semantic_search" in tools(events)
    assert not [e for e in of(events, ResultEvent) if e.tool == TIMES]


# -- the tool and the route alone --------------------------------------------------------------


async def test_the_tool_is_never_offered_to_the_model(library, session_settings):
    state = TurnState(question="?", library=library, settings=session_settings, today=TODAY)
    tool = JournalTimes()
    assert not tool.is_tool_available(state)
    outcomes = [o async for o in tool(state, TimesInputs(question="What is the deposit?"))]
    assert outcomes == []


async def test_a_route_is_changed_only_where_the_whole_question_is_searched_for(library):
    files = await library.files()
    search = Route("semantic_search", {"query": "x"}, "why", clause="x")
    question = "When did I last ride?"
    (changed,) = with_times([search], files, question, TODAY)
    assert (changed.tool, changed.inputs, changed.sure) == (TIMES, {"question": question}, True)
    assert changed.clause == search.clause
    other = Route("count_files", {}, "why", clause="x")
    assert with_times([other], files, question, TODAY) == [other]
    assert with_times([search, search], files, question, TODAY) == [search, search]
    assert with_times([search], [], question, TODAY) == [search]
    assert with_times([search], files, "What is the deposit?", TODAY) == [search]


@pytest.mark.parametrize(
    ("clause", "sure", "tool"),
    [
        ("How often did I ride, according to my days?", False, TIMES),
        ("How many times did I ride according to my days?", False, TIMES),
        ("How many letters did I write in my days?", False, "count_files"),
        ("How many dentist entries are there?", False, TIMES),
        ("How many dentist entries are there?", True, "count_files"),
        ("How often did I ride, according to my days?", True, "count_files"),
    ],
)
async def test_a_journal_in_a_folder_of_that_name(library, clause, sure, tool):
    count = Route("count_files", {}, "counts files", sure=sure, clause=clause)
    (planned,) = with_times([count], await library.files(), clause, TODAY)
    assert planned.tool == tool
