"""The tools and actions of a turn, by name."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

from pydantic import ValidationError

from manole.tools.base import AnyAction, AnyTool, Error, Inputs, Result, Tool, TurnState
from manole.tools.files import (
    CountFiles,
    DirectoryTree,
    DiskUsage,
    FileMetadata,
    FolderStats,
    GrepFiles,
    ListFiles,
)
from manole.tools.search import ReadDocument, SemanticSearch
from manole.tools.visual import VisualInterpretation, VisualSearch

ALIASES = {  # names that other systems have for them
    "fast_vector_search": "semantic_search",
    "colqwen_visual_search": "visual_search",
    "text_response": "respond",
}


class RespondInputs(Inputs):
    """The inputs of `respond`: the answer, where the model leads; else the loop writes it."""

    answer: str = ""


class Respond(Tool[RespondInputs]):
    """The tool that ends the turn; the loop then writes the answer from the environment."""

    name = "respond"
    description = "answer now: the results above are enough"
    available_when = "something was found"
    end = True
    inputs = RespondInputs

    def is_tool_available(self, state: TurnState) -> bool:
        """Return whether there is something to answer from."""
        return not state.environment.is_empty()

    async def __call__(
        self, state: TurnState, inputs: RespondInputs
    ) -> AsyncIterator[Result | Error]:
        """Yield the given answer as a result."""
        yield Result(name="answer", payload_type="text", llm_message=inputs.answer)


class Registry:
    """The tools, in the order in which a prompt lists them, and the actions that only code runs.

    Without any given, the tools are all of them.
    """

    def __init__(
        self, tools: tuple[AnyTool, ...] | None = None, actions: tuple[AnyAction, ...] = ()
    ) -> None:
        chosen = tools or (
            SemanticSearch(), VisualSearch(), VisualInterpretation(), ReadDocument(), CountFiles(),
            ListFiles(), GrepFiles(), FileMetadata(), DirectoryTree(), FolderStats(), DiskUsage(),
            Respond(),
        )  # fmt: skip
        self._tools = {tool.name: tool for tool in chosen}
        self._actions = {action.name: action for action in (*chosen, *actions)}

    def __getitem__(self, name: str) -> AnyTool:
        return self._tools[self._own(name)]

    def __contains__(self, name: str) -> bool:
        return self._own(name) in self._tools

    def action(self, name: str) -> AnyAction | None:
        """Return the tool or action of that name, if any."""
        return self._actions.get(self._own(name))

    def _own(self, name: str) -> str:
        """Return the name by which a tool goes here: its alias where no tool has the name."""
        return name if name in self._actions else ALIASES.get(name, name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools."""
        return tuple(self._tools)

    def available(self, state: TurnState) -> list[AnyTool]:
        """Return the tools that can be chosen now."""
        return [tool for tool in self._tools.values() if tool.is_tool_available(state)]

    def parse(self, name: str, arguments: Mapping[str, object]) -> Inputs | None:
        """Return a model's arguments as the inputs of the tool or action that it named.

        Unknown arguments are dropped and bad values replaced by their defaults. Return `None` when
        a required one is missing or there is no such tool.
        """
        tool = self.action(name)
        if tool is None:
            return None
        known = {k: v for k, v in arguments.items() if k in tool.inputs.model_fields}
        while True:
            try:
                parsed: Inputs = tool.inputs.model_validate(known)
                return parsed
            except ValidationError as error:
                bad = {str(item["loc"][0]) for item in error.errors() if item["loc"]}
                if not bad & known.keys():
                    return None
                known = {k: v for k, v in known.items() if k not in bad}
