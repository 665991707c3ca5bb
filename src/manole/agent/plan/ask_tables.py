"""Reads a parsed question as one for a table: of the library's sheets, or of several as one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath

from sqlglot.errors import SqlglotError

from manole.agent.plan import understand
from manole.agent.plan.likeness import Likeness
from manole.agent.plan.link_table import GUESSED
from manole.agent.plan.linking_tables import TABLES, Linked, TableLinker
from manole.agent.plan.marks import Asked, spelled, unmarked, with_topics
from manole.agent.plan.open_catalog import tables_of
from manole.agent.plan.query import PlanError
from manole.agent.plan.query_catalog import checked, found
from manole.agent.plan.table_periods import has_years
from manole.agent.plan.understand import Read
from manole.agent.plan.values import bare
from manole.catalog.catalog import CatalogError
from manole.catalog.sheets import Sheet
from manole.errors import ManoleError
from manole.text.words import STOP, words
from manole.tools.base import TurnState

_ADDED = 4  # columns whose sums an overview tells


async def of_tables(state: TurnState, question: Asked) -> Read | None:
    """Return the query over the table that has what is named, `None` where none surely has.

    Where the table has not all words of the question, those unread may be cells that it has.
    """
    tables = await tables_of(state)
    like = None
    if tables:
        try:
            embedder = await asyncio.to_thread(lambda: state.library.embedder)
            like = Likeness(embedder, question.parsed.question, tables.values())
        except ManoleError:
            pass  # words alone tell
    first: Read | None = None
    for whole in filter(None, (question, with_topics(question))):
        for asked in spelled(whole):
            linker = TableLinker(asked, tables, state.question.today, state.scope.one or "", like)
            try:
                linked = await asyncio.to_thread(linker.plan)
                sql = linked.plan.sql()
                catalog, plan = await checked(state, sql, typed=True)
                given = await asyncio.to_thread(found, catalog, plan)
            except (ManoleError, PlanError, CatalogError, SqlglotError):
                continue
            all_of_it = linked.plan.given == "rows" and not linked.plan.conditions
            if given.stands_on and not plan.empty and not (all_of_it and linked.unread):
                read = _trusted(sql, asked, linked)
                if not linked.unread:
                    return read
                first = first or read
                break
    return first


def overview(question: Asked, tables: Mapping[str, Sheet]) -> str:
    """Return a query for what a table has, where the question names nothing but its file.

    "Summarise sales.csv": its rows, and what its figures come to. "" for any other question.
    """
    if [mark.tag for mark in question.marks] != ["file"]:
        return ""
    (mark,) = question.marks
    said = words(" ".join(unmarked(question.parsed.question, question.marks)))
    known = {n: s for n, s in tables.items() if bare(PurePath(s.file).name) == bare(mark.text)}
    if len(known) != 1 or len([word for word in said if word not in STOP]) > 1:
        return ""
    ((name, sheet),) = known.items()
    added = [c.name for c in sheet.columns if c.kind == "REAL" and not has_years(c)]
    items = ["COUNT(*)", *(f'SUM("{column}") AS "{column}"' for column in added[:_ADDED])]
    return f"SELECT {', '.join(items)} FROM {name}"  # noqa: S608  (names that are our own)


def _trusted(sql: str, question: Asked, linked: Linked) -> Read:
    """Return a reading with how far it is trusted.

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
    renamed = linked.marks != question.marks and linked.likeness == 1
    return Read(
        sql,
        settled,
        understand.framed_in_table(question, linked.unread) if question.marks else 0.0,
        "medium" if clear else "low",
        replace(question, marks=linked.marks) if renamed else None,
    )
