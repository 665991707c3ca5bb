"""The model's choice of a search: its schema, and what becomes of a choice that is none."""

import re
from datetime import date

import pytest

from manole.agent.journal.selector import (
    SearchToolCall,
    SearchToolType,
    read_choice,
    schema,
    usable,
)
from manole.errors import ModelError
from manole.tools.journal import DATE_RANGE_SEARCH, RECENT_ENTRIES, VECTOR_SEARCH

FIRST, LAST = date(2022, 3, 2), date(2024, 12, 15)


def made(tool, **fields):
    call = SearchToolCall(tool=SearchToolType(tool), reasoning="r", **fields)
    found = usable(call, "Q?", FIRST, LAST)
    return found and (found.search.tool, found.search.inputs, len(found.mended))


def choices(*, may_end):
    return {c["properties"]["tool"]["const"]: c for c in schema(may_end=may_end)["oneOf"]}


def test_the_fields_are_the_seeds():
    assert [tool.value for tool in SearchToolType] == [
        "VECTOR_SEARCH", "RECENT_ENTRIES", "DATE_RANGE_SEARCH", "DONE",
    ]  # fmt: skip
    assert list(SearchToolCall.model_fields) == [
        "tool", "reasoning", "query", "start_date", "end_date", "limit",
    ]  # fmt: skip


def test_a_range_has_both_its_days_and_the_first_choice_is_a_search():
    assert {"start_date", "end_date", "query"} <= set(
        choices(may_end=True)["DATE_RANGE_SEARCH"]["required"]
    )
    assert set(choices(may_end=True)) - set(choices(may_end=False)) == {"DONE"}
    for choice in choices(may_end=True).values():
        assert choice["additionalProperties"] is False
        assert set(choice["required"]) == set(choice["properties"])


def test_the_pattern_of_a_day_uses_what_the_engine_knows():
    pattern = choices(may_end=False)["DATE_RANGE_SEARCH"]["properties"]["start_date"]["pattern"]
    assert "\\" not in pattern  # \d is dropped by its converter
    assert re.fullmatch(pattern, "2024-02-29")
    assert not re.fullmatch(pattern, "9999-01-01")


@pytest.mark.parametrize(
    ("fields", "tool", "inputs", "mended"),
    [
        ({"tool": "VECTOR_SEARCH", "query": "boss", "limit": 3},
         VECTOR_SEARCH, {"query": "boss", "n": 3}, 0),
        ({"tool": "VECTOR_SEARCH", "query": "  "}, VECTOR_SEARCH, {"query": "Q?"}, 1),
        ({"tool": "RECENT_ENTRIES"}, RECENT_ENTRIES, {}, 0),
        ({"tool": "RECENT_ENTRIES", "limit": 0}, RECENT_ENTRIES, {}, 1),
        ({"tool": "RECENT_ENTRIES", "limit": 10**9}, RECENT_ENTRIES, {}, 1),
        ({"tool": "DATE_RANGE_SEARCH", "query": "boss", "start_date": "2024-01-01",
          "end_date": "2024-02-01"},
         DATE_RANGE_SEARCH,
         {"start_date": "2024-01-01", "end_date": "2024-02-01", "query": "boss"}, 0),
        ({"tool": "DATE_RANGE_SEARCH", "start_date": "2023-02-01", "end_date": "2023-02-31"},
         DATE_RANGE_SEARCH, {"start_date": "2023-02-01", "end_date": "2023-02-28"}, 1),
        ({"tool": "DATE_RANGE_SEARCH", "start_date": "2024-03-01", "end_date": "2024-02-01"},
         DATE_RANGE_SEARCH, {"start_date": "2024-02-01", "end_date": "2024-03-01"}, 1),
        ({"tool": "DATE_RANGE_SEARCH", "start_date": "2024-03-01", "end_date": "9999-12-31"},
         DATE_RANGE_SEARCH, {"start_date": "2024-03-01", "end_date": "2024-12-15"}, 1),
        ({"tool": "DATE_RANGE_SEARCH", "start_date": "2023"},
         DATE_RANGE_SEARCH, {"start_date": "2023-01-01", "end_date": "2024-12-15"}, 1),
        ({"tool": "DATE_RANGE_SEARCH", "start_date": "2023", "end_date": "2023-02"},
         DATE_RANGE_SEARCH, {"start_date": "2023-01-01", "end_date": "2023-02-28"}, 0),
    ],
)  # fmt: skip
def test_an_impossible_value_is_mended_and_said(fields, tool, inputs, mended):
    assert made(**fields) == (tool, inputs, mended)


@pytest.mark.parametrize(
    "fields",
    [
        {"tool": "DATE_RANGE_SEARCH"},
        {"tool": "DATE_RANGE_SEARCH", "start_date": "soon", "end_date": "0000-00-00"},
        {"tool": "DATE_RANGE_SEARCH", "start_date": "9999-01-01", "end_date": "9999-12-31"},
        {"tool": "DATE_RANGE_SEARCH", "start_date": "2024-13-01", "end_date": "2024-00-01"},
        {"tool": "DONE"},
    ],
)
def test_what_means_no_search_is_none(fields):
    assert made(**fields) is None


@pytest.mark.parametrize(
    "text", ["I would look for my boss.", "", "[]", '{"tool": "DROP_TABLE"}', '{"tool": 7}',
             '{"tool": "RECENT_ENTRIES", "limit": "many"}', "[" * 5000],
)  # fmt: skip
def test_what_is_no_choice_is_an_error(text):
    with pytest.raises(ModelError):
        read_choice(text)


def test_a_choice_is_read_from_nearly_json():
    assert read_choice("{tool: 'done', reasoning: 'enough'").tool is SearchToolType.DONE
