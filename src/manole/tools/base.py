"""What a tool is, and what it yields (seed 003, "Result Objects", "Error Objects").

A tool reads the shared state and yields `Result`s and `Error`s, and `Progress` where it takes its
time. One `Result` has three projections: `objects` for the screen and the environment, `metadata`
for both, and `llm_message`, one sentence or short list that answers the question by itself.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from manole.tools.environment import TurnState


Confidence = Literal["high", "medium", "low"]


class Inputs(BaseModel):
    """Base of every tool's inputs: unknown names are refused, text is trimmed."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


@dataclass(frozen=True, slots=True)
class Result:
    """Typed output of a tool.

    `llm_message` may hold placeholders: `{num_objects}`, `{name}` and any key of `metadata`.
    `objects` have a stable `id` each, by which the environment de-duplicates them.
    `answers` says that the message settles the question as it stands, with `confidence`.
    """

    objects: list[dict[str, Any]]
    metadata: dict[str, Any] = field(default_factory=dict)
    name: str = "results"
    payload_type: str = "result"
    llm_message: str = ""
    answers: bool = False
    confidence: Confidence = "high"

    @property
    def message(self) -> str:
        """`llm_message` with its placeholders filled in."""
        values = {**self.metadata, "num_objects": len(self.objects), "name": self.name}
        text = self.llm_message
        for key, value in values.items():
            text = text.replace("{" + key + "}", str(value))
        return text


@dataclass(frozen=True, slots=True)
class Error:
    """A failure that the next decision reads. `suggestion` says what to try instead."""

    message: str
    recoverable: bool = True
    suggestion: str | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """What a person may want to know while a tool works; nothing of it is kept."""

    message: str


In = TypeVar("In", bound=Inputs)


class Tool(Generic[In]):
    """One thing the agent can do. Subclasses set the class attributes and `__call__`.

    `description` and `available_when` are one line each: the model reads them, and every token
    of a decision prompt is paid for at each question.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    available_when: ClassVar[str] = "always"
    end: ClassVar[bool] = False
    inputs: type[In]

    def is_tool_available(self, state: TurnState) -> bool:
        """Whether the tool can be chosen now."""
        return True

    def run_if_true(self, state: TurnState) -> In | None:
        """Inputs to run with at once, without a decision; `None` for no."""
        return None

    def __call__(self, state: TurnState, inputs: In) -> AsyncIterator[Result | Error | Progress]:
        """Run the tool."""
        raise NotImplementedError

    @property
    def signature(self) -> str:
        """The call as one line, such as `count_files(extension, time_filter)`."""
        return f"{self.name}({', '.join(self.inputs.model_fields)})"
