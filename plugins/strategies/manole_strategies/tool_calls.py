"""Descriptions of tools for a model, and the reader of the calls that it writes.

Four formats are understood, in this order:

1. LFM2's own: `<|tool_call_start|>[name(arg="x")]<|tool_call_end|>`
2. JSON: `{"name": "x", "params": {...}}`, also with `tool`/`inputs`/`arguments`/`parameters`
3. brackets: `[name(arg="x")]`
4. a bare call: `name(arg="x")`

Broken JSON is repaired by `json-repair`; call syntax is read with Python's own parser, literals
only, so nothing is ever executed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence

import json_repair

from manole.models.chat.protocol import JsonSchema, ToolCall
from manole.tools.base import AnyTool

_NATIVE = re.compile(r"<\|tool_call_start\|>(.*?)(?:<\|tool_call_end\|>|$)", re.DOTALL)
_NAME_KEYS = ("tool", "name", "function", "tool_name")
_ARGUMENT_KEYS = ("inputs", "params", "arguments", "parameters", "args")


def parameters(tool: AnyTool) -> JsonSchema:
    """Return the schema of the inputs that a model fills in: strings, integers and choices."""
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


def parse_tool_call(
    text: str, names: Collection[str], parameters: Mapping[str, Sequence[str]] | None = None
) -> ToolCall | None:
    """Return the first call in `text` of a tool in `names`; `None` when there is none.

    `parameters` are the parameter names of each tool, for positional arguments.
    """
    native = _NATIVE.search(text)
    if native:
        inner = native[1].strip()
        return _call(inner, names, parameters) or _json(inner, names)
    return _json(text, names) or _call(text, names, parameters)


def called_name(text: str) -> str:
    """Return the name in a text that is a call and no answer, of whatever tool; "" for prose."""
    native = _NATIVE.search(text)
    inner = (native[1] if native else text).strip().removeprefix("```json").lstrip("[` \n")
    if inner.startswith("{"):
        item = _loads(inner)
        fields = item if isinstance(item, dict) else {}
        found = next((fields[key] for key in _NAME_KEYS if key in fields), "")
        found = found.get("name", "") if isinstance(found, dict) else found
        return found if isinstance(found, str) else ""
    bare = re.match(r"([A-Za-z]\w*_\w+|[a-z]+)\(", inner)
    return bare[1] if bare else ""


def _json(text: str, names: Collection[str]) -> ToolCall | None:
    start = text.find("{")
    if start < 0:
        return None
    decoded = _loads(text[start:])
    candidates = decoded if isinstance(decoded, list) else [decoded]
    return next(filter(None, (_from_object(item, names) for item in candidates)), None)


def _loads(text: str) -> object:
    try:
        return json_repair.loads(text)
    except (ValueError, RecursionError):  # nested too deeply to be a call
        return None


def _from_object(item: object, names: Collection[str]) -> ToolCall | None:
    if not isinstance(item, dict):
        return None
    for key in _NAME_KEYS:
        name = item.get(key)
        if isinstance(name, dict):  # OpenAI: {"function": {"name": ..., "arguments": ...}}
            return _from_object(name, names)
        if isinstance(name, str) and name.strip() in names:
            for arguments_key in _ARGUMENT_KEYS:
                arguments = item.get(arguments_key)
                if isinstance(arguments, str):
                    arguments = _loads(arguments)
                if isinstance(arguments, dict):
                    return ToolCall(name.strip(), arguments)
            rest = {k: v for k, v in item.items() if k not in _NAME_KEYS}
            return ToolCall(name.strip(), {k: v for k, v in rest.items() if k != "reasoning"})
    return None


def _call(
    text: str, names: Collection[str], parameters: Mapping[str, Sequence[str]] | None
) -> ToolCall | None:
    for match in re.finditer(r"([A-Za-z_]\w*)\s*\(", text):
        if match[1] not in names:
            continue
        source = _balanced(text, match.start())
        if source is None:
            continue
        try:
            node = ast.parse(source, mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue
        if isinstance(node, ast.Call):
            return ToolCall(match[1], _arguments(node, (parameters or {}).get(match[1], ())))
    return None


def _balanced(text: str, start: int) -> str | None:
    """Return the call from `start` to its closing bracket, ignoring brackets in quotes."""
    depth, quote = 0, ""
    for position in range(text.index("(", start), min(len(text), start + 4000)):
        character = text[position]
        if quote:
            if character == quote and text[position - 1] != "\\":
                quote = ""
        elif character in "\"'":
            quote = character
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0:
                return text[start : position + 1]
    return None


def _arguments(call: ast.Call, order: Sequence[str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, node in [
        *zip(order, call.args, strict=False),
        *((k.arg, k.value) for k in call.keywords),
    ]:
        if name is None:
            continue
        try:
            values[name] = ast.literal_eval(node)
        except (ValueError, SyntaxError):
            # A bare word: `count_files(extension=pdf)`.
            values[name] = node.id if isinstance(node, ast.Name) else ast.unparse(node)
    return values
