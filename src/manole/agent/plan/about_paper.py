"""What a paper is about, where a question only names it: "what about that invoice?".

The list of that one file would say what the question says. The paper's figures take its place, and
the lines that say what they are charged for, as far as the reader finds some likely to.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from sqlglot import exp

from manole.agent.answer.injection_filter import is_quotable
from manole.agent.answer.ranking import Senses
from manole.agent.answer.selection import POOL, look
from manole.agent.plan.answered import Found
from manole.agent.plan.query import PAID, Checked
from manole.catalog.relations import FILES, PAPERS
from manole.index.search.duplicates import Find
from manole.tools.base import TurnState
from manole.tools.objects import FoundPassage

_TOLD = ("type", "number", "issuer", "date", "total", "currency", "due", "ends", "path")
_LINES = 3  # at most, as people name what was bought
_LIKELY = 0.3  # the reader's chance from which a line may say it, by hand


def only_named(plan: Checked, given: Found, question: str) -> str | None:
    """Return the path of the one file or paper that is given, if the question has it already."""
    if plan.source not in (FILES, PAPERS) or plan.asks_whether or plan.computes or plan.grouped:
        return None
    measured = [] if plan.source is FILES else ["total"]  # the lines say what that is for
    if list(given.names[:2]) != ["path", *measured] or given.total != 1:
        return None
    path = str(given.rows[0][0])
    return path if path.casefold() in question.casefold() else None


def figures_of(path: str, plan: Checked) -> Checked:
    """Return the query for the figures of a paper in place of the one that lists its file."""
    tree = exp.select(*_TOLD).from_(PAPERS.name).where(exp.column("path").eq(path))
    return replace(plan, tree=tree, source=PAPERS)


async def charged(state: TurnState, paper: Found) -> list[str]:
    """Return the lines of a paper that likely say what its total is for, in reading order."""
    cells = dict(zip(paper.names, paper.rows[0], strict=True))
    file = next((file for file in await state.files() if file.path == cells["path"]), None)
    if file is None or cells["type"] not in PAID:
        return []
    passages = [FoundPassage.of(Find(p, 0.0)) for p in await state.library.passages(file)]
    asked = state.question.saying(f"What work or goods does this {cells['type']} charge for?")
    seen = await asyncio.to_thread(look, asked, passages[:POOL], Senses(state.library.embedder))
    read = sorted(zip(seen.chances.tolist(), range(len(seen.units)), strict=True), reverse=True)
    best = sorted(n for chance, n in read[:_LINES] if chance >= _LIKELY)
    lines = [seen.units[n].text for n in best]
    return [" ".join(line.split()) for line in lines if is_quotable(line)]
