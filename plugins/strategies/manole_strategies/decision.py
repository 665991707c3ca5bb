"""The decision of the strategy `tree`: its prompt, the grammar it is held to, and its reader.

The decision is JSON: `impossible`, `tool`, `inputs`, `reasoning`, `should_end`. A JSON schema with
one form for each tool that is available now, and an impossible one, holds the model to it where the
engine can. `impossible` comes first: of tasks that no document can do, the usual model said it of
14 in 18 so, and of none in 9 behind the tool or behind the reason. What it wrote is still read as
untrusted: broken JSON is repaired, a tool that is not available makes the decision void, inputs of
a wrong type are left out.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import json_repair

from manole.agent.answer.injection_filter import inert
from manole.agent.prompts import raw
from manole.models.chat.protocol import JsonSchema, Message
from manole.tools.base import AnyTool, TurnState
from manole_strategies import prompts
from manole_strategies.prompts import prompt
from manole_strategies.summarize import SUMMARY

ORDER = ("impossible", "tool", "inputs", "reasoning", "should_end")  # in which it is written
TOKENS = 170  # of the longest decision that the schema allows
_REASON, _QUERY = 160, 120  # characters: a sentence, and what one looks for
FOUND_TOKENS, _KEY_POINTS = 160, 160  # of the prompt: reading them takes seconds
_CHARS = 3.5  # of a token, about
_FRAME = 160  # tokens of the rest of the prompt: its own words, names of tools, chat template
_ERRORS, _ERROR_CHARS = 3, 240  # the newest, and how much of each


@dataclass(frozen=True, slots=True)
class TreeDecision:
    """What the model decided: a tool with its inputs, and why."""

    tool: str
    inputs: Mapping[str, object] = field(default_factory=dict)
    reasoning: str = ""
    should_end: bool = False
    impossible: bool = False


def schema_for(tools: Sequence[AnyTool], end: str = "") -> JsonSchema:
    """Return the schema of a decision between `tools`.

    `end` is the tool of the impossible form, which is left out without one.
    """
    forms = [_form(tool.name, _offered(tool)) for tool in tools]
    return {"anyOf": [*forms, *([_form(end, (), impossible=True)] if end else [])]}


def _form(tool: str, inputs: Sequence[str], *, impossible: bool = False) -> JsonSchema:
    text = {"type": "string", "minLength": 1, "maxLength": _QUERY}
    properties: dict[str, JsonSchema] = {
        "reasoning": {"type": "string", "minLength": 1, "maxLength": _REASON},
        "tool": {"const": tool},
        "inputs": _object(dict.fromkeys(inputs, text)),
        "should_end": {"const": True} if impossible else {"type": "boolean"},
        "impossible": {"const": impossible},
    }
    return _object({name: properties[name] for name in ORDER})


def _object(properties: Mapping[str, JsonSchema]) -> JsonSchema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _offered(tool: AnyTool) -> tuple[str, ...]:
    """Return the names of the inputs that the model fills in."""
    offered: tuple[str, ...] = getattr(tool, "offered", ())
    return offered


def messages_for(
    state: TurnState,
    tools: Sequence[AnyTool],
    available: Sequence[AnyTool],
    extracts: str = "",
    context: int = 8192,
) -> list[Message]:
    """Return the decision prompt: the tools and instructions, examples, the state of the turn.

    `extracts` are what was found of the question; without any, all is told as far as it fits. In a
    small `context`, in tokens, each part of the state has a third of the room, and the examples are
    left out where they do not fit.
    """
    told = prompt("tree.decide.system").substitute(tools="\n".join(map(_described, tools)))
    question = state.question.text[: int(context / 4 * _CHARS)]
    room = int((context - TOKENS - _FRAME) * _CHARS) - len(told) - len(question)  # characters
    found = extracts or inert(state.environment.to_llm_context(FOUND_TOKENS))
    points = str(state.environment.hidden_environment.get(SUMMARY, ""))
    if points:
        points = f"Key points so far: {points[: min(room // 3, int(_KEY_POINTS * _CHARS))]}\n"
    done = [
        f"{tool} ({', '.join(f'{seconds:.1f} s' for seconds in times)})"
        for tool, times in state.tasks_completed.items()
    ]
    errors = [error[:_ERROR_CHARS] for error in state.errors[-_ERRORS:]]
    asked = prompt("tree.decide.user").substitute(
        question=question,
        collections=", ".join(state.collection_names) or "none",
        found=points + (found[: room // 3] or "nothing yet"),
        errors="\n".join(errors)[: room // 3] or "none",
        done=", ".join(done) or "none",
        available=", ".join(tool.name for tool in available),
    )
    examples = _examples()
    taken = len(asked) - len(question) + sum(len(message.content) for message in examples)
    fitting = examples if taken <= room else ()
    return [Message("system", told), *fitting, Message("user", asked)]


@cache
def _examples() -> tuple[Message, ...]:
    """Return the worked examples: the state of a turn, and the decision."""
    messages: list[Message] = []
    lines = raw("tree.decide.examples.jsonl", package=prompts.__name__).splitlines()
    for example in map(json.loads, lines):
        asked = prompt("tree.decide.user").substitute(example)
        decided = {name: example.get(name, False) for name in ORDER}
        messages.append(Message("user", asked, fixed=True))
        messages.append(Message("assistant", json.dumps(decided), fixed=True))
    return tuple(messages)


def _described(tool: AnyTool) -> str:
    inputs = ", ".join(_offered(tool))
    return f"- {tool.name}({inputs}): {tool.description}. Available: {tool.available_when}."


def read_decision(text: str, available: Collection[str], end: str) -> TreeDecision | str:
    """Return the decision in a model's reply, or why there is none, as words for `errors`."""
    try:
        written = json_repair.loads(text[: 40 * _REASON])
    except (ValueError, RecursionError):  # nested too deeply to be a decision
        written = None
    if isinstance(written, list):
        written = next((item for item in written if isinstance(item, dict)), None)
    if not isinstance(written, dict):
        return "The decision was no JSON object."
    reasoning = " ".join(str(written.get("reasoning") or "").split())[: 2 * _REASON]
    if written.get("impossible") is True:
        return TreeDecision(end, {}, reasoning, should_end=True, impossible=True)
    tool = written.get("tool")
    if not isinstance(tool, str) or tool not in available:
        return f"The tool “{str(tool)[:40]}” is not available."
    given = written.get("inputs")
    inputs = {
        name: value[: 4 * _QUERY]
        for name, value in (given if isinstance(given, dict) else {}).items()
        if isinstance(name, str) and isinstance(value, str) and value.strip()
    }
    return TreeDecision(tool, inputs, reasoning, should_end=written.get("should_end") is True)
