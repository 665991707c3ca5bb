"""The map phase: extracts what one passage says about a question.

There is one call per passage. The model is asked for JSON without a grammar, so its output is read
in this order: `json.loads`, then patterns, then a default of the caller: `pipeline` then takes a
passage for relevant, `literal` does not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from manole.agent.answer.injection_filter import gives_orders, inert
from manole.models.chat.protocol import ChatModel, Completion, Message
from manole_strategies.prompts import prompt

MAX_FACTS, FACT_CHARS = 12, 300  # of one passage: more than fit into the reply
MAP_TOKENS = 200  # of a reply: some five facts

_RELEVANT = re.compile(r'"relevant"\s*:\s*(true|false)', re.IGNORECASE)
_FACTS = re.compile(r'"facts"\s*:\s*\[(.*)', re.DOTALL)
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True, slots=True)
class Extracted:
    """The facts of one passage. `parsed` is how they were read: "json", "pattern" or "default"."""

    relevant: bool
    facts: tuple[str, ...]
    parsed: str


async def extract(
    question: str, text: str, model: ChatModel, *, default: bool
) -> tuple[Extracted, Completion]:
    """Ask the model for the facts of one passage. Raises `ModelError`."""
    asked = prompt("map").substitute(query=question, chunk_text=inert(text))
    completion = await model.complete([Message("user", asked)], max_tokens=MAP_TOKENS, slot="map")
    return read(completion.text, default=default), completion


def read(text: str, *, default: bool) -> Extracted:
    """Read the model's output; `default` is `relevant` where it cannot be read."""
    found, parsed = as_object(text)
    if isinstance(found.get("relevant"), bool):
        facts = found.get("facts")
        listed = facts if isinstance(facts, list) else [facts] if facts else []
        return Extracted(found["relevant"], _clean(_plain(item) for item in listed), parsed)
    relevant = _RELEVANT.search(text)
    if relevant is not None:
        array = _FACTS.search(text)
        inside = array[1].split("]", 1)[0] if array else ""
        said = relevant[1].lower() == "true"
        return Extracted(said, _clean(m[1] for m in _STRING.finditer(inside)), "pattern")
    # The text is then all that is known about the passage.
    return Extracted(default, _clean(text.splitlines()) if default else (), "default")


def as_object(text: str) -> tuple[dict[str, Any], str]:
    """Return the JSON object in `text`, `{}` for none, and how it was read.

    "json" when the text is one, "pattern" when it is between other words or in a code fence.
    """
    block = re.search(r"\{.*\}", text, re.DOTALL)
    for candidate, parsed in ((text, "json"), (block[0] if block else "", "pattern")):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value, parsed
    return {}, "default"


def _plain(item: object) -> str:
    """Return a fact as text; small models write objects too."""
    if isinstance(item, dict):
        return ", ".join(f"{key}: {value}" for key, value in item.items())
    return str(item)


def _clean(facts: Iterable[str]) -> tuple[str, ...]:
    flat = (" ".join(fact.split())[:FACT_CHARS] for fact in facts)
    kept = dict.fromkeys(f for f in flat if any(c.isalnum() for c in f) and not gives_orders(f))
    return tuple(kept)[:MAX_FACTS]
