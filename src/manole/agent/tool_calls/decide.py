"""Choosing a function with the model.

The model's output is constrained by a JSON schema to the functions at hand; what it writes is still
read by `parse.py`, which understands four formats, since an endpoint may ignore the schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manole.agent.tool_calls.parse import parse_tool_call
from manole.models.chat.protocol import ChatModel, Completion, JsonSchema, Message, ToolCall
from manole.tools.tool import AnyTool

_CALL_TOKENS = 80  # a tool's name and its short inputs


@dataclass(frozen=True, slots=True)
class Option:
    """What can be chosen. `parameters` is the JSON schema of its inputs, an object's.

    `order` names the inputs as positional arguments stand; by default as `parameters` has them.
    """

    name: str
    parameters: JsonSchema
    order: tuple[str, ...] = ()


async def choose(
    options: Sequence[Option],
    model: ChatModel,
    messages: Sequence[Message],
    *,
    max_tokens: int = _CALL_TOKENS,
    slot: str = "decide",
) -> tuple[ToolCall | None, Completion]:
    """The model's choice among `options`, `None` when it made none that can be read.

    `messages` describe the options and say what is wanted. Raises `ModelError`.
    """
    completion = await model.complete(
        messages, max_tokens=max_tokens, schema=choice(options), slot=slot
    )
    order = {o.name: o.order or tuple(o.parameters.get("properties", ())) for o in options}
    return parse_tool_call(completion.text, set(order), order), completion


def choice(options: Sequence[Option]) -> JsonSchema:
    """`{"tool": ..., "inputs": {...}}` with the inputs of the chosen option only."""
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {"tool": {"const": option.name}, "inputs": option.parameters},
                "required": ["tool", "inputs"],
                "additionalProperties": False,
            }
            for option in options
        ]
    }


def parameters(tool: AnyTool) -> JsonSchema:
    """The tool's inputs that a model fills in: flat strings, numbers and choices."""
    full = tool.inputs.model_json_schema()
    properties = {}
    for name, spec in full.get("properties", {}).items():
        if spec.get("type") == "string" or "enum" in spec:
            properties[name] = {k: v for k, v in spec.items() if k in {"type", "enum"}}
        elif spec.get("type") == "integer":
            properties[name] = {"type": "integer"}
    return {
        "type": "object",
        "properties": properties,
        "required": [n for n in full.get("required", []) if n in properties],
        "additionalProperties": False,
    }
