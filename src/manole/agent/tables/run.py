"""Runs a checked query over one sheet, in a database of its own that holds nothing else.

The database lives in memory, reads only, and stops by itself when a query takes too long or makes
too much. Values are always bound, never written into a statement.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from manole.agent.tables.query import TABLE, Query, QueryError
from manole.agent.tables.sheet import ROW, Kind, Sheet, Value

SECONDS = 2.0
MAX_ROWS = 200
_LARGEST = 1_000_000  # bytes of a value that a query may make
_STEPS = 20_000  # of SQLite's machine, between looks at the clock
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}
_TYPES = {Kind.NUMBER: "REAL", Kind.DATE: "TEXT", Kind.TEXT: "TEXT COLLATE NOCASE"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a query gave: its first rows of values, and the rows of the sheet they come from.

    `rows` count from 1; `None` where they cannot be told.
    """

    values: tuple[tuple[Value, ...], ...]
    rows: tuple[int, ...] | None


def run(query: Query, sheet: Sheet) -> Outcome:
    """The query's outcome. Raises `QueryError` for what SQLite refuses or takes too long for."""
    with closing(sqlite3.connect(":memory:")) as database:
        _fill(database, sheet)
        _confine(database)
        try:
            values = tuple(database.execute(query.sql).fetchmany(MAX_ROWS))
            rows = _rows(database, query, values)
        except sqlite3.Error as error:
            raise QueryError(str(error)) from error
    return Outcome(values, rows)


def _fill(database: sqlite3.Connection, sheet: Sheet) -> None:
    columns = ", ".join(f'"{c.name}" {_TYPES[c.kind]}' for c in sheet.columns)
    database.execute(f'CREATE TABLE {TABLE} ("{ROW}" INTEGER PRIMARY KEY, {columns})')
    marks = ", ".join("?" * (len(sheet.columns) + 1))
    cells = zip(*(c.values for c in sheet.columns), strict=True)
    database.executemany(
        f"INSERT INTO {TABLE} VALUES ({marks})",  # noqa: S608
        ((n, *row) for n, row in enumerate(cells, start=1)),
    )


def _confine(database: sqlite3.Connection) -> None:
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST)
    database.set_authorizer(
        lambda action, *_: sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY
    )
    until = time.monotonic() + SECONDS
    database.set_progress_handler(lambda: time.monotonic() > until, _STEPS)


def _rows(
    database: sqlite3.Connection, query: Query, values: Sequence[tuple[Value, ...]]
) -> tuple[int, ...] | None:
    """The rows behind a result; one for each of its rows where they stand for groups."""
    if not query.grouped or query.computes:
        asked = query.rows(values[0][0] if values else None)
        return None if asked is None else _numbers(database, asked)
    asked_each = [query.rows(row[0]) for row in values]
    found = [_numbers(database, asked) if asked else None for asked in asked_each]
    return tuple(rows[0] for rows in found if rows) if all(found) else None


def _numbers(database: sqlite3.Connection, asked: str) -> tuple[int, ...] | None:
    try:
        found = database.execute(asked).fetchmany(MAX_ROWS)
    except sqlite3.Error:
        return None  # the answer stands; where it comes from cannot be told
    return tuple(row for (row,) in found if isinstance(row, int))
