"""A dossier as the answer to a question: when it is one, and how it reads."""

from __future__ import annotations

import re
from datetime import date

import pytest

from agent.fake_models import FakeMissingModel
from manole.agent.dossier.answer import about_asked
from manole.agent.dossier.names import words_of
from manole.agent.events import Complete, Decision
from manole.agent.loop import Agent
from manole.agent.plan.marks import asked
from manole.models.parser import parser


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("everything about Kramer", "Kramer"),
        ("Everything about Pippa the cat?", "Pippa"),
        ("Alles über Pippa!", "Pippa"),
        ("Was haben wir über Frau Brandt?", "Frau Brandt"),
        ("Tout sur le garage Wiltgen", "garage Wiltgen"),
        ("What do we have on the Kangoo?", "Kangoo"),
        ("tutto sull’idraulico", "idraulico"),
        ("everything about “Dr. Weyand”", "Dr. Weyand"),
        ("everything about", ""),
        ("everything about it", ""),
        ("everything about what happened last March", ""),
        ("everything about the notice period and the deposit of our flat", ""),
        ("When was everything about Kramer said?", ""),
    ],
)
def test_a_question_for_everything_names_somebody_or_something(question: str, name: str) -> None:
    about = about_asked(asked(parser().read(question), None))
    assert words_of(about.name if about else "") == words_of(name)


@pytest.fixture
def ask(household, session_settings):
    async def run(question):
        today = lambda: date(2025, 1, 15)  # noqa: E731
        agent = Agent(household, FakeMissingModel(), session_settings, today=today)
        return [event async for event in agent.ask(question)]

    return run


async def test_the_answer_is_the_dossier_each_line_with_its_mark(ask):
    *events, end = await ask("everything about Pippa")
    assert [e.tool for e in events if isinstance(e, Decision)] == ["about"]
    assert isinstance(end, Complete)
    assert (end.found, end.model_calls, end.outcome) == (True, 0, "answered")
    lines = [line for line in end.answer.split("\n") if line.startswith("- ")]
    assert len(lines) > 8
    assert all(re.search(r" \[\d+\]$", line) or "in all" in line for line in lines)
    marks = {int(n) for n in re.findall(r"\[(\d+)\]$", end.answer, re.MULTILINE)}
    assert marks == {source.n for source in end.sources}
    assert {s.file for s in end.sources} >= {"journal/2023-05-20.md", "family-calendar-2024.ics"}


async def test_the_answer_is_in_the_language_of_the_question(ask):
    end = (await ask("Alles über Pippa"))[-1]
    assert "Tagebuch" in end.answer
    assert "20. Mai 2023" in end.answer


async def test_a_long_section_says_how_many_are_left_out(ask):
    end = (await ask("everything about Emil"))[-1]
    assert re.search(r"^- and \d+ more$", end.answer, re.MULTILINE)
    assert end.answer.count("\n- ") < 60


@pytest.mark.parametrize(
    "question", ["everything about Zebulon", "what do we know about Emil's spaceship licence?"]
)
async def test_a_name_that_nothing_bears_is_asked_the_usual_way(ask, question):
    events = await ask(question)
    assert not [e for e in events if e.type == "result" and e.tool == "about"]
    assert events[-1].outcome == "nothing" or [
        e for e in events if isinstance(e, Decision) and e.tool != "about"
    ]
