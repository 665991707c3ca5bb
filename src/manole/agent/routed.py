"""Tools that the loop alone chooses, some of which ask the model themselves."""

from __future__ import annotations

from manole.agent.turn import GetModel
from manole.agent.usage import Ledger
from manole.tools.environment import TurnState
from manole.tools.tool import In, Tool


class RoutedTool(Tool[In]):
    """A tool that is never offered to the model: the loop is surer of when it fits."""

    def is_tool_available(self, state: TurnState) -> bool:
        """Never."""
        return False


class AskingTool(RoutedTool[In]):
    """One that may ask the model, when it is needed; what that costs goes into `ledger`."""

    def __init__(self, model: GetModel, ledger: Ledger) -> None:
        self._model = model
        self._ledger = ledger
