"""A finding in words."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from manole.agent.times.compute import Finding
from manole.agent.times.mentions import Mention
from manole.agent.times.say import said

from .notes import answer, asked, entry


def say(question: str) -> str:
    finding = answer(question)
    assert finding is not None
    return said(asked(question), finding, len(finding.mentions))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (
            "How many times did I have soup in April 2024?",
            "2 times: on 2024-04-02, 2024-04-09 [1][2]",
        ),
        ("How many times did I have noodles?", "Once (1): on 2024-04-17 [1]"),
        ("When did I first have soup?", "2024-04-02 [1]"),
        ("When did I last have soup?", "2024-06-01 [1]"),
        ("On which days did I have noodles?", "2024-04-17 [1]"),
        ("When did I visit Sanda?", "2024-05-13 to 2024-05-19 (“last week”) [1]"),
        ("How many km did I ride in 2024?", "20 km, from 2 entries [1][2]"),
        ("How many km did I ride this year?", "20.5 km, from one entry [1]"),
        ("Who did I have lunch with most?", "Dorin (Dorin 3×, Sanda 1×) [1][2][3]"),
        ("List everyone I visited", "Sanda (1×) [1]"),
        ("Who did I have noodles with?", "Dorin [1]"),
        ("How long did I read on 4 May 2024?", "30 minutes [1]"),
        ("Where did I ride on 9 April 2024?", "“Rode 12 km on the canal path.” [1]"),
        (
            "How many days between the soup at dinner and the dentist?",
            "11 days, from 2024-05-21 to 2024-06-01 [1][2]",
        ),
    ],
)
def test_the_answer_cites_its_lines(question, text):
    assert say(question) == text


def test_of_many_days_only_some_are_listed():
    one = entry("Rode to work.")
    days = tuple(date(2024, 1, 1) + timedelta(days=n) for n in range(60))
    finding = Finding("60", (Mention(one, one.lines[0]),) * 60, days)
    text = said(asked("How often did I ride?"), finding, 12)
    assert text.startswith("60 times: on 2024-01-01, ")
    assert "and 20 more days" in text
    assert text.endswith("[11][12]")
    assert "[13]" not in text
