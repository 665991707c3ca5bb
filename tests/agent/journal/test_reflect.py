"""Turns over a journal: several searches, entries kept once, one contrast (with a fake model)."""

import re
from datetime import date

import pytest

from agent.fake_models import FakeMissingModel, FakeModel
from agent.journal.diary import STRESSED, TODAY, asked
from agent.turns import chosen, of, told
from manole.agent.events import Complete, Decision, ErrorEvent, ResultEvent
from manole.agent.languages import ENGLISH
from manole.agent.loop import make
from manole.library import Library
from manole.models.chat.protocol import Message


@pytest.mark.usefixtures("a_model_plans")
@pytest.mark.parametrize("strategy", ["agent", "journal"])
async def test_two_times_are_two_searches_and_two_parts_of_their_own_entries(
    journal, session_settings, strategy
):
    model = FakeModel("The move, boxes everywhere.", "The exam in statistics.")
    events = await asked(journal, session_settings, model, STRESSED, strategy)
    assert [d.tool for d in of(events, Decision)] == [
        "date_range_search", "date_range_search", "DONE",
    ]  # fmt: skip
    lately, before = model.prompts
    assert "boxes everywhere" in lately
    assert "statistics" not in lately
    assert "exam in statistics" in before
    assert "boxes" not in before
    assert "deadline" not in lately + before  # of neither time
    assert "DATE_RANGE_SEARCH" in lately  # the trace
    end = events[-1]
    assert isinstance(end, Complete)
    assert end.answer.split("\n\n") == [
        "Lately: The move, boxes everywhere. [1]", "2023: The exam in statistics. [3]",
    ]  # fmt: skip
    assert {s.file for s in end.sources if s.cited} == {"2024-12-20.md", "2023-03-04.md"}
    assert end.model_calls == 2 + (strategy == "agent")  # which plans first


@pytest.mark.parametrize(
    "said",
    [
        "You were stressed about the flood of 1987.",  # a figure of no entry
        "You were stressed about Margarete and the move.",  # a name of no entry
        "Ich bin wegen des Umzugs gestresst, überall Kisten: boxes everywhere.",  # as the diary
        "Lions eat gazelles at night, mostly near rivers and lakes of the savannah.",
        "Not found.",
    ],
)
async def test_what_the_entries_of_a_time_do_not_say_is_replaced_by_an_extract(
    journal, session_settings, said
):
    model = FakeModel(said)
    question = "What have I been stressed about lately?"
    end = (await asked(journal, session_settings, model, question, "journal"))[-1]
    assert "boxes everywhere" in end.answer
    assert said not in end.answer
    assert end.outcome == "nearest"
    assert end.confidence == "low"


@pytest.mark.parametrize("said", ["", " \n "])
async def test_an_empty_answer_is_told_and_an_extract_quoted(journal, session_settings, said):
    question = "What have I been stressed about lately?"
    events = await asked(journal, session_settings, FakeModel(said), question, "journal")
    (error,) = of(events, ErrorEvent)
    assert error.message == "The model wrote no answer."
    end = events[-1]
    assert "boxes everywhere" in end.answer
    assert (end.corrected, end.confidence) == (True, "low")


async def test_an_endless_answer_is_cut(journal, session_settings):
    model = FakeModel("You were stressed about the move. " * 600)
    settings = chosen(session_settings, "journal", answer_tokens=50)
    question = "What have I been stressed about lately?"
    events = await asked(journal, settings, model, question, "journal")
    assert "The reply was cut after 400 characters." in told(events)
    assert len(events[-1].answer) < 600


async def test_one_entry_from_one_search_is_said_so(journal, session_settings):
    model = FakeModel("You bought a bread knife.")
    question = "What did I buy on 30 November 2024?"
    events = await asked(journal, session_settings, model, question, "journal")
    assert of(events, Decision)[-1].reasoning == "1 entry from 1 search"
    assert "Reading 1 extract of entries." in told(events)


@pytest.mark.parametrize(
    "question", ["What did I do on 30 November 2024?", "Was war am 30.11.2024 los?"]
)
async def test_a_day_that_is_asked_for_alone_is_told_in_its_own_words(
    journal, session_settings, question
):
    end = (await asked(journal, session_settings, FakeModel("no"), question, "journal"))[-1]
    assert end.model_calls == 0
    assert (end.outcome, end.confidence) == ("answered", "high")
    assert "knife" in end.answer
    assert "[1]" in end.answer


