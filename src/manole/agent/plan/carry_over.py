"""Carries conditions of the last plan into a follow-up: "only the JPGs" keeps the folder."""

from __future__ import annotations

from collections.abc import Iterator

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from manole.agent.plan.query import DIALECT, tables_of
from manole.agent.plan.shape import asks_of
from manole.agent.plan.values import speaks_of


def lost(written: str, before: str, asked: str) -> str:
    """Return the conditions of the plan `before` that have no counterpart in the new one, as SQL.

    Only those that the question `asked` before mentions; "" where another relation is queried now.
    """
    try:
        new, old = (sqlglot.parse_one(text, read=DIALECT) for text in (written, before))
    except (SqlglotError, RecursionError):
        return ""
    if tables_of(new) != tables_of(old):
        return ""
    kept = {asks_of(test) for test in _tests(new)}
    gone = [t for t in _tests(old) if asks_of(t) not in kept and _was_said(t, asked)]
    return " AND ".join(test.sql(DIALECT, normalize_functions=False) for test in gone)


def _was_said(test: exp.Expr, asked: str) -> bool:
    return any(speaks_of(asked, literal.name.strip("%")) for literal in test.find_all(exp.Literal))


def _tests(tree: exp.Expr) -> Iterator[exp.Expr]:
    where = tree.args.get("where")
    if where is not None:
        yield from where.this.flatten() if isinstance(where.this, exp.And) else (where.this,)
