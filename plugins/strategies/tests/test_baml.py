"""The journal's functions by BAML: asked as our own are, of a scripted endpoint on loopback."""

from __future__ import annotations

import json
import sys
from datetime import date
from pathlib import Path

import pytest

from agent.fake_models import FakeModel
from agent.turns import Loaded, chosen, of, told, turn
from cli.fake_endpoint import fake_endpoint
from manole.agent.events import Decision
from manole.agent.journal.functions import ChatFunctions
from manole.agent.journal.selector import SearchToolType, usable
from manole.agent.turn import TurnUsage
from manole.errors import ModelError, UsageError
from manole.models.chat.openai import OpenAIChat
from manole_strategies.baml import BamlFunctions
from manole_strategies.journal import JournalSettings

SOURCE = Path(sys.modules["manole_strategies.baml"].__file__ or "").parent / "baml_src"
CALL = '{"reasoning": "that year", "tool": "DATE_RANGE_SEARCH", "query": "stress", ' \
    '"start_date": "2023-01-01", "end_date": "2023-12-31"}'  # fmt: skip


def functions(settings, model):
    return BamlFunctions(Loaded(model).get, TurnUsage(), settings)


def test_without_the_extra_it_says_how_to_install_it(session_settings, monkeypatch):
    monkeypatch.setitem(sys.modules, "baml_py", None)
    for name in [name for name in sys.modules if "baml_client" in name]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(UsageError) as raised:
        functions(session_settings, None)
    assert 'pip install "manole[baml]"' in (raised.value.hint or "")


def test_the_definitions_are_the_seeds():
    text = (SOURCE / "completions.baml").read_text("utf-8")
    for line in (
        "enum SearchToolType {\n  VECTOR_SEARCH\n  RECENT_ENTRIES\n  DATE_RANGE_SEARCH\n  DONE\n}",
        "  tool SearchToolType\n  reasoning string\n",
        "function AgentToolSelector(\n  user_query: string,\n  accumulated_context: string,\n"
        "  iteration: int,\n  max_iterations: int\n) -> SearchToolCall {",
        "function AgentSynthesizer(\n  user_query: string,\n  chat_history: string,\n"
        "  accumulated_context: string,\n  search_trace: string\n) -> string {",
    ):
        assert line in text


class TestWithBaml:
    @pytest.fixture(autouse=True)
    def _installed(self):
        pytest.importorskip("baml_py")

    async def test_it_asks_in_the_same_words_as_our_own_functions(self, session_settings):
        from manole_strategies.baml_client.async_client import b

        own = FakeModel(CALL)
        kept: list[list[dict[str, str]]] = []

        async def complete(messages, **options):
            kept.append([{"role": m.role, "content": m.content} for m in messages])
            return await FakeModel.complete(own, messages, **options)

        own.complete = complete
        chat = ChatFunctions(own.get, TurnUsage(), session_settings)
        await chat.agent_tool_selector("Q?", "Today is Friday.", 2, 5)
        for history in ("", "user: before"):
            await chat.agent_synthesizer("Q?", history, "[1] (May) Rain.", "1. RECENT_ENTRIES()")
        requests = [
            await b.request.AgentToolSelector("Q?", "Today is Friday.", 2, 5),
            await b.request.AgentSynthesizer("Q?", "", "[1] (May) Rain.", "1. RECENT_ENTRIES()"),
            await b.request.AgentSynthesizer(
                "Q?", "user: before", "[1] (May) Rain.", "1. RECENT_ENTRIES()"
            ),
        ]
        assert [json.loads(r.body.text())["messages"] for r in requests] == kept

    async def test_a_choice_comes_back_typed_and_counted(self, session_settings):
        with fake_endpoint(CALL) as (url, prompts):
            usage = TurnUsage()
            model = OpenAIChat("scripted", url, session_settings.model)
            made = BamlFunctions(Loaded(model).get, usage, session_settings)
            call = await made.agent_tool_selector("What about my boss?", "Today.", 1, 5)
            assert await made.agent_synthesizer("Q?", "", "[1] Rain.", "none") == CALL
        assert (call.tool, call.start_date) == (SearchToolType.DATE_RANGE_SEARCH, "2023-01-01")
        assert "What about my boss?" in prompts[0]
        assert usage.calls == 2

    @pytest.mark.parametrize("said", ["no choice at all", '{"tool": "DROP_TABLE"}', ""])
    async def test_what_is_no_choice_is_an_error(self, session_settings, said):
        with fake_endpoint(said) as (url, _):
            model = OpenAIChat("scripted", url, session_settings.model)
            with pytest.raises(ModelError):
                await functions(session_settings, model).agent_tool_selector("Q?", "Today.", 1, 5)

    async def test_nobody_there_is_an_error(self, session_settings):
        model = OpenAIChat("scripted", "http://127.0.0.1:9/v1", session_settings.model)
        with pytest.raises(ModelError):
            await functions(session_settings, model).agent_synthesizer("Q?", "", "", "")

    async def test_a_turn_led_by_the_model(self, household, session_settings):
        settings = chosen(session_settings, "journal", led_by="model", max_iterations=1)
        settings = settings.model_copy(update={"journal": JournalSettings(functions="baml")})
        with fake_endpoint(CALL) as (url, prompts):
            model = OpenAIChat("scripted", url, session_settings.model)
            events = await turn(household, settings, Loaded(model), "What about the sofa in 2023?")
        first = of(events, Decision)[0]
        assert (first.tool, first.by) == ("date_range_search", "model")
        assert len(prompts) == 2
        assert "mended" not in told(events)
        assert first.inputs["start_date"] == "2023-01-01"

    @pytest.mark.model
    @pytest.mark.parametrize(
        "question", ["What have I been stressed about lately?", "Who lent us a drill?"]
    )
    async def test_the_real_model_makes_a_choice_that_can_be_searched(
        self, session_settings, chat_model, question
    ):
        first, last = date(2022, 3, 2), date(2024, 12, 8)
        days = f"Today is 2024-12-15. The journal has entries from {first} to {last}."
        made = functions(session_settings, chat_model)
        asked = f"{days}\nSearches so far: none yet"
        call = await made.agent_tool_selector(question, asked, 1, 5)
        assert call.reasoning
        assert usable(call, question, first, last) is not None
