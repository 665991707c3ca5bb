"""The rewriter: what stands before the loop, and feeds its router.

It makes a follow-up stand alone (`manole.agent.followups`: rules, else one call of the model),
finds other words for those of the question, which the search of the contents looks for too, and
says what kind of question it is. Where words decide the kind, code does; the model is asked only
when the router needs to know and no word tells.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal, get_args

from manole.agent.events import Event, StatusEvent
from manole.agent.followups.rewrite import settled, stand_alone
from manole.agent.turn import GetModel, TurnUsage
from manole.errors import ManoleError
from manole.models.chat.protocol import Message
from manole.tools.base import TurnState
from manole_strategies.prompts import prompt

Intent = Literal["factual", "count", "list", "compare", "summarize", "metadata"]

INTENTS: tuple[Intent, ...] = get_args(Intent)
_CERTAIN: tuple[tuple[Intent, str], ...] = (  # the first that fits counts
    ("count", r"how many|count|number of"),
    ("summarize", r"summar(?:y|ies|i[sz]e\w*)|sum up"),
    ("compare", r"compare[ds]?|comparison|differences?|differ|versus|vs"),
    ("metadata", r"file size|modified|created|(?:when was .* (?:changed|saved))"),
    ("list", r"list|enumerate|show (?:me )?all"),
)
_SHOWN = 8  # other words that are told
_TOKENS = 8  # of the reply: one word in quotes


@dataclass
class Rewritten:
    """What is known of a question: its kind ("" if no word tells)."""

    intent: Intent | Literal[""] = ""


async def rewrite(
    state: TurnState, usage: TurnUsage, model: GetModel, made: Rewritten
) -> AsyncIterator[Event]:
    """Make the question of the turn stand alone, and fill `made`."""
    if not await settled(state):
        async for event in stand_alone(state, usage, model):
            yield event
    made.intent = certain_intent(state.question.text.partition(" (")[0])
    if made.intent:
        yield StatusEvent(message=f"Kind of question: {made.intent}.")
    if also := state.question.synonyms:
        shown = [*also[:_SHOWN], *(["…"] if len(also) > _SHOWN else [])]
        yield StatusEvent(message=f"Looked for too: {', '.join(shown)}.")


def certain_intent(question: str) -> Intent | Literal[""]:
    """Return the kind of question that its words tell, "" if none does."""
    asked = question.lower()
    return next((kind for kind, said in _CERTAIN if re.search(rf"\b(?:{said})\b", asked)), "")


async def ask_intent(question: str, usage: TurnUsage, model: GetModel) -> Intent:
    """Ask the model for the kind of a question; without one, or unreadable, it is factual."""
    messages = [Message("user", prompt("intent").substitute(question=question))]
    schema = {"type": "string", "enum": list(INTENTS)}
    try:
        completion = await (await model()).complete(
            messages, max_tokens=_TOKENS, schema=schema, slot="rewriter"
        )
    except ManoleError:
        return "factual"
    usage.add(completion)
    said = completion.text.strip().strip('"').lower()
    return next((kind for kind in INTENTS if kind == said), "factual")
