"""The tool that ends a turn."""

from __future__ import annotations

from collections.abc import AsyncIterator

from manole.tools.base import Error, Inputs, Result
from manole.tools.environment import TurnState
from manole.tools.tool import Tool


class RespondInputs(Inputs):
    """`respond`: the answer, where the model leads; else the loop writes it from the evidence."""

    answer: str = ""


class Respond(Tool[RespondInputs]):
    """Says that enough is known. The loop then writes the answer from the environment."""

    name = "respond"
    description = "answer now: the results above are enough"
    available_when = "something was found"
    end = True
    inputs = RespondInputs

    def is_tool_available(self, state: TurnState) -> bool:
        """Only with something to answer from."""
        return bool(state.trace)

    async def __call__(
        self, state: TurnState, inputs: RespondInputs
    ) -> AsyncIterator[Result | Error]:
        """Yield the given answer as a result."""
        yield Result(name="answer", payload_type="text", llm_message=inputs.answer)
