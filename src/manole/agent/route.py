"""The way a question takes: a tool, what it is asked, why, and who said so."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from manole.agent.events import Decider


@dataclass(frozen=True, slots=True)
class Route:
    """A tool to run."""

    tool: str
    inputs: dict[str, Any] = field(default_factory=dict)
    reasoning: str = ""
    by: Decider = "router"
