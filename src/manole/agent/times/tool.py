"""`journal_times`: a question about times, answered from the entries by code (issue of the journal:
"computed over entries by code once the entries are found").
"""  # noqa: D205

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from pydantic import Field as Input

from manole.agent.routed import RoutedTool
from manole.agent.times.asked import TimeQuestion, understand_times
from manole.agent.times.compute import Finding, between, compute
from manole.agent.times.mentions import Mention, known_keys, mentions
from manole.agent.times.say import said
from manole.documents.journal import Entry
from manole.tools.base import Confidence, Error, Inputs, Result
from manole.tools.environment import TurnState
from manole.tools.journal import entries_in

TIMES = "journal_times"
CITED = 12  # lines that an answer cites


class TimesInputs(Inputs):
    """The question as it was asked."""

    question: str = Input(min_length=1, max_length=4000)


class JournalTimes(RoutedTool[TimesInputs]):
    """How often, first, last, on which days, how long in all: counted, not guessed."""

    name = TIMES
    description = "how often or when something happened, from dated entries"
    available_when = "the router is sure of it"
    inputs = TimesInputs

    async def __call__(
        self, state: TurnState, inputs: TimesInputs
    ) -> AsyncIterator[Result | Error]:
        """Yield the answer, or nothing where the entries do not give one for certain."""
        asked = understand_times(inputs.question, state.today)
        entries = await entries_in(state)
        if asked is None or not entries:
            return
        finding = await asyncio.to_thread(_find, asked, entries)
        if finding is None:
            return
        shown = finding.mentions[:CITED]
        yield Result(
            objects=[_row(n, mention) for n, mention in enumerate(shown, start=1)],
            metadata={
                "kind": asked.kind,
                "words": " ".join(asked.words),
                "mentions": len(finding.mentions),
            },
            name="mentions",
            payload_type="rows",
            llm_message=said(asked, finding, len(shown)),
            answers=True,
            confidence=_confidence(asked, finding),
        )


def _find(asked: TimeQuestion, entries: list[Entry]) -> Finding | None:
    known = known_keys(entries)
    period = asked.period
    inside = [e for e in entries if period is None or e.date in period]
    found = mentions(asked, inside, known)
    if asked.kind == "between":
        return between(found, mentions(asked.of_second(), inside, known))
    return compute(asked, found)


def _confidence(asked: TimeQuestion, finding: Finding) -> Confidence:
    """That the lines speak of it is sure; that no other line does, is not."""
    one = asked.kind in {"when", "days"} and len(finding.mentions) == 1
    return "high" if one and finding.told != "" else "medium"


def _row(n: int, mention: Mention) -> dict[str, Any]:
    return {
        "id": f"mention:{mention.entry.id}:{mention.line.line}",
        "kind": "row",
        "n": n,
        "file": mention.entry.file,
        "page": mention.line.page,
        "line": mention.line.line,
        "quote": mention.text,
        "value": mention.text,
        "columns": {"date": mention.entry.date.isoformat(), "text": mention.text},
    }
