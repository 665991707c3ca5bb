"""Actions, which code runs, and tools, which a model may choose as well.

This is a module of its own because tools read the shared state (`environment`), which in turn
stores what they yield (`base`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, ClassVar, Generic, TypeVar

from manole.tools.base import Error, Inputs, Progress, Result
from manole.tools.environment import TurnState

In = TypeVar("In", bound=Inputs)


class Action(Generic[In]):
    """Something the agent can do. Subclasses set the class attributes and `__call__`."""

    name: ClassVar[str]
    inputs: type[In]

    def __call__(self, state: TurnState, inputs: In) -> AsyncIterator[Result | Error | Progress]:
        """Run it and yield what comes of it."""
        raise NotImplementedError


class Tool(Action[In]):
    """An action that a model may choose, too.

    `description` is a single line, as every token of a decision prompt costs time at each question.
    `available_when` is for the documentation. `end` marks the tool that ends a turn.
    """

    description: ClassVar[str]
    available_when: ClassVar[str] = "always"
    end: ClassVar[bool] = False

    def is_tool_available(self, state: TurnState) -> bool:
        """Return whether the tool can be chosen now."""
        return True

    def run_if_true(self, state: TurnState) -> In | None:
        """Return inputs to run with at once, without a decision; `None` to wait for one."""
        return None


AnyAction = Action[Any]
AnyTool = Tool[Any]
