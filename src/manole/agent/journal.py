"""Answers from a journal that contrast several times: a search for each, one answer.

"What have I been stressed about lately, and last year?" names two times: each is one search for
"stressed about". Without a time, there is one search for the question. While the searches that the
words name find nothing, the model chooses the next one, or DONE. Its choice is one object
(`SearchToolCall`), constrained by a JSON schema; one that cannot be read, or with an impossible
range, becomes a plain search.

Entries found by several searches count for the first. Each search gets an equal share of the
token budget, so that one time does not crowd out the other.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial

from json_repair import repair_json
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from manole.agent.answer.compose import Composer
from manole.agent.answer.draft import Style
from manole.agent.answer.evidence import Evidence, evidence_tokens
from manole.agent.answer.selection import Embed, select
from manole.agent.events import Decider, Decision, Event, StatusEvent
from manole.agent.prompts import prompt
from manole.agent.turn import Executor, GetModel, Step, TurnUsage
from manole.errors import ManoleError
from manole.models.chat.protocol import ChatModel, Completion, JsonSchema, Message
from manole.text.periods import Period, find_period, spelled, written
from manole.text.words import STOP, words
from manole.tools.base import TraceStep, TurnState
from manole.tools.journal import (
    DATE_RANGE_SEARCH,
    DONE,
    JOURNAL,
    RECENT_ENTRIES,
    VECTOR_SEARCH,
    DateRangeSearch,
    RecentEntries,
    VectorSearch,
)
from manole.tools.objects import FoundEntry
from manole.tools.registry import Registry

_MOST = 4  # times of one question, each of which shares the evidence
LATELY = timedelta(days=60)  # what people mean by it is weeks rather than months
_LATELY = re.compile(
    r"\b(?:lately|recently|these days|nowadays|at the moment|currently"
    r"|in recent (?:days|weeks|times)|zuletzt|in letzter zeit|neulich|momentan)\b",
    re.IGNORECASE,
)
_FRAME_WORDS = """
been was were had feel feeling felt about think thinking thought going doing compare compared versus
vs differ different difference changed change journal diary write wrote written entries entry
summarize summary happened happen
"""
_FRAME = frozenset(_FRAME_WORDS.split())
_OWN = re.compile(r"\b(?:I|I'm|I've|me|my|we|us|our|ich|mich|mir|mein\w*|wir|uns)\b")
_NAMES = {tool.upper(): tool for tool in (VECTOR_SEARCH, RECENT_ENTRIES, DATE_RANGE_SEARCH)}
_CALL_TOKENS = 120  # of the longest object that the schema allows
_CONTEXT_TOKENS = 200  # of results in the prompt for the next search: the titles of two searches
_LEAST = 60  # tokens of evidence for a search: two sentences
_HISTORY_CHARS = 240  # of each earlier message, as they only name what is meant


@dataclass(frozen=True, slots=True)
class JournalSearch:
    """One search: its tool, its inputs, the reason, and the name of its time."""

    tool: str
    inputs: dict[str, object]
    reasoning: str
    time: str = ""


Found = list[tuple[JournalSearch, Sequence[FoundEntry]]]


def searches_of(question: str, today: date) -> list[JournalSearch]:
    """Return the searches that a question's words name, in its order; at least one."""
    topic = topic_of(question, today)
    searches: list[tuple[int, JournalSearch]] = []
    if match := _LATELY.search(question):
        start = today - LATELY
        searches.append((match.start(), _within(Period(match[0], start, today), topic, "lately")))
    for at, period in periods(_LATELY.sub(lambda m: " " * len(m[0]), question), today):
        searches.append((at, _within(period, topic, period.text)))
    if searches:
        return [search for _, search in sorted(searches, key=lambda item: item[0])]
    if topic:
        return [JournalSearch(VECTOR_SEARCH, {"query": question}, "asks what entries say")]
    return [JournalSearch(RECENT_ENTRIES, {}, "names neither a time nor a subject")]


def contrasts(question: str, today: date) -> bool:
    """Return whether a question asks about the person at several times."""
    times = [s for s in searches_of(question, today) if s.tool == DATE_RANGE_SEARCH]
    return len(times) > 1 and bool(_OWN.search(question))


def periods(question: str, today: date) -> list[tuple[int, Period]]:
    """Return every period that a question names, with its place."""
    found: list[tuple[int, Period]] = []
    rest = question
    while (period := find_period(rest, today)) is not None and len(found) < _MOST:
        at = rest.lower().find(period.text.lower())
        if at < 0:
            break
        rest = rest[:at] + " " * len(period.text) + rest[at + len(period.text) :]
        if period.start is not None:
            found.append((at, period))
    return found


def topic_of(question: str, today: date) -> str:
    """Return the words of a question that name the subject of the entries."""
    rest = _LATELY.sub(" ", question)
    for at, period in periods(rest, today):
        rest = rest[:at] + " " * len(period.text) + rest[at + len(period.text) :]
    return " ".join(w for w in words(rest) if w not in STOP and w not in _FRAME)


def _within(period: Period, topic: str, time: str) -> JournalSearch:
    """Return the search for a topic within a period."""
    start = period.start or date.min
    end = period.end or date.max
    inputs: dict[str, object] = {"start_date": start.isoformat(), "end_date": end.isoformat()}
    if topic:
        inputs["query"] = topic
    why = f"asks about {time}" + ("" if time == spelled(period) else f" ({spelled(period)})")
    return JournalSearch(DATE_RANGE_SEARCH, inputs, why, time)


