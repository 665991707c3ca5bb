"""The strategies side by side: which one answers, by name.

* `agent`: the loop (`loop.py`); its profile `default` does what measured best, with `literal`
  the model chooses each tool (`literal.py`);
* `pipeline`: six fixed stages with a map phase (`pipeline.py`);
* `journal`: searches of dated entries (`journal_only.py`);
* `simple`: retrieve, one prompt, one answer (`simple.py`).

All have one interface (`turn.Strategy`) and emit the same events, so that they can be compared in
one run over the same index with the same model.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from manole.agent.loop import Agent
from manole.agent.strategies.journal_only import Journal
from manole.agent.strategies.literal import Literal
from manole.agent.strategies.pipeline import Pipeline
from manole.agent.strategies.simple import Simple
from manole.agent.turn import ModelSource, Strategy, StrategyKind
from manole.errors import UsageError
from manole.hooks import STRATEGIES
from manole.library import Library
from manole.settings import Settings

OWN: dict[str, StrategyKind] = {
    "agent": Agent,
    "journal": Journal,
    "pipeline": Pipeline,
    "simple": Simple,
}


def make(
    settings: Settings,
    library: Library,
    model: ModelSource,
    *,
    today: Callable[[], date] = date.today,
) -> Strategy:
    """The strategy that `agent.strategy` and `agent.profile` name; a plug-in may bring it."""
    name = settings.agent.strategy
    literal = name == "agent" and settings.agent.profile == "literal"
    kind = Literal if literal else OWN.get(name) or STRATEGIES.get(name)
    if kind is None:
        raise UsageError(f"No plug-in answers by {name}.", "Set agent.strategy=agent.")
    return kind(library, model, settings, today=today)


def label(settings: Settings) -> str:
    """The strategy as a table names it: `agent`, `agent (literal)`, `pipeline`."""
    chosen = settings.agent
    literal = chosen.strategy == "agent" and chosen.profile != "default"
    return f"{chosen.strategy} ({chosen.profile})" if literal else chosen.strategy
