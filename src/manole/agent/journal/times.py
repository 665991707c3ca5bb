"""The times and the subject that a question names, and the searches that they make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from manole.models.parser import parser
from manole.text.lists import listed
from manole.text.periods import Period, find_period, spelled
from manole.text.question import Question
from manole.text.words import STOP, words
from manole.tools.journal import DATE_RANGE_SEARCH, RECENT_ENTRIES, VECTOR_SEARCH

_MOST = 4  # times of one question, each of which shares the evidence
LATELY = timedelta(days=60)  # what people mean by it is weeks rather than months
_LATELY = re.compile(
    r"\b(?:lately|recently|these days|nowadays|at the moment|currently"
    r"|in recent (?:days|weeks|times)|zuletzt|in letzter zeit|neulich|momentan)\b",
    re.IGNORECASE,
)
_FRAME = listed("reflect")
_NO_TOPIC = frozenset({"period", "scope"})  # marks that say when, and where to look
_OWN = re.compile(
    r"\b(?:I|I'm|I've|me|my|we|(?-i:us)|our|ich|mich|mir|mein\w*|wir|uns\w*)\b", re.IGNORECASE
)
_JOINTS = frozenset(["vs", "versus", "compared", "than", "als", "gegenüber", "verglichen"])


@dataclass(frozen=True, slots=True)
class JournalSearch:
    """One search: its tool, its inputs and the reason."""

    tool: str
    inputs: dict[str, object]
    reasoning: str


@dataclass(frozen=True, slots=True)
class Time:
    """A time that a question names: where it stands there, its words, and its days."""

    at: int
    name: str
    period: Period

    @property
    def is_lately(self) -> bool:
        """Whether it is named without a date, as "lately" is."""
        return bool(_LATELY.fullmatch(self.name))


def times_of(question: Question) -> list[Time]:
    """Return the times that a question names, in its order."""
    times: list[Time] = []
    rest, today = question.text, question.today
    if match := _LATELY.search(rest):
        times.append(Time(match.start(), match[0], Period(match[0], today - LATELY, today)))
        rest = _LATELY.sub(lambda m: " " * len(m[0]), rest)
    while (period := find_period(rest, today)) is not None and len(times) < _MOST:
        at = rest.lower().find(period.text.lower())
        if at < 0:
            break
        name = rest[at : at + len(period.text)]
        rest = rest[:at] + " " * len(name) + rest[at + len(name) :]
        times.append(Time(at, name, period))
    return sorted(times, key=lambda time: time.at)


def searches_of(question: Question, times: Sequence[Time]) -> list[JournalSearch]:
    """Return the searches that a question's words name, in its order; at least one."""
    topic = topic_of(question, times)
    if times:
        return [search_within(time, topic) for time in times]
    if topic:
        return [JournalSearch(VECTOR_SEARCH, {"query": question.text}, "asks what entries say")]
    return [JournalSearch(RECENT_ENTRIES, {}, "names neither a time nor a subject")]


def search_within(time: Time, topic: str) -> JournalSearch:
    """Return the search for a topic within a time."""
    period, name = time.period, time.name
    start, end = period.start or date.min, period.end or date.max
    inputs: dict[str, object] = {"start_date": start.isoformat(), "end_date": end.isoformat()}
    if topic:
        inputs["query"] = topic
    why = f"asks about {name}" + ("" if name == spelled(period) else f" ({spelled(period)})")
    return JournalSearch(DATE_RANGE_SEARCH, inputs, why)


def topic_of(question: Question, times: Sequence[Time]) -> str:
    """Return the words of a question that name the subject of the entries."""
    parsed = parser().read(question.text)
    labels = parsed.labels
    listed = parsed.computed and (labels["op"], labels["column"]) == ("rows", "-")
    of_days = labels["relation"] == "entries" and (listed or labels["route"] == "summary")
    if of_days and not parsed.unread and {mark.tag for mark in parsed.marks} <= _NO_TOPIC:
        return ""  # "was war am Montag los?"
    rest = _without(question.text, times)
    return " ".join(w for w in words(_LATELY.sub(" ", rest)) if w not in STOP and w not in _FRAME)


def asked_of(question: Question, time: Time, times: Sequence[Time]) -> Question:
    """Return a question about one of its times, where no word but a joint stands between them.

    "... stressed about lately vs last year?" is "... stressed about last year?" for the second;
    where more stands between them, the question stays whole.
    """
    if len(times) < 2:
        return question
    first, last, text = times[0], times[-1], question.text
    span = text[first.at : last.at + len(last.name)]
    between = _without(span, [replace(t, at=t.at - first.at) for t in times])
    if any(w not in STOP and w not in _JOINTS for w in words(between)):
        return question
    return question.saying(text[: first.at] + time.name + text[last.at + len(last.name) :])


def of_oneself(text: str) -> bool:
    """Return whether the person who asks speaks of themselves."""
    return bool(_OWN.search(text))


def _without(text: str, times: Sequence[Time]) -> str:
    for time in reversed(times):
        text = f"{text[: time.at]} {text[time.at + len(time.name) :]}"
    return text
