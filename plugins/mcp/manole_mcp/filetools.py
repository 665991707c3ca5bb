"""Manole's own tools over the table of files, offered as they are.

Each runs with a turn's state of its own; wrong inputs are refused rather than mended, because a
program can correct them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import BaseModel

from manole.agent.conversations.markdown import harmless
from manole.errors import ManoleError
from manole.text.question import Question
from manole.tools.base import Error, Inputs, Result, Tool, TurnState
from manole.tools.registry import Registry
from manole_mcp.replies import Call, Offer, Reply
from manole_mcp.uris import Place

NAMES = (
    "count_files", "list_files", "grep_files", "file_metadata", "directory_tree", "folder_stats",
    "disk_usage",
)  # fmt: skip
_TEXT = frozenset({"indexed", "partial"})  # files whose text can be read


class FileOutputs(BaseModel):
    """The result of a file tool: a sentence, and the objects it is about."""

    message: str
    objects: list[dict[str, Any]]
    metadata: dict[str, Any]


def offers() -> tuple[Offer, ...]:
    """Return the file tools."""
    tools = Registry()
    return tuple(_offer(tools[name]) for name in NAMES)


def _offer(tool: Tool[Any]) -> Offer:
    return Offer(
        tool.name,
        tool.name.replace("_", " ").capitalize(),
        f"Of the user's files: {tool.description}.",
        tool.inputs,
        FileOutputs,
        _runner(tool),
    )


def _runner(tool: Tool[Any]) -> Callable[[Call, Any], Awaitable[Reply]]:
    async def run(call: Call, inputs: Inputs) -> Reply:
        library = call.opened.library
        state = TurnState(Question(tool.name), library, library.settings)
        results: list[Result] = []
        async for outcome in tool(state, inputs):
            if isinstance(outcome, Error):
                raise ManoleError(outcome.message, _known_here(outcome.suggestion))
            if isinstance(outcome, Result):
                results.append(outcome)
        objects = [_with_uri(item.to_json()) for result in results for item in result.objects]
        message = "\n".join(result.message for result in results)
        metadata = {key: value for result in results for key, value in result.metadata.items()}
        links = [Place(item["file"]) for item in objects if "uri" in item]
        data = FileOutputs(message=message, objects=objects, metadata=metadata)
        return Reply(harmless(message), data, tuple(links))

    return run


def _with_uri(item: dict[str, Any]) -> dict[str, Any]:
    """Return an object of a result; a file that has text gets its address."""
    if item.get("kind") == "file" and item.get("status") in _TEXT:
        return item | {"uri": Place(item["file"]).uri}
    return item


def _known_here(suggestion: str | None) -> str | None:
    """Return a suggestion with the names that the tools have here."""
    return suggestion.replace("semantic_search", "search") if suggestion else None
