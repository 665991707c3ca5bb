"""Which questions are answered from the journal alone, over the household and over its journal."""

import shutil
from datetime import date

import pytest

from agent.fake_models import FakeMissingModel, FakeModel
from agent.turns import chosen, of, tools
from manole.agent.events import ResultEvent
from manole.agent.journal import asks_journal
from manole.agent.loop import make
from manole.library import Library
from manole.text.question import Question

TODAY = date(2024, 12, 15)


@pytest.mark.parametrize(
    ("question", "is_for", "is_for_a_time"),
    [
        ("What have I been stressed about lately vs last year?", True, True),
        ("What was I stressed about lately?", True, True),
        ("What was I worried about in 2019?", True, True),
        ("Who lent us a drill?", True, False),
        ("What happened on 9 December 2024?", True, True),
        ("What happened in 2023?", False, False),
        ("How high is the deposit?", False, False),
        ("How high is our deposit?", False, False),
        ("Which invoices did I get in 2023?", False, False),
        ("How much did we pay for electricity in 2022 and in 2023?", False, False),
        ("What is the notice period?", False, False),
    ],
)
async def test_a_question_about_oneself_whose_words_no_other_file_says_better(
    household, question, is_for, is_for_a_time
):
    assert await asks_journal(household, Question(question, TODAY)) is is_for
    assert await asks_journal(household, Question(question, TODAY), timed=True) is is_for_a_time


@pytest.mark.parametrize("strategy", ["agent", "journal"])
async def test_calendars_and_contacts_are_no_answer_to_what_one_was_stressed_about(
    household, session_settings, strategy
):
    way = make(
        chosen(session_settings, strategy), household, FakeMissingModel(), today=lambda: TODAY
    )
    events = [event async for event in way.ask("What was I stressed about lately?")]
    assert {s.file for s in events[-1].sources if s.cited} == {"journal/2024-12-08.md"}


# -- a journal by itself, whose files have front matter ------------------------------------------


@pytest.fixture
async def alone(tmp_path, household_folder, session_settings):
    shutil.copytree(household_folder / "journal", tmp_path / "diary")
    async with await Library.open(tmp_path / "diary", session_settings) as library:
        await library.sync()
        yield library


async def test_all_questions_are_for_a_library_that_is_a_journal(alone):
    assert await asks_journal(alone, Question("Who lent the drill?", TODAY))
    assert not await asks_journal(alone, Question("Who lent the drill in 2022?", TODAY), timed=True)


@pytest.mark.usefixtures("a_model_plans")
@pytest.mark.parametrize("strategy", ["agent", "journal", "simple"])
async def test_an_entry_is_its_title_day_and_text_and_never_front_matter(
    alone, session_settings, strategy
):
    model = FakeModel("You slept on mattresses in the living room.")
    for source in (model, FakeMissingModel()):
        way = make(chosen(session_settings, strategy), alone, source, today=lambda: TODAY)
        events = [event async for event in way.ask("When did we move in?")]
        assert tools(events)
        shown = "\n".join(event.model_dump_json() for event in events)
        assert "author" not in shown
        assert "title: First night" not in shown
        assert "mattresses" in shown
    assert "author" not in "\n".join(model.prompts)
    (entry,) = {
        (o["date"], o["title"], o["line"])
        for result in of(events, ResultEvent)
        for o in result.objects
        if o["file"] == "2022-03-02.md"
    }
    assert entry == ("2022-03-02", "First night", 8)
