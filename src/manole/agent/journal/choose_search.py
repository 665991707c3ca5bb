"""Lets the model choose the next search of the journal, or DONE.

Its choice is one object (`SearchToolCall`), constrained by a JSON schema. A choice that cannot be
read, or with an impossible range, becomes a plain search.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date

from json_repair import repair_json
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from manole.agent.journal.searches import JournalSearch
from manole.agent.prompts import prompt
from manole.models.chat.protocol import ChatModel, Completion, JsonSchema, Message
from manole.tools.environment import TraceStep
from manole.tools.journal import DATE_RANGE_SEARCH, DONE, RECENT_ENTRIES, VECTOR_SEARCH

_NAMES = {tool.upper(): tool for tool in (VECTOR_SEARCH, RECENT_ENTRIES, DATE_RANGE_SEARCH)}
_CALL_TOKENS = 120  # of the longest object that the schema allows


class SearchToolCall(BaseModel):
    """The reply of the model."""

    model_config = ConfigDict(extra="ignore")

    tool: str
    reasoning: str = ""
    query: str | None = None
    start_date: date | None = None
    end_date: date | None = None
    limit: int | None = Field(None, ge=1, le=100)


SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {
        "tool": {"enum": [*_NAMES, DONE]},
        "reasoning": {"type": "string", "maxLength": 120},
        "query": {"type": "string", "maxLength": 120},
        "start_date": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
        "end_date": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 20},
    },
    "required": ["tool", "reasoning"],
    "additionalProperties": False,
}


async def select(
    question: str,
    trace: Sequence[TraceStep],
    context: str,
    model: ChatModel,
    *,
    iteration: int,
    max_iterations: int,
    today: date,
) -> tuple[JournalSearch | None, Completion]:
    """Return the next search, `None` for DONE, and the cost. Raises `ModelError`."""
    done = "\n".join(traced(step) for step in trace) or "none yet"
    messages = [
        Message("system", prompt("journal.select.system").template),
        Message(
            "user",
            prompt("journal.select.user").substitute(
                question=question,
                today=today.isoformat(),
                trace=done,
                context=context or "nothing yet",
                iteration=iteration,
                max_iterations=max_iterations,
            ),
        ),
    ]
    completion = await model.complete(
        messages, max_tokens=_CALL_TOKENS, schema=SCHEMA, slot="journal-select"
    )
    return read(completion.text, question), completion


def read(text: str, question: str) -> JournalSearch | None:
    """Return the search in a model's reply; a plain one if unreadable, `None` for DONE."""
    fallback = JournalSearch(VECTOR_SEARCH, {"query": question}, "the choice could not be read")
    try:
        call = SearchToolCall.model_validate(json.loads(repair_json(text)))
    except (ValidationError, ValueError, RecursionError):
        return fallback
    name = call.tool.strip().upper()
    if name == DONE:
        return None
    limit: dict[str, object] = {"n": call.limit} if call.limit else {}
    match _NAMES.get(name):
        case "recent_entries":
            return JournalSearch(RECENT_ENTRIES, limit, call.reasoning)
        case "date_range_search" if call.start_date and call.end_date:
            if call.start_date > call.end_date:
                return fallback
            span: dict[str, object] = {
                "start_date": call.start_date.isoformat(),
                "end_date": call.end_date.isoformat(),
            }
            about: dict[str, object] = {"query": call.query} if call.query else {}
            return JournalSearch(DATE_RANGE_SEARCH, span | about | limit, call.reasoning)
        case "vector_search":
            query = call.query or question
            return JournalSearch(VECTOR_SEARCH, {"query": query} | limit, call.reasoning)
    return fallback


def traced(step: TraceStep) -> str:
    """Return a step as text for a prompt."""
    inputs = ", ".join(f"{key}={value}" for key, value in step.inputs.items())
    return f"{step.iteration}. {step.tool.upper()}({inputs}): {step.results} entries"
