"""Prepares the answer from entries: evidence for each search, the history and the trace.

Entries found by several searches count for the first. Each search gets an equal share of the token
budget, so that one time does not crowd out the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from manole.agent.answer.draft import Style
from manole.agent.answer.evidence import Evidence
from manole.agent.answer.selection import Embed, select
from manole.agent.journal.choose_search import traced
from manole.agent.journal.searches import JournalSearch
from manole.agent.prompts import prompt
from manole.models.chat.protocol import Message
from manole.text.periods import written
from manole.tools.environment import TraceStep
from manole.tools.objects import FoundEntry

_LEAST = 60  # tokens of evidence for a search: two sentences
_HISTORY_CHARS = 240  # of each earlier message, as they only name what is meant


def evidence_of(
    question: str,
    found: Sequence[tuple[JournalSearch, Sequence[FoundEntry]]],
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
    said = "\n".join(f"{m.role}: {m.content[:_HISTORY_CHARS]}" for m in history)
    asked = prompt("journal.answer.user").substitute(
        history=f"Said before:\n{said}\n\n" if said else "",
        trace="\n".join(traced(step) for step in trace),
        evidence="\n\n".join(f"[{e.n}] ({e.label}) {e.text}" for e in evidence),
        question=question,
    )
    return [Message("system", prompt("journal.answer.system").template), Message("user", asked)]


def _holds(entry: FoundEntry, extract: Evidence) -> bool:
    return entry.line <= extract.line <= entry.line_end