class SearchToolCall(BaseModel):
    """The search that the model chooses."""

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


async def choose_search(
    question: str,
    trace: Sequence[TraceStep],
    context: str,
    model: ChatModel,
    *,
    iteration: int,
    max_iterations: int,
    today: date,
) -> tuple[JournalSearch | None, Completion]:
    """Return the next search, `None` for DONE, and the call's cost. Raises `ModelError`."""
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
    return read_choice(completion.text, question), completion


def read_choice(text: str, question: str) -> JournalSearch | None:
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


async def reflect(
    state: TurnState, usage: TurnUsage, model: GetModel, composer: Composer
) -> AsyncIterator[Event]:
    """Search the journal within a turn that has begun, and answer from the entries."""
    state.collection_names = (*state.collection_names, JOURNAL)
    tools = Executor(state, Registry((VectorSearch(), RecentEntries(), DateRangeSearch())))
    found: Found = []
    for search in searches_of(state.question, state.today):
        async for event in _run(tools, search, "router", found):
            yield event
        if not found[-1][1] and search.time == "lately":  # nothing recent: read the newest
            async for event in _run(tools, _newest(search), "fallback", found):
                yield event
    while not any(entries for _, entries in found) and not tools.exhausted:
        try:
            chosen, completion = await choose_search(
                state.question,
                state.trace,
                state.environment.to_llm_context(_CONTEXT_TOKENS),
                await model(),
                iteration=tools.steps + 1,
                max_iterations=state.settings.agent.max_iterations,
                today=state.today,
            )
        except ManoleError as error:
            yield StatusEvent(message=f"{error.message} Searching without the model.")
            break
        usage.add(completion)
        before = tools.steps
        if chosen is not None:
            async for event in _run(tools, chosen, "model", found):
                yield event
        if tools.steps == before:  # DONE, or the same search again
            break
    yield Decision(step=tools.steps + 1, tool=DONE, reasoning=_result(found), by="router")
    budget = _budget(evidence_tokens(state.settings, await composer.reach()), found)
    evidence = evidence_of(state.question, found, state.library.embedder.embed, budget)
    if not evidence:
        async for event in composer.decline(state.question, ()):
            yield event
        return
    yield StatusEvent(message=f"Reading {len(evidence)} extracts of entries.")
    style = style_for(state.trace, state.history)
    async for event in composer.read(state.question, evidence, style):
        yield event


async def _run(
    tools: Executor, search: JournalSearch, by: Decider, found: Found
) -> AsyncIterator[Event]:
    """Run one search; add its new entries to `found`."""
    known = {o.id for o in tools.state.environment.objects(FoundEntry)}
    async for event in tools.run(Step(search.tool, search.inputs, search.reasoning, by)):
        yield event
    entries = [o for o in tools.state.environment.objects(FoundEntry) if o.id not in known]
    found.append((search, entries))


def _newest(search: JournalSearch) -> JournalSearch:
    return JournalSearch(
        RECENT_ENTRIES, {}, "no entry is of late; the newest are read", search.time
    )


def _result(found: Found) -> str:
    entries = sum(len(part) for _, part in found)
    return f"{entries} entries from {len(found)} searches" if entries else "nothing was found"


def _budget(tokens: int, found: Found) -> int:
    """Return the tokens of evidence: half as many again for each further search."""
    return int(tokens * (1 + 0.5 * (len(found) - 1)))


def evidence_of(
    question: str,
    found: Found,
    embed: Embed,
    budget: int,
) -> list[Evidence]:
    """Return extracts from the entries of each search, in order of the searches."""
    seen: set[str] = set()
    chosen: list[Evidence] = []
    share = max(_LEAST, budget // max(1, len(found)))
    for search, entries in found:
        fresh = [e for e in entries if e.id not in seen]
        seen |= {e.id for e in fresh}
        query = str(search.inputs.get("query") or question)
        for extract in select(query, [e.passage for e in fresh], embed, budget=share):
            entry = next(e for e in fresh if e.file == extract.file and _holds(e, extract))
            label = ", ".join(filter(None, (search.time, written(entry.date))))
            chosen.append(replace(extract, n=len(chosen) + 1, label=label))
    return chosen


def style_for(trace: Sequence[TraceStep], history: Sequence[Message]) -> Style:
    """Return the style of the answer: its prompt has the searches and the history."""
    return Style(prompt=partial(_messages, tuple(trace), tuple(history)), slot="journal")


def _messages(
    trace: Sequence[TraceStep],
    history: Sequence[Message],
    question: str,
    evidence: Sequence[Evidence],
) -> list[Message]:
    before = "\n".join(f"{m.role}: {m.content[:_HISTORY_CHARS]}" for m in history)
    asked = prompt("journal.answer.user").substitute(
        history=f"Said before:\n{before}\n\n" if before else "",
        trace="\n".join(traced(step) for step in trace),
        evidence="\n\n".join(f"[{e.n}] ({e.label}) {e.text}" for e in evidence),
        question=question,
    )
    return [Message("system", prompt("journal.answer.system").template), Message("user", asked)]


def _holds(entry: FoundEntry, extract: Evidence) -> bool:
    return entry.line <= extract.line <= entry.line_end
