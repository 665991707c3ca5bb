"""`Environment`: what the tools found in a turn, and how much of it enters a prompt."""

from __future__ import annotations

import pytest

from agent.passages import passage
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


def test_context_holds_the_text_of_objects_with_their_place(environment):
    texts = [passage("The fan is slow.", "b.pdf", page=6), passage("Ring us.", "b.pdf", 9, page=7)]
    environment.add("t", Result(texts, llm_message="2 passages:\n- an excerpt"))
    context = environment.to_llm_context()
    assert context == "t: 2 passages:\n(b.pdf, page 6) The fan is slow.\n(b.pdf, page 7) Ring us."


def test_the_newest_call_and_its_first_objects_are_kept(environment):
    for number in range(3):
        found = [passage(f"text {number}.{n} " * 20, f"{number}.{n}.md") for n in range(3)]
        environment.add("t", Result(found, llm_message=f"call {number}"))
    context = environment.to_llm_context(100)
    assert context.startswith("t: call 2\n(2.0.md, line 1) text 2.0 ")
    assert "call 1" not in context
    assert len(context) <= 100 * 3.5


def test_large_contents_are_counted(environment):
    assert environment.estimate_tokens() == 0
    environment.add("t", Result([passage("word " * 10_000)], llm_message="one passage"))
    assert 10_000 < environment.estimate_tokens() < 20_000


def test_what_was_cleared_is_found_again(environment):
    environment.hidden_environment["summary"] = "kept aside"
    environment.add("t", found("a"))
    environment.clear()
    assert environment.is_empty()
    assert environment.find("t") == environment.messages == []
    assert environment.to_llm_context() == ""
    assert environment.hidden_environment == {"summary": "kept aside"}
    assert environment.add("t", found("a")) == 1


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
