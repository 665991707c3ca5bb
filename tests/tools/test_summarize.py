"""`summarize`: triggered by long results, replaced by code where the model fails. A fake model."""

from __future__ import annotations

from datetime import date

import pytest

from agent.passages import passage
from manole.errors import ModelError
from manole.models.chat.protocol import Completion, Usage
from manole.tools.base import Error, Result
from manole.tools.environment import TurnState
from manole.tools.objects import FoundPassage
from manole.tools.summarize import LIMIT, Summarize


class FakeModel:
    def __init__(self, text="Three invoices, 410 euros in all."):
        self.text = text
        self.asked = []

    async def complete(self, messages, *, max_tokens, slot):
        self.asked.append((messages, max_tokens))
        return Completion(self.text, Usage())


def summarizer(model, spent):
    async def get():
        if isinstance(model, Exception):
            raise model
        return model

    return Summarize(get, spent.append)


@pytest.fixture
def state(household, session_settings):
    small = session_settings.model.model_copy(update={"context": 1024})
    own = session_settings.model_copy(update={"model": small})
    return TurnState("What did I pay?", household, own, date(2026, 1, 15))


def find(state, words, number=1):
    for n in range(number):
        found = passage(words, id=f"{words[:9]}{n}")
        state.environment.add("semantic_search", Result([found], llm_message=words))


async def test_it_triggers_itself_when_results_are_long_and_only_then(state):
    tool = summarizer(FakeModel(), [])
    assert tool.run_if_true(state) is None
    find(state, "short")
    assert not tool.is_tool_available(state)
    find(state, "an invoice of plums " * 60)
    wanted = tool.run_if_true(state)
    assert tool.is_tool_available(state)
    assert wanted.tokens > 1024 // 4
    assert wanted.max_summary_tokens == 1024 // 4 // 10


def test_a_large_model_is_given_more(state):
    large = state.settings.model.model_copy(update={"context": 131072})
    state.settings = state.settings.model_copy(update={"model": large})
    find(state, "an invoice of plums " * 60)
    assert summarizer(FakeModel(), []).run_if_true(state) is None
    assert LIMIT == 50_000


async def test_the_summary_takes_the_messages_place_and_objects_stay(state):
    model, spent = FakeModel(), []
    tool = summarizer(model, spent)
    find(state, "an invoice of plums " * 60)
    (result,) = [o async for o in tool(state, tool.run_if_true(state))]
    assert state.environment.to_llm_context() == "summarize: Three invoices, 410 euros in all."
    assert state.environment.hidden_environment.summary == "Three invoices, 410 euros in all."
    assert len(list(state.environment.objects(FoundPassage))) == 1
    assert result.objects[0].summary.startswith("Three invoices")
    assert tool.run_if_true(state) is None
    assert len(spent) == 1
    assert "an invoice of plums" in model.asked[0][0][1].content


@pytest.mark.parametrize("model", [ModelError("It broke."), FakeModel("")])
async def test_without_a_summary_the_results_are_cut(state, model):
    tool = summarizer(model, [])
    find(state, "an invoice of plums " * 60)
    outcomes = [o async for o in tool(state, tool.run_if_true(state))]
    assert isinstance(outcomes[-1], Result)
    assert isinstance(outcomes[0], Error) == isinstance(model, Exception)
    assert "plums" in state.environment.to_llm_context()
    assert tool.run_if_true(state) is None
