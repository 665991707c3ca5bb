"""Choosing a tool with the model, where the router is not sure (seeds 000, 003 and 004).

The model's output is constrained by a JSON schema to the tools that are available now; what it
writes is still read by `parse.py`, which understands the four formats of seed 004, since an
endpoint may ignore the schema. A few worked examples, those nearest to the question by embedding,
go with it.

`choose` is the constrained choice itself, among any named `Option`s; `decide` is that choice among
the agent's tools, with what the turn knows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from manole.agent.parse import parse_tool_call
from manole.agent.prompts import prompt
from manole.models.chat import ChatModel, Completion, JsonSchema, Message, ToolCall
from manole.tools.environment import TurnState
from manole.tools.tool import Tool

EXAMPLES = 4
_STATE_TOKENS = 150
_CALL_TOKENS = 80  # a tool's name and its short inputs

Embed = Callable[[Sequence[str]], npt.NDArray[np.float32]]


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


async def decide(
    state: TurnState,
    tools: Sequence[Tool[Any]],
    model: ChatModel,
    embed: Embed,
) -> tuple[ToolCall | None, Completion]:
    """The model's choice among `tools`, `None` when it made none that can be read."""
    listing = "\n".join(f"- {t.signature}: {t.description}" for t in tools)
    examples = nearest_examples(state.question, {t.name for t in tools}, embed)
    known = state.environment.to_llm_context(_STATE_TOKENS)
    facts = []
    if known:
        facts.append(f"Found so far:\n{known}")
    facts += [f"Problem: {e}" for e in state.errors[-2:]]
    if state.tasks_completed:
        facts.append(f"Already used: {', '.join(state.tasks_completed)}")
    messages = [
        Message("system", prompt("decide.system").substitute(tools=listing)),
        Message(
            "user",
            prompt("decide.user").substitute(
                examples=examples, state="\n".join(facts), question=state.question[:1000]
            ),
        ),
    ]
    return await choose(_options(tools), model, messages)


def schema(tools: Sequence[Tool[Any]]) -> JsonSchema:
    """What a decision among `tools` must look like."""
    return choice(_options(tools))


def _options(tools: Sequence[Tool[Any]]) -> list[Option]:
    return [Option(tool.name, parameters(tool), tuple(tool.inputs.model_fields)) for tool in tools]


def parameters(tool: Tool[Any]) -> JsonSchema:
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


def nearest_examples(question: str, names: set[str], embed: Embed) -> str:
    """The worked examples nearest to the question, one a line, best last."""
    known = [(q, call) for q, call in _examples() if json.loads(call)["tool"] in names]
    vectors = _example_vectors(embed)
    index = {q: i for i, (q, _) in enumerate(_examples())}
    asked = embed([question])[0]
    ranked = sorted(known, key=lambda item: float(vectors[index[item[0]]] @ asked))
    return "\n".join(f"{q} -> {call}" for q, call in ranked[-EXAMPLES:])


@cache
def _examples() -> tuple[tuple[str, str], ...]:
    lines = (files("manole.agent.prompts") / "decide.examples.jsonl").read_text("utf-8")
    parsed = [json.loads(line) for line in lines.splitlines() if line.strip()]
    return tuple(
        (p["question"], json.dumps({"tool": p["tool"], "inputs": p["inputs"]})) for p in parsed
    )


_vectors: dict[int, npt.NDArray[np.float32]] = {}


def _example_vectors(embed: Embed) -> npt.NDArray[np.float32]:
    """Embeddings of the examples, made once a process and embedder."""
    key = id(getattr(embed, "__self__", embed))
    if key not in _vectors:
        _vectors[key] = embed([q for q, _ in _examples()])
    return _vectors[key]
