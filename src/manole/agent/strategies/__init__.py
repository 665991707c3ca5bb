"""The strategies side by side: which one answers, by name.

* `agent`: the loop (`loop.py`); its profile `default` does what measured best, `literal` what
  seeds 000 and 004 say;
* `pipeline`: seed 001's fixed six stages (`pipeline.py`);
* `journal`: seed 002's searches of dated entries (`journal.py`);
* `simple`: retrieve, one prompt, one answer (`simple.py`).

All have one interface (`turn.Strategy`) and emit the same events, so that they can be compared in
one run over the same index with the same model.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from manole.agent.loop import Agent
from manole.agent.profile import Profile
from manole.agent.strategies.journal_only import Journal
from manole.agent.strategies.literal import LiteralProfile
from manole.agent.strategies.pipeline import Pipeline
from manole.agent.strategies.simple import Simple
from manole.agent.turn import ModelSource, Strategy
from manole.library import Library
from manole.settings import Settings

PROFILES: dict[str, type[Profile]] = {
    "default": Profile,
    "literal": LiteralProfile,
}


def make(
    settings: Settings,
    library: Library,
    model: ModelSource,
    *,
    today: Callable[[], date] = date.today,
) -> Strategy:
    """The strategy that `agent.strategy` and `agent.profile` name."""
    match settings.agent.strategy:
        case "simple":
            return Simple(library, model, settings, today=today)
        case "pipeline":
            return Pipeline(library, model, settings, today=today)
        case "journal":
            return Journal(library, model, settings, today=today)
        case "agent":
            profile = PROFILES[settings.agent.profile]
            return Agent(library, model, settings, today=today, profile=profile)


def label(settings: Settings) -> str:
    """The strategy as a table names it: `agent`, `agent (literal)`, `pipeline`."""
    chosen = settings.agent
    literal = chosen.strategy == "agent" and chosen.profile != "default"
    return f"{chosen.strategy} ({chosen.profile})" if literal else chosen.strategy
