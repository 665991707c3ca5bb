"""The router's rule for questions about times: where a journal may be, and no file is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from manole.agent.times.asked import understand_times
from manole.agent.times.tool import TIMES
from manole.agent.understanding.rules import Route
from manole.documents.journal import may_hold_entries
from manole.index.store import FileRecord


def with_times(
    routes: Sequence[Route], files: Sequence[FileRecord], question: str, today: date
) -> list[Route]:
    """`routes`, with the journal's times in place of a search for the whole question.

    Where the entries give no answer, the search follows as it would have.
    """
    if len(routes) != 1 or not (routes[0].tool == "semantic_search" or _in_journal(routes[0])):
        return list(routes)
    asked = understand_times(question, today)
    if asked is None or not _holds_journal(files):
        return list(routes)
    why = f"asks for times ({asked.kind})"
    inputs = {"question": question}
    return [replace(routes[0], tool=TIMES, inputs=inputs, reasoning=why, sure=True)]


def _in_journal(planned: Route) -> bool:
    """What was taken for a count of files, though events or entries are counted.

    `How often did I swim, according to my journal?` where a folder has that name, and `How many
    dentist entries are there?`
    """
    counted = re.search(
        r"\bhow (?:many times|often)\b|\bhow many (?:[\w-]+ ){1,4}(?:entries|notes)\b",
        planned.clause,
        re.IGNORECASE,
    )
    return planned.tool == "count_files" and not planned.sure and counted is not None


def _holds_journal(files: Sequence[FileRecord]) -> bool:
    """Whether entries may be found: many short ones fit into one passage of one file."""
    return any(f.passages and may_hold_entries(f.path, f.format or "") for f in files)
