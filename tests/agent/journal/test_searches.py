"""Which searches of a journal a question's own words ask for, and which part asks what."""

from datetime import date

import pytest

from manole.agent.journal.times import asked_of, of_oneself, searches_of, times_of, topic_of
from manole.text.question import Question
from manole.tools.journal import DATE_RANGE_SEARCH, RECENT_ENTRIES, VECTOR_SEARCH

TODAY = date(2025, 1, 15)
STRESSED = "What have I been stressed about lately, and last year?"


def spans(question):
    return [(s.inputs.get("start_date"), s.inputs.get("end_date")) for s in searches(question)]


def searches(question):
    asked = Question(question, TODAY)
    return searches_of(asked, times_of(asked))


def topic(question):
    asked = Question(question, TODAY)
    return topic_of(asked, times_of(asked))


def test_each_time_is_a_search_of_its_own_in_the_order_of_the_question():
    made = searches(STRESSED)
    assert [s.tool for s in made] == [DATE_RANGE_SEARCH] * 2
    assert spans(STRESSED) == [("2024-11-16", "2025-01-15"), ("2024-01-01", "2024-12-31")]
    assert {s.inputs["query"] for s in made} == {"stressed"}
    assert spans("Was I happier in 2022 or in 2023?") == [
        ("2022-01-01", "2022-12-31"),
        ("2023-01-01", "2023-12-31"),
    ]


def test_a_time_may_be_open_at_one_end():
    assert spans("What have I worried about since June 2022?") == [("2022-06-01", "9999-12-31")]
    assert spans("What did I worry about before 2020?") == [("0001-01-01", "2019-12-31")]


def test_without_a_time_the_subject_is_searched_for():
    (search,) = searches("What do I think about my boss?")
    assert search.tool == VECTOR_SEARCH


def test_without_time_and_subject_the_newest_are_read():
    (search,) = searches("What did I write?")
    assert search.tool == RECENT_ENTRIES


def test_the_topic_is_what_is_left_of_the_question():
    assert topic(STRESSED) == "stressed"
    assert topic("How did I feel about work in March 2024?") == "work"


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What have I been stressed about lately vs last year?",
         ["What have I been stressed about lately?", "What have I been stressed about last year?"]),
        ("Was I happier in 2022 or in 2023?",
         ["Was I happier in 2022?", "Was I happier in 2023?"]),
        ("Did I swim in 2022, and was the boss kind in 2023?",  # more than a joint between them
         ["Did I swim in 2022, and was the boss kind in 2023?"] * 2),
        ("What was I worried about in 2019?", ["What was I worried about in 2019?"]),
    ],
)  # fmt: skip
def test_each_part_asks_of_its_own_time(question, parts):
    asked = Question(question, TODAY)
    times = times_of(asked)
    assert [asked_of(asked, time, times).text for time in times] == parts


@pytest.mark.parametrize(
    ("question", "does"),
    [
        (STRESSED, True),
        ("what was i worried about in 2019", True),
        ("Worüber haben wir uns gestritten?", True),
        ("How did the rent change between 2022 and 2023?", False),
        ("How many US dollars are left?", False),
    ],
)
def test_who_asks_about_themselves(question, does):
    assert of_oneself(question) is does
