"""Reads a parsed question as one for a table: of the library's sheets, or of several as one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from sqlglot.errors import SqlglotError

from manole.agent.plan import understand
from manole.agent.plan.likeness import Likeness
from manole.agent.plan.link_table import GUESSED
from manole.agent.plan.linking_tables import TABLES, Linked, TableLinker
from manole.agent.plan.marks import Asked, whole_names
from manole.agent.plan.open_catalog import tables_of
from manole.agent.plan.query import PlanError
from manole.agent.plan.query_catalog import checked, found
from manole.catalog.catalog import CatalogError
from manole.errors import ManoleError
from manole.tools.base import Confidence, TurnState


@dataclass(frozen=True, slots=True)
class TableReading:
    """A query over a table; whether no model need be asked, and how far it is trusted.

    `other` is the question with its names as the table writes them, where that is another way.
    """

    sql: str
    settled: bool
    confidence: Confidence
    other: Asked | None = None


async def of_tables(state: TurnState, question: Asked) -> TableReading | None:
    """Return the query over the table that has what is named, `None` where none surely has."""
    tables = await tables_of(state)
    scope = state.scope.one or ""
    like = None
    if tables:
        try:
            embedder = await asyncio.to_thread(lambda: state.library.embedder)
            like = Likeness(embedder, question.parsed.question, tables.values())
        except ManoleError:
            pass  # words alone tell
    for asked in (whole_names(question), question):
        if asked is None:
            continue
        linker = TableLinker(asked, tables, state.question.today, scope, like)
        try:
            linked = await asyncio.to_thread(linker.plan)
            sql = linked.plan.sql()
            catalog, plan = await checked(state, sql, typed=True)
            given = await asyncio.to_thread(found, catalog, plan)
        except (ManoleError, PlanError, CatalogError, SqlglotError):
            continue
        if given.stands_on and not plan.empty:
            renamed = linked.marks != asked.marks and linked.likeness == 1
            other = replace(asked, marks=linked.marks) if renamed else None
            return TableReading(sql, *_trusted(asked, linked), other)
    return None


def _trusted(question: Asked, linked: Linked) -> tuple[bool, Confidence]:
    """Return whether a reading needs no second opinion, and how far it is trusted.

    A word that no cell of the table has tells no rows of it. What surely asks for two things that
    the table has is asked of it all the same.
    """
    known = understand.certainty_of_table(question, ())
    sure = 0.0 if linked.unread else known
    named = bool(linked.plan.conditions) and len(question.marks) > 1
    settled = sure >= understand.SURE or (
        known >= understand.CLEAR and named and linked.likeness >= GUESSED
    )
    elsewhere = question.parsed.labels["relation"] not in TABLES
    listed = linked.plan.given == "rows" and elsewhere
    clear = sure >= understand.CLEAR and linked.likeness == 1 and not listed
    return settled, "medium" if clear else "low"
