"""What is due, asked in words."""

from __future__ import annotations

from datetime import date

import pytest

from agent.fake_models import FakeMissingModel
from manole.agent.events import Decision
from manole.agent.loop import Agent


@pytest.fixture
def ask(household, session_settings):
    async def run(question):
        today = lambda: date(2024, 12, 5)  # noqa: E731
        agent = Agent(household, FakeMissingModel(), session_settings, today=today)
        *events, end = [event async for event in agent.ask(question)]
        return [e.tool for e in events if isinstance(e, Decision)], end

    return run


@pytest.mark.parametrize(
    ("question", "amount", "day"),
    [
        ("what's due in december 2024", "290.96 EUR", "12 December 2024"),
        ("Was ist im Dezember 2024 fällig?", "290,96 EUR", "12. Dezember 2024"),
    ],
)
async def test_what_is_due_in_a_month_is_told_day_by_day(ask, question, amount, day):
    tools, end = await ask(question)
    assert tools == ["due"]
    assert (end.outcome, end.model_calls) == ("answered", 0)
    (line,) = [line for line in end.answer.split("\n") if amount in line]
    assert line.startswith(f"- {day}: ")
    lines = [line for line in end.answer.split("\n") if line.startswith("- ")]
    assert len(lines) == len(end.sources)


async def test_a_month_that_is_over_is_told_whole(household, session_settings):
    today = lambda: date(2026, 11, 29)  # noqa: E731
    agent = Agent(household, FakeMissingModel(), session_settings, today=today)
    end = [event async for event in agent.ask("what's due in december 2024")][-1]
    assert "8 December 2024: Mara: choir concert" in end.answer
    assert "12 December 2024: to pay: 290.96 EUR" in end.answer


@pytest.mark.parametrize(
    "question",
    [
        "which bills are due in december 2024?",  # a kind of paper: a query
        "what was due in october 2019",  # nothing is: a query says so
        "until when must I pay the painter?",
    ],
)
async def test_other_questions_are_asked_the_usual_way(ask, question):
    tools, end = await ask(question)
    assert tools[:1] != ["due"] or end.outcome != "answered" or "in all" not in end.answer
