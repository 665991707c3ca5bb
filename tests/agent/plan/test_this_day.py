"""This day in other years, told by a diary."""

from __future__ import annotations

from datetime import date

import pytest

from manole.agent.plan.planner import of_this_day
from manole.models.parser import parser
from manole.text.question import Question

TODAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    "text",
    [
        "What was I doing on this day in other years?",
        "Was habe ich an diesem Tag in anderen Jahren gemacht?",
        "Qu'est-ce que j'ai fait ce jour-là les autres années ?",
        "Cosa ho fatto in questo giorno negli altri anni?",
        "¿Qué hice en este día en otros años?",
        "Wat deed ik op deze dag in andere jaren?",
    ],
)
def test_it_is_asked_in_many_languages(text):
    assert parser().read(text).tool == "thisday"
    query = of_this_day(Question(text, TODAY))
    assert "'11-20'" in query
    assert "2026-11-20" in query


def test_one_year_is_that_day():
    assert "IN ('2023')" in of_this_day(Question("What did I do on this day in 2023?", TODAY))


@pytest.mark.parametrize(
    "text", ["What is on this table?", "What did I do last year?", "How many years is the lease?"]
)
def test_other_questions_go_their_way(text):
    assert parser().read(text).tool == "-"
