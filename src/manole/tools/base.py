"""The inputs of tools and the results that they yield.

A tool reads the shared state and yields `Result`s, `Error`s and, while it works, `Progress`. One
`Result` has three projections: `objects` for the screen and the environment, `metadata` for both,
and `llm_message`, one sentence or short list that answers the question by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict

from manole.tools.objects import Found

Confidence = Literal["high", "medium", "low"]


class Inputs(BaseModel):
    """Base of every tool's inputs: unknown names are refused, text is trimmed."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


@dataclass(frozen=True, slots=True)
class Result:
    """The typed output of a tool.

    `llm_message` may hold placeholders: `{num_objects}`, `{name}` and any key of `metadata`.
    `answers` says that the message settles the question as it stands, with `confidence`.
    """

    objects: Sequence[Found] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    name: str = "results"
    payload_type: str = "result"
    llm_message: str = ""
    answers: bool = False
    confidence: Confidence = "high"

    @property
    def message(self) -> str:
        """Return `llm_message` with its placeholders filled in."""
        values = {**self.metadata, "num_objects": len(self.objects), "name": self.name}
        text = self.llm_message
        for key, value in values.items():
            text = text.replace("{" + key + "}", str(value))
        return text


@dataclass(frozen=True, slots=True)
class Error:
    """A failure. `suggestion` says what to try instead."""

    message: str
    recoverable: bool = True
    suggestion: str | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """A status message for the person who waits; it is not stored."""

    message: str
