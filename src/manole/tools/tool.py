"""What the agent can do: actions, which code takes, and tools, which a model may choose as well.

In a module of its own: tools read the shared state (`environment`), which keeps what they yield
(`base`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, ClassVar, Generic, TypeVar

from manole.tools.base import Error, Inputs, Progress, Result
from manole.tools.environment import TurnState

In = TypeVar("In", bound=Inputs)


class Action(Generic[In]):
    """One thing the agent can do. Subclasses set the class attributes and `__call__`."""

    name: ClassVar[str]
    inputs: type[In]

    def __call__(self, state: TurnState, inputs: In) -> AsyncIterator[Result | Error | Progress]:
        """Do it."""
        raise NotImplementedError


class Tool(Action[In]):
    """An action that a model may choose, too.

    `description` and `available_when` are one line each: the model reads them, and every token
    of a decision prompt is paid for at each question.
    """

    description: ClassVar[str]
    available_when: ClassVar[str] = "always"
    end: ClassVar[bool] = False

    def is_tool_available(self, state: TurnState) -> bool:
        """Whether the tool can be chosen now."""
        return True

    def run_if_true(self, state: TurnState) -> In | None:
        """Inputs to run with at once, without a decision; `None` for no."""
        return None

    @property
    def signature(self) -> str:
        """The call as one line, such as `count_files(extension, time_filter)`."""
        return f"{self.name}({', '.join(self.inputs.model_fields)})"


AnyAction = Action[Any]
AnyTool = Tool[Any]
