"""Which searches of a journal a question's own words ask for."""

from datetime import date

import pytest

from manole.agent.journal import SCHEMA, contrasts, read_choice, searches_of, topic_of
from manole.tools.journal import DATE_RANGE_SEARCH, RECENT_ENTRIES, VECTOR_SEARCH

TODAY = date(2025, 1, 15)
STRESSED = "What have I been stressed about lately, and last year?"


def spans(question):
    return [
        (s.inputs.get("start_date"), s.inputs.get("end_date")) for s in searches_of(question, TODAY)
    ]


def test_each_time_is_a_search_of_its_own_in_the_order_of_the_question():
    searches = searches_of(STRESSED, TODAY)
    assert [s.tool for s in searches] == [DATE_RANGE_SEARCH] * 2
    assert spans(STRESSED) == [("2024-11-16", "2025-01-15"), ("2024-01-01", "2024-12-31")]
    assert {s.inputs["query"] for s in searches} == {"stressed"}
    assert spans("Was I happier in 2022 or in 2023?") == [
        ("2022-01-01", "2022-12-31"),
        ("2023-01-01", "2023-12-31"),
    ]


def test_without_a_time_the_subject_is_searched_for():
    (search,) = searches_of("What do I think about my boss?", TODAY)
    assert search.tool == VECTOR_SEARCH


def test_without_time_and_subject_the_newest_are_read():
    (search,) = searches_of("What did I write?", TODAY)
    assert search.tool == RECENT_ENTRIES


def test_the_topic_is_what_is_left_of_the_question():
    assert topic_of(STRESSED, TODAY) == "stressed"
    assert topic_of("How did I feel about work in March 2024?", TODAY) == "work"


@pytest.mark.parametrize(
    ("question", "does"),
    [
        (STRESSED, True),
        ("Was I happier in 2022 or in 2023?", True),
        ("What have I been stressed about lately?", False),
        ("How did the rent change between 2022 and 2023?", False),  # nobody's own life
        ("What is the rent?", False),
    ],
)
def test_only_several_times_of_ones_own_life_are_contrasted(question, does):
    assert contrasts(question, TODAY) is does


# -- the typed selector --------------------------------------------------------------------------


def test_the_schema_has_the_seeds_tools_and_fields():
    assert SCHEMA["properties"]["tool"]["enum"] == [
        "VECTOR_SEARCH", "RECENT_ENTRIES", "DATE_RANGE_SEARCH", "DONE",
    ]  # fmt: skip
    assert set(SCHEMA["properties"]) == {
        "tool", "reasoning", "query", "start_date", "end_date", "limit",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "tool", "inputs"),
    [
        ('{"tool": "VECTOR_SEARCH", "reasoning": "r", "query": "boss", "limit": 3}',
         VECTOR_SEARCH, {"query": "boss", "n": 3}),
        ('{"tool": "RECENT_ENTRIES", "reasoning": "r"}', RECENT_ENTRIES, {}),
        ('{"tool": "DATE_RANGE_SEARCH", "reasoning": "r", "start_date": "2024-01-01", '
         '"end_date": "2024-02-01", "query": "boss"}', DATE_RANGE_SEARCH,
         {"start_date": "2024-01-01", "end_date": "2024-02-01", "query": "boss"}),
        ('{"tool": "DATE_RANGE_SEARCH", "reasoning": "r"}', VECTOR_SEARCH, {"query": "Q?"}),
        ('{"tool": "DATE_RANGE_SEARCH", "reasoning": "", "start_date": "2024-03-01", '
         '"end_date": "2024-02-01"}', VECTOR_SEARCH, {"query": "Q?"}),
        ("I would look for my boss.", VECTOR_SEARCH, {"query": "Q?"}),
        ('{"tool": "DROP_TABLE", "reasoning": ""}', VECTOR_SEARCH, {"query": "Q?"}),
        ("", VECTOR_SEARCH, {"query": "Q?"}),
    ],
)  # fmt: skip
def test_a_choice_is_read_or_becomes_a_plain_search(text, tool, inputs):
    found = read_choice(text, "Q?")
    assert (found.tool, found.inputs) == (tool, inputs)


def test_done_ends_the_searches():
    assert read_choice('{"tool": "DONE", "reasoning": "enough"}', "Q?") is None
