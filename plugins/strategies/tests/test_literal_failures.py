"""The loop of `literal` with models that are missing, break off, or write nonsense."""

from __future__ import annotations

import pytest
from fake_leader import ANSWER, CONTRACT, SEARCH, FakeLeader, call, contract_fact

from agent.fake_models import FakeMissingModel
from agent.turns import cited, of, told, tools
from manole.agent.events import ErrorEvent, ResultEvent
from manole.agent.languages import ENGLISH
from manole.errors import ModelError
from manole.models.chat.protocol import Message, ToolCall


async def test_without_a_model_the_best_passage_is_quoted(ask):
    events = await ask(FakeMissingModel())
    assert tools(events) == ["semantic_search"]
    assert events[-1].corrected
    assert CONTRACT in {file for file, _ in cited(events[-1])}


@pytest.mark.parametrize(
    ("question", "tool", "said"),
    [
        ("how many PDFs?", "count_files", "There are 21 PDF files."),
        ("how much space do my files take?", "disk_usage", "59 files"),
        ("which are the biggest files?", "list_files", "The 10 largest of 59 files"),
        ("when was the boiler manual modified?", "file_metadata", "boiler-thermaro-b24-manual"),
    ],
)
async def test_without_a_model_keywords_choose_and_the_tool_answers(ask, question, tool, said):
    events = await ask(FakeMissingModel(), question)
    end = events[-1]
    assert tools(events) == [tool]
    assert said in end.answer
    assert (end.model_calls, end.confidence) == (0, "high")
    assert "There is no model. Keywords choose." in told(events)


async def test_a_tool_that_leaves_a_word_open_does_not_answer_surely(ask):
    end = (await ask(FakeMissingModel(), "how many zeppelins do we own?"))[-1]
    assert end.confidence == "low"


async def test_a_model_that_dies_in_the_middle_leaves_what_was_found(ask):
    broken = ModelError("The engine broke off.", "Ask again.")
    model = FakeLeader(call("count_files", extension="pdf"), broken)
    events = await ask(model, "how many PDF files?")
    assert events[-1].answer.startswith("There are 21 PDF files.")
    assert "The engine broke off. What was found is used." in told(events)
    assert not model.finals


async def test_extraction_that_fails_leaves_the_passages(ask):
    broken = ModelError("The engine broke off.", "Ask again.")
    model = FakeLeader(SEARCH, broken, fact=lambda _: broken)
    events = await ask(model)
    assert "The passages were not read." in told(events)
    assert of(events, ResultEvent)[0].objects


@pytest.mark.parametrize(
    "choice",
    [
        call("read_document", file="/etc/passwd"),
        call("list_files", limit=-1, sort_by="x"),
        call("semantic_search"),
        "semantic_search(__import__('os').getcwd())",
        "<|tool_call_start|>[count_files(",
    ],
)
async def test_strange_choices_do_no_harm(ask, choice):
    assert (await ask(FakeLeader(choice, ANSWER)))[-1].answer


async def test_an_unknown_tool_is_named_to_the_model_and_is_no_answer(ask):
    model = FakeLeader(SEARCH, call("rm", path="/"), ANSWER, fact=contract_fact)
    events = await ask(model)
    (error,) = of(events, ErrorEvent)
    assert (error.message, error.tool) == ("There is no tool rm.", "rm")
    assert model.talks[-1][-1] == Message("tool", "There is no tool rm.")
    assert events[-1].answer.startswith(ANSWER)


async def test_inputs_of_the_wrong_type_are_told_and_another_call_is_taken(ask):
    model = FakeLeader(
        call("grep_files", pattern=["a", 1]), call("count_files", extension="pdf"), "21 PDF files."
    )
    events = await ask(model, "how many PDF files?")
    (error,) = of(events, ErrorEvent)
    assert "grep_files cannot be called with" in error.message
    assert tools(events) == ["count_files", "respond"]


@pytest.mark.parametrize("said", [call("respond", answer="Paris."), "Paris.", "", "x" * 20_000])
async def test_nothing_is_answered_from_nothing(ask, said):
    model = FakeLeader(call("grep_files", pattern="zebra"), *[said] * 5)
    events = await ask(model)
    assert tools(events) == ["grep_files", "semantic_search"]
    assert events[-1].answer == ENGLISH.not_found
    assert not events[-1].found
    assert "respond" not in tools(events)


async def test_an_empty_reply_forces_an_answer(ask):
    model = FakeLeader(SEARCH, "", fact=contract_fact)
    events = await ask(model)
    assert len(model.finals) == 1
    assert events[-1].answer.startswith(ANSWER)


@pytest.mark.parametrize("final", ["", call("count_files"), "  "])
async def test_where_no_answer_is_written_what_is_known_is_the_answer(ask, final):
    model = FakeLeader(call("count_files", extension="pdf"), "", final=final)
    events = await ask(model, "how many PDF files?")
    assert events[-1].answer == "There are 21 PDF files."
    assert "The model wrote no answer. What was found is used." in told(events)


async def test_where_no_answer_is_written_the_best_passage_is_quoted(ask):
    end = (await ask(FakeLeader(SEARCH, "", fact=contract_fact, final="")))[-1]
    assert (end.confidence, cited(end)) == ("low", {(CONTRACT, 1)})
    assert "three months" in end.answer


async def test_the_same_nonsense_again_ends_the_loop(ask):
    model = FakeLeader(SEARCH, *[call("rm", path="/")] * 9, fact=contract_fact)
    events = await ask(model)
    assert len(of(events, ErrorEvent)) == 2
    assert events[-1].answer.startswith(ANSWER)


async def test_an_endless_reply_is_cut(ask):
    model = FakeLeader(SEARCH, "word " * 4000, fact=contract_fact)
    events = await ask(model)
    end = events[-1]
    assert 1000 < len(end.answer) < 4100
    assert "The reply was cut after 4,000 characters." in told(events)


async def test_one_tool_again_and_again_ends_in_an_answer(ask):
    model = FakeLeader(*[SEARCH] * 9, fact=contract_fact)
    events = await ask(model)
    assert tools(events) == ["semantic_search"]
    assert "That was asked before. What was found is used." in told(events)
    assert len(model.finals) == 1


async def test_many_long_results_fit_the_context(ask):
    calls = [ToolCall("list_files", {"limit": 1000, "name": letter}) for letter in "aeioutnrs"]
    model = FakeLeader(*calls)
    await ask(model, "list files", max_iterations=20)
    assert len(model.talks) == len(calls) + 1
    assert sum(len(m.content) for m in model.talks[-1][2:]) < 30_000
