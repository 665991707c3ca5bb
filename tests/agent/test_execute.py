"""The executor: a tool that triggers itself runs before the next decision, and once."""

from __future__ import annotations

from datetime import date

from manole.agent.events import Decision
from manole.agent.turn import Executor
from manole.settings import Settings
from manole.text.question import Question
from manole.tools.base import Inputs, Result, Tool, TurnState
from manole.tools.registry import Registry


class NoInputs(Inputs):
    pass


class Greets(Tool[NoInputs]):
    name = "greet"
    description = "greet"
    inputs = NoInputs

    def run_if_true(self, state):
        return NoInputs() if state.question.text == "hello" else None

    async def __call__(self, state, inputs):
        yield Result(llm_message="Hello.")


async def triggered(question):
    state = TurnState(Question(question, date(2025, 1, 15)), None, Settings())
    executor = Executor(state, Registry((Greets(),)))
    events = [event for _ in range(2) async for event in executor.run_triggered()]
    return [event.by for event in events if isinstance(event, Decision)], state.environment.messages


async def test_a_tool_whose_condition_holds_runs_without_a_decision_and_once():
    assert await triggered("hello") == (["auto"], [("greet", "Hello.")])


async def test_a_tool_whose_condition_does_not_hold_waits():
    assert await triggered("how many files?") == ([], [])
