"""The cost of a turn: model calls, tokens and seconds."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from manole.agent.events import TokensUsed
from manole.models.chat.protocol import Completion


@dataclass
class TurnUsage:
    """Adds up the cost of a turn. The clock starts with the object."""

    calls: int = 0
    _started: float = field(default_factory=time.perf_counter)
    _first: dict[str, float] = field(default_factory=dict)
    _spent: dict[str, float] = field(default_factory=dict)
    _prompt: int = 0
    _cached: int = 0
    _completion: int = 0

    def add(self, completion: Completion) -> None:
        """Count a model call."""
        self.calls += 1
        self._prompt += completion.usage.prompt_tokens
        self._cached += completion.usage.cached_tokens
        self._completion += completion.usage.completion_tokens
        self.spent("model", completion.usage.total_s)

    def spent(self, what: str, seconds: float) -> None:
        """Add seconds to a named part of the turn."""
        self._spent[what] = self._spent.get(what, 0.0) + seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the question."""
        return round(time.perf_counter() - self._started, 3)

    def first(self, what: str) -> None:
        """Record when something was first shown: a `token` of the answer, or `evidence`."""
        self._first.setdefault(f"first_{what}", self.elapsed)

    def tokens(self) -> TokensUsed:
        """Return the tokens of all calls."""
        return TokensUsed(prompt=self._prompt, cached=self._cached, completion=self._completion)

    def timings(self) -> dict[str, float]:
        """Return seconds: `total`, `first_token`, and the named parts."""
        total = self.elapsed
        parts = {"total": total, "first_token": total, **self._first, **self._spent}
        return {name: round(seconds, 3) for name, seconds in parts.items()}
