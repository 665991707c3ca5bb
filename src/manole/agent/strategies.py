"""The choice of who answers: the agent (`loop.py`), or a strategy of a plug-in.

All have one interface (`turn.Strategy`) and emit the same events, so that they can be compared in
one run over the same index with the same model.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Protocol

from manole.agent.loop import Agent
from manole.agent.turn import ModelSource, Strategy
from manole.errors import UsageError
from manole.hooks import PROFILES, STRATEGIES
from manole.library import Library
from manole.settings import Settings


class StrategyKind(Protocol):
    """The class of a strategy, such as a subclass of `turn.TurnStrategy`."""

    def __call__(
        self,
        library: Library,
        model: ModelSource,
        settings: Settings,
        /,
        *,
        today: Callable[[], date] = date.today,
    ) -> Strategy:
        """Return the strategy over one library; it asks for `model` when it needs it."""
        ...


def make(
    settings: Settings,
    library: Library,
    model: ModelSource,
    *,
    today: Callable[[], date] = date.today,
) -> Strategy:
    """Return the strategy that `agent.strategy` and `agent.profile` name. Raises `UsageError`."""
    chosen = settings.agent
    kind: StrategyKind | None = Agent
    if chosen.strategy != "agent":
        kind = STRATEGIES.get(chosen.strategy)
    elif chosen.profile != "default":
        kind = PROFILES.get(chosen.profile)
    if kind is None:
        raise UsageError(f"No plug-in answers by the strategy {chosen.strategy}.")
    return kind(library, model, settings, today=today)
