"""The registry: which tools there are, which can be chosen, and a model's arguments."""

from __future__ import annotations

from datetime import date

import pytest

from manole.tools.base import Result, TraceStep
from manole.tools.registry import Registry

FILES = {
    "semantic_search", "count_files", "list_files", "grep_files", "file_metadata",
    "directory_tree", "folder_stats", "disk_usage",
}  # fmt: skip


@pytest.fixture
def registry():
    return Registry()


def test_has_the_tools_for_files_and_pages_and_respond(registry):
    own = {"respond", "read_document", "visual_search", "visual_interpretation"}
    assert set(registry.names) == FILES | own
    assert "count_files" in registry
    assert "rm" not in registry


def test_only_respond_ends_a_turn(registry):
    assert [name for name in registry.names if registry[name].end] == ["respond"]


async def test_respond_is_there_only_when_something_was_found(registry, state):
    state.trace.append(TraceStep(1, "count_files", "", {}, "", 0, 0, "failed", 0.1))
    assert "respond" not in {tool.name for tool in registry.available(state)}
    state.environment.add("count_files", Result(llm_message="3 files"))
    pages = {"visual_search", "visual_interpretation"}  # no turn has looked for pages here
    assert {tool.name for tool in registry.available(state)} == set(registry.names) - pages


def test_good_arguments_are_taken(registry):
    inputs = registry.parse("list_files", {"extension": "pdf", "limit": 3, "sort_by": "size"})
    assert (inputs.extension, inputs.limit, inputs.sort_by) == ("pdf", 3, "size")


def test_numbers_and_dates_may_come_as_text(registry):
    assert registry.parse("list_files", {"limit": "7"}).limit == 7
    search = registry.parse("semantic_search", {"query": "x", "date_from": "2024-03-01"})
    assert search.date_from == date(2024, 3, 1)


def test_unknown_arguments_are_dropped(registry):
    inputs = registry.parse("count_files", {"extension": "pdf", "recursive": True, "path": "/etc"})
    assert inputs.model_dump(exclude_defaults=True) == {"extension": "pdf"}


def test_bad_values_become_defaults(registry):
    inputs = registry.parse(
        "list_files", {"limit": -4, "sort_by": "colour", "order": None, "extension": "pdf"}
    )
    assert inputs.model_dump(exclude_defaults=True) == {"extension": "pdf"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("rm", {"path": "/"}),
        ("semantic_search", {}),
        ("semantic_search", {"query": ""}),
        ("semantic_search", {"query": ["a", {}]}),
        ("grep_files", {"pattern": "x" * 201}),
        ("file_metadata", {"name_hint": None}),
        ("read_document", {"pages": "2"}),
    ],
)
def test_what_cannot_be_called_is_refused(registry, name, arguments):
    assert registry.parse(name, arguments) is None


def test_the_same_call_is_the_same_inputs(registry):
    one = registry.parse("count_files", {"extension": "pdf"})
    two = registry.parse("count_files", {"extension": "pdf ", "nonsense": 1})
    assert one == two
    assert hash(one) == hash(two)
