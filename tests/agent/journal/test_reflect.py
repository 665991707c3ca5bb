"""Turns over a journal: several searches, entries kept once, one contrast (with a fake model)."""

from datetime import date

import pytest
import pytest_asyncio

from agent.fake_models import FakeMissingModel, FakeModel
from agent.turns import chosen
from manole.agent.events import Complete, Decision, ResultEvent
from manole.agent.loop import make
from manole.library import Library

ENTRIES = {
    "2023-03-04": "Stressed again: the exam in statistics is next week and I sleep badly.",
    "2023-08-19": "A quiet week at the lake. Nothing to do, nowhere to be.",
    "2024-05-02": "My boss moved the deadline. I am stressed and cannot think of anything else.",
    "2024-11-30": "Bought a bread knife.",
    "2024-12-20": "Stressed about the move: boxes everywhere and no van yet.",
}
TODAY = date(2025, 1, 15)
STRESSED = "What have I been stressed about lately, and in 2023?"


@pytest_asyncio.fixture
async def journal(tmp_path, session_settings):
    """A journal of five days."""
    folder = tmp_path / "diary"
    folder.mkdir()
    for day, text in ENTRIES.items():
        (folder / f"{day}.md").write_text(f"{text}\n")
    async with await Library.open(folder, session_settings) as library:
        await library.sync()
        yield library


async def asked(journal, settings, model, question, strategy="agent"):
    ways = make(chosen(settings, strategy), journal, model, today=lambda: TODAY)
    return [event async for event in ways.ask(question)]


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


@pytest.mark.parametrize("strategy", ["agent", "journal"])
async def test_two_times_are_two_searches_and_one_prompt(journal, session_settings, strategy):
    model = FakeModel("Lately the move, in 2023 the exam in statistics.")
    events = await asked(journal, session_settings, model, STRESSED, strategy)
    assert [d.tool for d in of(events, Decision)] == [
        "date_range_search", "date_range_search", "DONE",
    ]  # fmt: skip
    (prompt,) = model.prompts
    assert "boxes everywhere" in prompt
    assert "exam in statistics" in prompt
    assert "deadline" not in prompt  # of neither time
    assert "DATE_RANGE_SEARCH" in prompt  # the trace
    end = events[-1]
    assert isinstance(end, Complete)
    assert {s.file for s in end.sources if s.cited} <= {"2024-12-20.md", "2023-03-04.md"}
    assert end.model_calls == 1 + (strategy == "agent")  # which plans first


async def test_an_entry_found_twice_is_read_once(journal, session_settings):
    model = FakeModel("The move.")
    question = "What have I been stressed about lately, and in 2024?"
    await asked(journal, session_settings, model, question)
    assert model.prompts[0].count("boxes everywhere") == 1
    assert "deadline" in model.prompts[0]


async def test_entries_say_what_seed_002_says(journal, session_settings):
    events = await asked(journal, session_settings, FakeModel("The move."), STRESSED)
    entry = of(events, ResultEvent)[0].objects[0]
    assert entry["retrieval_method"] == "DATE_RANGE_SEARCH"
    assert entry["date"] == "2024-12-20"
    assert entry["line"] == 1
    assert len(entry["entry_id"]) == 16


async def test_nothing_of_late_means_the_newest(journal, session_settings):
    way = make(
        chosen(session_settings, "journal"), journal, FakeModel("The move."),
        today=lambda: date(2026, 6, 1),
    )  # fmt: skip
    events = [event async for event in way.ask("What have I been stressed about lately?")]
    assert [d.tool for d in of(events, Decision)][:2] == ["date_range_search", "recent_entries"]


async def test_the_model_chooses_while_nothing_is_found(journal, session_settings):
    model = FakeModel('{"tool": "RECENT_ENTRIES", "reasoning": "newest", "limit": 2}', "A knife.")
    events = await asked(journal, session_settings, model, "How was I in 1999?", "journal")
    decisions = of(events, Decision)
    assert [d.tool for d in decisions] == ["date_range_search", "recent_entries", "DONE"]
    assert decisions[1].by == "model"


async def test_without_a_model_the_closest_entry_is_quoted(journal, session_settings):
    events = await asked(journal, session_settings, FakeMissingModel(), STRESSED)
    assert "The closest passage says" in events[-1].answer
    assert events[-1].confidence == "low"


async def test_where_there_is_no_journal_all_files_are_searched(tmp_path, session_settings):
    (tmp_path / "a.txt").write_text("The rent is 980 euros.\n")
    async with await Library.open(tmp_path, session_settings) as library:
        await library.sync()
        events = await asked(
            library, session_settings, FakeModel("980 euros."), "What is the rent?", "journal"
        )
    assert [d.tool for d in of(events, Decision)] == ["semantic_search"]
    assert "980" in events[-1].answer
