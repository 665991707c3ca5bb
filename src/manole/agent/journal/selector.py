"""The next search, as the model chooses it: one object, held to a schema.

There is one alternative a tool, each with the fields that it needs and no others, so that a range
without dates cannot be written; the pattern of a day is written with what the engine's grammars
know. A value may still be impossible (31 February, an end before its start), and an endpoint may
heed no schema. Such a choice is mended where it is clear what is meant, and said to be; else a
simple search for the question takes its place.
"""

from __future__ import annotations

import calendar
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from json_repair import repair_json
from pydantic import BaseModel, ConfigDict, ValidationError

from manole.agent.journal.times import JournalSearch
from manole.errors import ModelError
from manole.models.chat.protocol import JsonSchema
from manole.tools.journal import DATE_RANGE_SEARCH, MOST, RECENT_ENTRIES, VECTOR_SEARCH

_REASON: JsonSchema = {"type": "string", "minLength": 1, "maxLength": 90}
_TEXT: JsonSchema = {"type": "string", "minLength": 2, "maxLength": 60}
_DAY: JsonSchema = {
    "type": "string",
    "pattern": "^(19|20)[0-9][0-9]-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
}
_LIMIT: JsonSchema = {"type": "integer", "minimum": 1, "maximum": 20}
_WRITTEN = re.compile(r"(\d{4})(?:\D(\d{1,2})(?:\D(\d{1,2}))?)?")
_QUERY = 400  # characters of a query


class SearchToolType(StrEnum):
    """The tools of a choice."""

    VECTOR_SEARCH = "VECTOR_SEARCH"
    RECENT_ENTRIES = "RECENT_ENTRIES"
    DATE_RANGE_SEARCH = "DATE_RANGE_SEARCH"
    DONE = "DONE"


class SearchToolCall(BaseModel):
    """The model's choice, as it wrote it."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    tool: SearchToolType
    reasoning: str = ""
    query: str | None = None
    start_date: str | None = None
    end_date: str | None = None
    limit: int | None = None


def schema(*, may_end: bool) -> JsonSchema:
    """Return the schema of a choice; DONE is one of them once something was searched for."""
    choices = [
        _choice(SearchToolType.VECTOR_SEARCH, query=_TEXT),
        _choice(SearchToolType.RECENT_ENTRIES, limit=_LIMIT),
        _choice(SearchToolType.DATE_RANGE_SEARCH, query=_TEXT, start_date=_DAY, end_date=_DAY),
    ]
    return {"oneOf": [*choices, *[_choice(SearchToolType.DONE)] * may_end]}


def _choice(tool: SearchToolType, **needed: JsonSchema) -> JsonSchema:
    fields = {"reasoning": _REASON, "tool": {"const": tool.value}, **needed}
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def read_choice(text: str) -> SearchToolCall:
    """Read a model's reply. Raises `ModelError` for one that is no choice."""
    try:
        found = json.loads(repair_json(text))
        if isinstance(found, dict) and isinstance(found.get("tool"), str):
            found["tool"] = found["tool"].strip().upper()
        return SearchToolCall.model_validate(found)
    except (ValidationError, ValueError, RecursionError):
        raise ModelError("The model's choice of a search could not be read.") from None


@dataclass(frozen=True, slots=True)
class Usable:
    """A choice as a search that can be made, and what was mended."""

    search: JournalSearch
    mended: tuple[str, ...] = ()


def usable(call: SearchToolCall, question: str, first: date, last: date) -> Usable | None:
    """Return a choice as a search; `None` where it means nothing that can be searched for.

    `first` and `last` are the days that entries can be of.
    """
    mended: list[str] = []
    limit: dict[str, object] = {}
    if call.limit is not None and 1 <= call.limit <= MOST:
        limit = {"n": call.limit}
    elif call.limit is not None:
        mended.append("a limit that is none was left out")
    query = (call.query or "")[:_QUERY].strip()
    match call.tool:
        case SearchToolType.RECENT_ENTRIES:
            search = JournalSearch(RECENT_ENTRIES, limit, call.reasoning)
        case SearchToolType.DATE_RANGE_SEARCH:
            span = _span(call, first, last, mended)
            if span is None:
                return None
            about: dict[str, object] = {"query": query} if query else {}
            search = JournalSearch(DATE_RANGE_SEARCH, {**span, **about, **limit}, call.reasoning)
        case SearchToolType.VECTOR_SEARCH:
            if not query:
                mended.append("for an empty query the question was taken")
            inputs = {"query": query or question, **limit}
            search = JournalSearch(VECTOR_SEARCH, inputs, call.reasoning)
        case _:
            return None
    return Usable(search, tuple(mended))


def _span(
    call: SearchToolCall, first: date, last: date, mended: list[str]
) -> Mapping[str, object] | None:
    """Return the range of a choice; `None` where it has none, or lies behind the last day."""
    start, end = _day(call.start_date, mended), _day(call.end_date, mended, ends=True)
    if start is None and end is None:
        return None
    if start is None or end is None:
        mended.append("a range without one of its ends was left open there")
        start, end = start or first, end or last
    if start > end:
        mended.append("a range that ended before its start was turned round")
        start, end = end, start
    if start > last:
        return None
    if end > last:
        mended.append("a range was ended with the last day")
        end = last
    return {"start_date": start.isoformat(), "end_date": end.isoformat()}


def _day(text: str | None, mended: list[str], *, ends: bool = False) -> date | None:
    """Read a day, or the first or last one of a month or year; one past a month's end is its last.

    `None` where it is none.
    """
    found = _WRITTEN.match((text or "").strip())
    if found is None:
        return None
    year, month, day = (int(part) if part else None for part in found.groups())
    if year is None or not year >= 1 or (month is not None and not 1 <= month <= 12):
        return None
    month = month or (12 if ends else 1)
    most = calendar.monthrange(year, month)[1]
    if day is not None and day > most:
        mended.append("a day that its month does not have became its last one")
    return date(year, month, min(day or (most if ends else 1), most) or 1)
