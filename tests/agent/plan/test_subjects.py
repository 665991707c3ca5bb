"""Papers are found by what they are for, by their numbers, and by words that no mark has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.fake_models import FakeMissingModel
from agent.turns import Decision, of, turn
from manole.agent.plan.marks import with_codes, with_topics
from manole.agent.plan.subjects import Subjects
from manole.agent.plan.understand import clauses

from .parsed import of as question_of
from .parsed import parsed

pytestmark = pytest.mark.asyncio(loop_scope="session")

PAPERS = [
    ("bills/2024-02 electricity.pdf", "bill", "Solvana Energie"),
    ("bills/scan_12.pdf", "invoice", "Dental practice Dr. Osei"),
    ("bills/2023-09 piano lessons.docx", "invoice", "Henrike Sommer"),
    ("bills/TP-0862 vet.pdf", "invoice", "Veterinary practice Haddad"),
]


@pytest.fixture(scope="session")
def subjects(household):
    return Subjects(household.embedder, PAPERS)


@pytest.mark.parametrize(
    ("word", "paper"),
    [("Klavierunterricht", PAPERS[2]), ("électricité", PAPERS[0]), ("Tierarzt", PAPERS[3])],
)
async def test_a_word_of_another_language_finds_the_paper_that_is_for_it(subjects, word, paper):
    assert subjects.of(word) == (paper[0],)


@pytest.mark.parametrize("word", ["groceries", "Fitnessstudio", "papers", "2023"])
async def test_a_word_for_which_there_is_no_paper_finds_none(subjects, word):
    assert subjects.of(word) == ()


async def test_one_paper_alone_is_set_apart_from_nothing(household):
    assert Subjects(household.embedder, PAPERS[:1]).of("electricity") == ()
    assert Subjects(household.embedder, []).of("electricity") == ()


def unread(question, *words):
    return replace(question, parsed=replace(question.parsed, unread=words))


async def test_a_number_of_a_paper_is_that_paper_whatever_it_was_taken_for():
    asked = parsed("papers", "sum", "total of [type:invoice] [number:FA-2017-0009] from [party:Au]")
    found = with_codes(question_of(asked), {"fa20170009": "FA-2017-0009"})
    assert [(m.tag, m.text) for m in found.marks] == [
        ("type", "invoice"), ("party", "Au"), ("code", "FA-2017-0009"),
    ]  # fmt: skip


async def test_words_without_a_mark_are_topics_but_for_those_that_say_nothing():
    asked = question_of(parsed("papers", "sum", "the total of your documents for electricity"))
    whole = with_topics(unread(asked, "your", "documents", "electricity"))
    assert [m.text for m in whole.marks] == ["electricity"]
    assert whole.parsed.unread == ()


async def test_a_figure_that_is_not_read_is_no_topic():
    asked = question_of(parsed("papers", "sum", "the total of 12 months"))
    assert with_topics(unread(asked, "12")) is None


@pytest.mark.parametrize(
    ("asked", "parts"),
    [
        ("How many photos are there?", 0),
        ("Which invoices are from Kramer and Miller?", 0),
        ("of the invoices dated 2024, which one is the smallest and what's the sum?", 2),
    ],
)
async def test_a_question_for_two_figures_is_two(asked, parts):
    from manole.agent.plan.understand import _read

    assert len(clauses(_read((asked,)))) == parts


async def test_a_word_that_the_parser_missed_is_found_in_the_library(household, session_settings):
    asked = "Hoe vaak heeft Jonas zelf de stroommeter afgelezen?"
    events = await turn(household, session_settings, FakeMissingModel(), asked, ())
    assert events[-1].answer.startswith("3 ")
    assert of(events, Decision)[-1].tool == "query"
