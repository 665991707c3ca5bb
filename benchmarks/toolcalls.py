"""Tool choice on given functions: reading cases, and whether a call is the one that was wanted.

A case is a line of JSON: `id, question, tools` (each `name, description, parameters`, the last a
JSON schema with Python's names for types), `answers` (the calls wanted, each
`{name: {argument: [allowed values]}}`, an allowed `""` meaning that it may be left out) and
`call_expected`. Calls are judged as the Berkeley Function Calling Leaderboard's checker does (Patil
et al. 2024): every given argument must have an allowed value, none may be invented, texts are
compared without case, spaces and the signs `,./-_*^`.

Where several calls are wanted, one of them is enough: an agent's loop makes one call a step.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manole.errors import UsageError
from manole.models.chat.protocol import JsonSchema, ToolCall

_TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": None}
_KEPT = ("description", "enum")
_SIGNS = re.compile(r"[ ,./\-_*^]")


@dataclass(frozen=True, slots=True)
class Function:
    """A function that can be called. `parameters` is proper JSON schema, an object's."""

    name: str
    description: str
    parameters: JsonSchema


@dataclass(frozen=True, slots=True)
class Case:
    """One question, the functions at hand, and the calls wanted: none, if no function fits."""

    id: str
    question: str
    functions: tuple[Function, ...]
    wanted: tuple[tuple[str, dict[str, list[Any]]], ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of a case. Where no call is wanted, `tool` and `arguments` say that none came."""

    expected: bool
    called: bool
    tool: bool
    arguments: bool


def load(path: Path) -> list[Case]:
    """Every case of a JSONL file. Raises `UsageError` naming the line that is wrong."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}.", "Give a JSONL file.") from None
    cases = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            cases.append(parse(json.loads(line)))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise UsageError(
                f"{path}, line {number} is no case: {error}.",
                'Each line has "id", "question", "tools" and "answers".',
            ) from None
    if not cases:
        raise UsageError(f"{path} holds no cases.", "Give a JSONL file with one a line.")
    return cases


def parse(row: Mapping[str, Any]) -> Case:
    """One line's object. Raises `KeyError`, `TypeError` or `AttributeError` for what is none."""
    functions = tuple(
        Function(safe(tool["name"]), tool.get("description", ""), schema(tool["parameters"]))
        for tool in row["tools"]
    )
    wanted = [
        (safe(name), dict(values)) for call in row["answers"] for name, values in call.items()
    ]
    expected = row.get("call_expected", bool(wanted))
    return Case(row["id"], row["question"], functions, tuple(wanted) if expected else ())


def safe(name: str) -> str:
    """A function's name as tool-calling protocols allow it: without dots and the like."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def schema(given: Mapping[str, Any]) -> JsonSchema:
    """JSON schema of a parameter: types by their proper names, without what no grammar can use."""
    kind = given.get("type", "any")
    made: JsonSchema = {name: given[name] for name in _KEPT if given.get(name)}
    proper = _TYPES.get(kind, kind)
    if proper is not None:
        made["type"] = proper
    if "properties" in given:
        made["properties"] = {name: schema(one) for name, one in given["properties"].items()}
        made["required"] = [n for n in given.get("required", []) if n in given["properties"]]
        made["additionalProperties"] = False
    if isinstance(given.get("items"), Mapping):
        made["items"] = schema(given["items"])
    return made


def judge(case: Case, call: ToolCall | None) -> Judged:
    """Score one call, or that none was made."""
    expected = bool(case.wanted)
    if not expected or call is None:
        right = not expected and call is None
        return Judged(expected, call is not None, right, right)
    same = [values for name, values in case.wanted if name == safe(call.name)]
    fitting = any(arguments_fit(call.arguments, values) for values in same)
    return Judged(expected, True, bool(same), fitting)


def arguments_fit(given: Mapping[str, Any], allowed: Mapping[str, list[Any]]) -> bool:
    """Whether every argument has an allowed value, and only what may be left out is."""
    if set(given) - set(allowed):
        return False
    return all(
        any(_same(given[name], value) for value in values) if name in given else "" in values
        for name, values in allowed.items()
    )


def _same(given: Any, allowed: Any) -> bool:
    if isinstance(given, str) and isinstance(allowed, str):
        return _plain(given) == _plain(allowed)
    if isinstance(given, bool) or isinstance(allowed, bool):
        return given is allowed
    if isinstance(given, int | float) and isinstance(allowed, int | float):
        return float(given) == float(allowed)
    if isinstance(given, list | tuple) and isinstance(allowed, list | tuple):
        return len(given) == len(allowed) and all(map(_same, given, allowed))
    if isinstance(given, Mapping) and isinstance(allowed, Mapping):
        # An allowed object lists the allowed values of each of its members, as a call does.
        listed = {k: v if isinstance(v, list) else [v] for k, v in allowed.items()}
        return arguments_fit(given, listed)
    return bool(given == allowed)


def _plain(text: str) -> str:
    return _SIGNS.sub("", text).casefold().replace("'", '"')