async def test_an_answer_is_told_to_the_one_who_wrote_it(journal, session_settings):
    model = FakeModel("I am stressed about my move: boxes everywhere.")
    question = "What have I been stressed about lately?"
    end = (await asked(journal, session_settings, model, question, "journal"))[-1]
    assert end.answer == "You are stressed about your move: boxes everywhere. [1]"
    assert end.outcome == "answered"


async def test_what_entries_say_is_answered_of_them(journal, session_settings):
    model = FakeModel("You were stressed about the move: boxes everywhere and no van yet.")
    question = "What have I been stressed about lately?"
    end = (await asked(journal, session_settings, model, question, "journal"))[-1]
    assert (end.outcome, end.confidence) == ("answered", "medium")


async def test_what_no_entry_of_a_time_says_is_said_to_be_said_by_none(journal, session_settings):
    model = FakeModel("You cooked boxes everywhere and no van yet.")
    question = "What did I cook lately?"
    end = (await asked(journal, session_settings, model, question, "journal"))[-1]
    none = ENGLISH.no_entry_says.format(time="from 16 November 2024 to 15 January 2025")
    assert end.answer.startswith(none)
    assert (end.found, end.outcome, end.confidence) == (False, "nearest", "low")
    nearest = [source.file for source in end.sources if source.cited]
    assert nearest == ["2024-11-30.md"]  # the bread knife
    assert model.prompts == []


async def test_what_an_entry_says_in_other_words_has_low_confidence(journal, session_settings):
    model = FakeModel("You were stressed about the move: boxes everywhere and no van yet.")
    question = "What have I been anxious about lately?"
    end = (await asked(journal, session_settings, model, question, "journal"))[-1]
    assert (end.outcome, end.confidence) == ("answered", "low")


async def test_a_storm_is_no_stress(household, session_settings):
    model = FakeModel("You were stressed about the aquarium in Hirtshals.")
    way = make(
        chosen(session_settings, "journal"), household, model, today=lambda: date(2024, 12, 15)
    )
    question = "What have I been stressed about lately vs last year?"
    end = [event async for event in way.ask(question)][-1]
    none = ENGLISH.no_entry_says.format(time="in 2023")
    assert f"Last year: {none}" in end.answer
    assert (end.found, model.prompts) == (False, [])
    assert {s.file[:12] for s in end.sources if s.cited} == {"journal/2024", "journal/2023"}


async def test_an_entry_belongs_to_the_first_of_its_times(journal, session_settings):
    model = FakeModel("The move.")
    question = "What have I been stressed about lately, and in 2024?"
    await asked(journal, session_settings, model, question)
    assert "boxes everywhere" in model.prompts[0]
    assert "deadline" in model.prompts[1]
    assert "boxes everywhere" not in model.prompts[1]


async def test_a_time_without_entries_is_said_to_have_none_and_no_other_answers(
    journal, session_settings
):
    model = FakeModel("never asked")
    events = await asked(journal, session_settings, model, "What was I worried about in 2019?")
    first = (await journal.entries())[0]
    nearest = f"The nearest: {ENGLISH.written(first.date)} [1]."
    assert events[-1].answer == f"No entry is dated in 2019. {nearest}"
    assert [source.file for source in events[-1].sources] == [first.file]
    assert events[-1].outcome == "nothing"
    assert model.prompts == []
    both = "What was I stressed about in 2019, and in 2023?"
    end = (await asked(journal, session_settings, FakeModel("The exam."), both, "journal"))[-1]
    assert end.answer.split("\n\n") == ["2019: No entry is dated in 2019.", "2023: The exam. [1]"]
    assert end.found


async def test_a_follow_up_is_made_whole_before_its_times_are_read(journal, session_settings):
    asked_before = Message("user", "What was I stressed about in 2024?")
    said = [asked_before, Message("assistant", "The move.")]
    model = FakeModel("The exam in statistics.")
    way = make(chosen(session_settings, "journal"), journal, model, today=lambda: TODAY)
    events = [event async for event in way.ask("and in 2023?", said)]
    first = of(events, Decision)[0]
    assert first.inputs["start_date"] == "2023-01-01"
    assert "stressed" in first.inputs["query"]
    assert "exam in statistics" in events[-1].answer


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
    assert re.search(r"\b2024\b", events[-1].answer)  # the day of what is told is said
    assert events[-1].outcome == "nearest"


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
