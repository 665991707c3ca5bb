"""The router's rule for questions about times: where a journal may be, and no file is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from manole.agent.times.asked import understand_times
from manole.agent.times.tool import TIMES
from manole.agent.understanding.rules import Route
from manole.documents.journal import may_hold_entries
from manole.index.entries import FEWEST
from manole.index.store import FileRecord


def with_times(
    routes: Sequence[Route], files: Sequence[FileRecord], question: str, today: date
) -> list[Route]:
    """`routes`, with the journal's times in place of a search for the whole question.

    Where the entries give no answer, the search follows as it would have.
    """
    if len(routes) != 1 or routes[0].tool != "semantic_search":
        return list(routes)
    asked = understand_times(question, today)
    if asked is None or not _holds_journal(files):
        return list(routes)
    why = f"asks for times ({asked.kind})"
    inputs = {"question": question}
    return [replace(routes[0], tool=TIMES, inputs=inputs, reasoning=why, sure=True)]


def _holds_journal(files: Sequence[FileRecord]) -> bool:
    texts = (f for f in files if f.passages and may_hold_entries(f.path, f.format or ""))
    dated = 0
    for file in texts:
        dated += file.date is not None
        if dated >= FEWEST or file.passages >= FEWEST:
            return True
    return False
