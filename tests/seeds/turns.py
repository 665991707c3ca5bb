"""What the tests read of a turn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from manole.agent.events import Complete, Event

from .fake_endpoint import FakeEndpoint

LITERAL = ("--strategy", "literal")  # of a command


@dataclass
class Turn:
    """The events of a turn, the endpoint that it asked, and the lines that were sent."""

    events: list[Event]
    endpoint: FakeEndpoint
    lines: list[str]

    @property
    def end(self) -> Complete:
        """The last event."""
        end = self.events[-1]
        assert isinstance(end, Complete)
        return end

    @property
    def tools(self) -> list[str]:
        """The tools that were decided for, in order."""
        return [decision.tool for decision in self.of("decision")]

    @property
    def told(self) -> str:
        """The status messages, a line each."""
        return "\n".join(event.message for event in self.of("status"))

    def of(self, kind: str) -> list[Any]:
        """The events of a type."""
        return [event for event in self.events if event.type == kind]

    @property
    def figure(self) -> int:
        """The first number of the answer."""
        return first_number(self.end.answer)


def first_number(text: str) -> int:
    """The first number in a text: of files that are counted, say."""
    found = re.search(r"\d+", text)
    assert found is not None, text
    return int(found[0])
