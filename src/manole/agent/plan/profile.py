"""The profile `plan`: the model plans first; what no plan answers is searched for."""

from __future__ import annotations

from collections.abc import Sequence

from manole.agent.ledger import Ledger
from manole.agent.plan.planner import Planner
from manole.agent.plan.reading import reading
from manole.agent.plan.tool import QUERY, QueryCatalog
from manole.agent.profile import Profile
from manole.agent.turn import GetModel
from manole.agent.understanding.route import Route, content
from manole.errors import ManoleError
from manole.index.store import FileRecord
from manole.tools.environment import TurnState
from manole.tools.registry import Registry


class PlanProfile(Profile):
    """The hooks of a turn whose question is read by the model into one plan."""

    def __init__(self, state: TurnState, tools: Registry, ledger: Ledger, model: GetModel) -> None:
        super().__init__(state, tools, ledger, model)
        self.tools = self.tools.extended(QueryCatalog())
        self._reads = False  # whether the model has said that something is to be read

    async def plan(self) -> Route | None:
        """The query that answers the question; `None` where something has to be read.

        Without a model, keywords stand in.
        """
        if self.state.settings.agent.thorough:
            return None
        try:
            sql = await Planner(self.state, self.model, self.ledger).plan()
        except ManoleError:
            return None
        self._reads = True
        return Route(QUERY, {"sql": sql}, reading(sql)) if sql else None

    def clauses(self, files: Sequence[FileRecord]) -> list[Route]:
        """One search, where the model has planned."""
        return [content(self.state.question)] if self._reads else super().clauses(files)
