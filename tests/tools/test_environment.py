"""`Environment`: what the tools found in a turn, and how much of it enters a prompt."""

from __future__ import annotations

import pytest

from manole.tools.base import Environment, Result
from manole.tools.objects import Figure, FileCount, Found


def found(*ids, message="found", name="files", **metadata):
    objects = [FileCount(id=i, files=1) for i in ids]
    return Result(objects=objects, metadata=metadata, name=name, llm_message=message)


@pytest.fixture
def environment():
    return Environment()


def test_an_object_is_stored_once(environment):
    assert environment.add("list_files", found("a", "b")) == 2
    assert environment.add("grep_files", found("b", "c", name="matches")) == 1
    assert [o.id for o in environment.objects(Found)] == ["a", "b", "c"]


def test_objects_without_id_are_all_kept(environment):
    result = Result([Figure(), Figure()])
    assert environment.add("t", result) == 2
    assert environment.add("t", result) == 2
    assert len(list(environment.objects(Found))) == 4


def test_entries_are_found_by_tool_and_name(environment):
    environment.add("list_files", found("a", query="one"))
    environment.add("list_files", found("b", name="other", query="two"))
    assert [e.metadata["query"] for e in environment.find("list_files")] == ["one", "two"]
    assert [e.objects[0].id for e in environment.find("list_files", "other")] == ["b"]
    assert environment.find("list_files", "nothing") == []
    assert environment.find("grep_files") == []
    assert environment.environment["list_files"]["files"][0].objects[0].id == "a"


def test_objects_of_one_kind(environment):
    environment.add("t", Result([FileCount(id="1", files=1), Figure(id="2")]))
    assert [o.id for o in environment.objects(Figure)] == ["2"]


def test_context_is_in_order_and_names_the_tools(environment):
    environment.add("count_files", found("a", message="There are {num_objects} {name}."))
    environment.add("grep_files", found("b", message="two"))
    assert environment.to_llm_context() == "count_files: There are 1 files.\ngrep_files: two"


def test_context_keeps_the_newest_within_its_budget(environment):
    for number in range(20):
        environment.add("t", found(str(number), message=f"message {number}"))

    context = environment.to_llm_context(15)
    assert context.split("\n") == ["t: message 17", "t: message 18", "t: message 19"]


def test_one_message_over_the_budget_is_cut(environment):
    environment.add("t", found("a", message="x" * 10_000))
    assert 0 < len(environment.to_llm_context(50)) <= 50 * 4


def test_it_is_empty_until_something_is_found(environment):
    assert environment.is_empty()
    environment.hidden_environment["summary"] = "kept aside"
    assert environment.is_empty()
    environment.add("t", found("a"))
    assert not environment.is_empty()


def test_hidden_things_enter_no_prompt(environment):
    environment.hidden_environment["anchored"] = ("hidden.pdf",)
    environment.add("t", found("a"))
    assert "hidden" not in environment.to_llm_context()
