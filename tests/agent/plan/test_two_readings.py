"""The parser's reading and the model's query, over the real household with the real parser."""

from __future__ import annotations

import pytest

from agent.fake_models import FakeMissingModel, FakeModel
from agent.turns import of, turn
from manole.agent.events import Decision
from manole.agent.plan.understand import apart
from manole.library import Library

HOW_MANY = "SELECT count(*) FROM files WHERE kind = '{}'"


@pytest.fixture
def ask(household, session_settings, monkeypatch):
    monkeypatch.setattr("manole.agent.loop._PATIENCE", 60)  # no search meanwhile on a slow machine

    async def run(model, question):
        return await turn(household, session_settings, model, question, ())

    return run


@pytest.fixture
def unsure(monkeypatch):
    """The parser reads as ever, and is never believed."""
    monkeypatch.setattr("manole.agent.plan.understand.SURE", 2.0)


@pytest.mark.parametrize(
    ("question", "files"),
    [
        ("How many PDF files are there?", 21),
        ("Wie viele PDFs habe ich?", 21),
        ("pdf count?", 21),
    ],
)
async def test_what_the_parser_is_sure_of_takes_no_model(ask, question, files):
    events = await ask(FakeMissingModel(), question)
    (decision,) = of(events, Decision)
    assert decision.by == "parser"
    assert len({source.file for source in events[-1].sources}) == files
    assert events[-1].model_calls == 0


async def test_what_narrows_a_kind_of_file_is_looked_for(ask):
    end = (await ask(FakeMissingModel(), "find photos of the beach"))[-1]
    assert end.answer == "holidays/photos/beach-blokhus.jpg [1]"


async def test_two_readings_that_agree_are_of_high_confidence(ask, unsure):
    events = await ask(FakeModel("x", plan=HOW_MANY.format("pdf")), "How many PDFs are there?")
    (decision,) = of(events, Decision)
    assert (decision.by, events[-1].confidence) == ("parser", "high")


async def test_two_figures_of_the_same_groups_do_not_agree(ask, unsure):
    plan = "SELECT issuer, max(total) AS total FROM papers GROUP BY issuer"
    events = await ask(FakeModel("x", plan=plan), "number of papers per issuer")
    assert events[-1].confidence == "low"


async def test_where_they_differ_the_parser_is_told_and_doubted(ask, unsure):
    model = FakeModel("x", plan=HOW_MANY.format("mail"))
    events = await ask(model, "How many PDFs have I got?")
    (decision,) = of(events, Decision)
    assert (decision.by, events[-1].confidence) == ("parser", "low")


async def test_what_leaves_a_word_out_in_both_readings_is_read(ask, unsure):
    model = FakeModel("x", plan=HOW_MANY.format("mail"))
    events = await ask(model, "How many zorbly PDFs have I got?")
    (written, searched) = of(events, Decision)
    assert (written.by, searched.tool) == ("model", "semantic_search")


async def test_two_readings_that_leave_a_word_out_are_not_sure(ask, unsure):
    model = FakeModel("x", plan=HOW_MANY.format("pdf"))
    events = await ask(model, "How many zorbly PDFs are there?")
    assert events[-1].confidence == "low"


async def test_two_things_at_once_are_each_computed(ask):
    asked = "of the invoices dated 2024, which one is the smallest and what's the sum?"
    end = (await ask(FakeMissingModel(), asked))[-1]
    assert "290.96 EUR" in end.answer
    assert "4,411.14 EUR" in end.answer


@pytest.mark.parametrize("question", ["which colour is the sofa", "what may the red wine cost"])
async def test_what_may_as_well_be_read_is_not_asked_of_the_model(ask, question):
    events = await ask(FakeModel("It is 5.", plan=HOW_MANY.format("pdf")), question)
    (first, *_) = of(events, Decision)
    assert (first.tool, first.by) == ("semantic_search", "parser")


async def test_without_a_table_nothing_is_looked_up_in_one(tmp_path, session_settings, monkeypatch):
    monkeypatch.setattr("manole.agent.loop._PATIENCE", 60)
    (tmp_path / "games.md").write_text(
        "Levi Ackerson led the Panthers in sacks that year.\n", "utf-8"
    )
    async with await Library.open(tmp_path, session_settings) as library:
        await library.sync()
        model = FakeModel("Levi Ackerson did.", plan=HOW_MANY.format("pdf"))
        events = await turn(library, session_settings, model, "Who led the Panthers in sacks?", ())
    (first, *_) = of(events, Decision)
    assert (first.tool, first.by) == ("semantic_search", "parser")
    assert "Ackerson" in events[-1].answer


async def test_of_several_questions_the_first_is_answered_and_the_others_are_named(ask):
    asked = "How many PDF files do I have? What is the deposit of the flat? When was I in Rome?"
    end = (await ask(FakeMissingModel(), asked))[-1]
    assert end.answer.startswith("You have 21 PDF files")
    assert "“What is the deposit of the flat?”" in end.answer
    assert "“When was I in Rome?”" in end.answer


@pytest.mark.parametrize(
    "asked",
    [
        "Which photo is the largest? And how big is it?",
        "Wer hat die Rechnung geschickt? Und wann?",
        "I wonder. How many PDFs are there?",
        "Can you help me? Where is my passport?",
        "a? " * 1_300,
        "",
    ],
)
def test_what_leans_on_the_question_before_belongs_to_it(asked):
    assert len(apart(asked)) == 1
