"""Extracts of dated entries are read with plain dates where a time is asked for."""

from __future__ import annotations

from datetime import date

import pytest

from manole.agent.answering.days import asks_when, of_the_day, told_when
from manole.agent.answering.evidence import Evidence

DAY = date(2024, 2, 21)  # a Wednesday


def extract(text: str, file: str = "2024-02-21.md") -> Evidence:
    return Evidence(1, file, None, 3, 3, "2024-02-21", text, 0.7, ((text, 3, 3),))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Yesterday we hiked.", "Yesterday (20 February 2024) we hiked."),
        ("We met last Friday!", "We met last Friday (16 February 2024)!"),
        (
            "Rain last week. Today it cleared.",
            "Rain last week (12 February 2024 to 18 February 2024). "
            "Today (21 February 2024) it cleared.",
        ),
        ("The exam is tomorrow.", "The exam is tomorrow (22 February 2024)."),
        ("In 2019 I lived in Ghent.", "In 2019 I lived in Ghent."),
        ("Recently it rained.", "Recently it rained."),
        ("We hiked.\n  And swam.", "We hiked.\n  And swam."),
        ("", ""),
    ],
)
def test_words_that_count_from_the_day_get_a_date(text, told):
    made = told_when(extract(text), DAY)
    assert made.text == told
    assert made.label == "2024-02-21, 21 February 2024"


def test_what_is_quoted_stays_as_it_stands_in_the_file():
    text = "Yesterday we hiked."
    made = told_when(extract(text), DAY)
    assert made.quote("we hiked") == (text, 3, 3)
    assert (made.n, made.file, made.line, made.score) == (1, "2024-02-21.md", 3, 0.7)


@pytest.mark.parametrize("file", ["letter.txt", "invoice-2024-02-21.pdf"])
def test_a_file_whose_name_is_no_day_stays_as_it_is(file):
    assert told_when(extract("Yesterday we hiked.", file), DAY) == extract(
        "Yesterday we hiked.", file
    )


def test_a_file_without_a_date_stays_as_it_is():
    assert told_when(extract("Yesterday we hiked."), None) == extract("Yesterday we hiked.")


HIKE = {"file": "2024-02-21.md", "text": "We hiked."}
SWIM = {"file": "2024-02-20.md", "text": "We swam."}
LETTER = {"file": "letter.txt", "text": "On 21 February 2024 you wrote."}


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What did I do on 21 February 2024?", [HIKE]),
        ("What did I do yesterday?", [SWIM]),
        ("What did I do in February 2024?", []),
        ("What did I do on 3 May 2023?", []),
        ("What did I do since 20 February 2024?", []),
        ("What did I do?", []),
    ],
)
def test_a_day_that_is_named_has_its_own_entry(question, found):
    assert of_the_day(question, [LETTER, SWIM, HIKE], DAY) == found


@pytest.mark.parametrize(
    "question",
    [
        "When did we hike?",
        "  when was that",
        "And when did we hike?",
        "so when was it?",
        "Since when do I run?",
        "Wann war das?",
        "What day did we hike?",
        "On which dates did we hike?",
        "In what year was that?",
        "which month was it",
        "How long ago did we hike?",
    ],
)
def test_a_time_is_asked_for(question):
    assert asks_when(question)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "What did I do when I was in Ghent?",
        "Whenever it rains, where do we go?",
        "Which file is the newest?",
        "How many days did we hike?",
        "How long did we hike?",
        "Where did we hike last week?",
        "What time is it?",
        "Who came on that day?",
    ],
)
def test_something_else_is_asked_for(question):
    assert not asks_when(question)
