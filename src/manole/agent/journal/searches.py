"""Derives the searches of the journal from the words of a question.

"What have I been stressed about lately, and last year?" names two times: each is one search for
"stressed about". Without a time, there is one search for the question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from manole.text.periods import Period, find_period, spelled
from manole.text.words import STOP, words
from manole.tools.journal import DATE_RANGE_SEARCH, RECENT_ENTRIES, VECTOR_SEARCH

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


@dataclass(frozen=True, slots=True)
class JournalSearch:
    """One search: its tool, its inputs, the reason, and the name of its time."""

    tool: str
    inputs: dict[str, object]
    reasoning: str
    time: str = ""


def plan(question: str, today: date) -> list[JournalSearch]:
    """Return the searches of a question, in its order; at least one."""
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
    times = [s for s in plan(question, today) if s.tool == DATE_RANGE_SEARCH]
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
    """Return the words for the subject of the entries."""
    rest = _LATELY.sub(" ", question)
    for at, period in periods(rest, today):
        rest = rest[:at] + " " * len(period.text) + rest[at + len(period.text) :]
    return " ".join(w for w in words(rest) if w not in STOP and w not in _FRAME)


def _within(period: Period, topic: str, time: str) -> JournalSearch:
    start = period.start or date.min
    end = period.end or date.max
    inputs: dict[str, object] = {"start_date": start.isoformat(), "end_date": end.isoformat()}
    if topic:
        inputs["query"] = topic
    why = f"asks about {time}" + ("" if time == spelled(period) else f" ({spelled(period)})")
    return JournalSearch(DATE_RANGE_SEARCH, inputs, why, time)
