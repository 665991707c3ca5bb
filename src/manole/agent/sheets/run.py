"""Runs a checked query over one sheet, in an in-memory database that has nothing else.

The database is read-only and stops a query that takes too long or returns too much. It has the
functions that queries over tables need, and no others. Values are always bound, never written into
a statement.

Whole numbers that SQLite cannot represent are stored as text that compares as numbers do, so that
the largest order number is the largest, to its last digit; their sum is added by Python.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from manole.agent.sheets.checked_query import LONG_SUM, TABLE, Query, QueryError
from manole.agent.sheets.sheet import ROW, Column, Kind, Sheet, Value
from manole.catalog.sandbox import MAX_ROWS, TooMuchError, bounded, confine

_TYPES = {
    Kind.NUMBER: "REAL",
    Kind.LONG: "TEXT COLLATE LONG",
    Kind.DATE: "TEXT",
    Kind.TEXT: "TEXT COLLATE NOCASE",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a query: its first rows of values, and the rows of the sheet behind them.

    `rows` count from 1; `None` where they are unknown.
    """

    values: tuple[tuple[Value, ...], ...]
    rows: tuple[int, ...] | None


def run(query: Query, sheet: Sheet) -> Outcome:
    """Run a query. Raises `QueryError` for what SQLite refuses or takes too long for."""
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            _fill(database, sheet)
            confine(database, LONG_SUM)
            values = tuple(bounded(database.execute(query.sql)))
            rows = _rows(database, query, values)
        except (sqlite3.Error, TooMuchError, OverflowError, UnicodeError, RecursionError) as error:
            raise QueryError(str(error)) from error
    return Outcome(values, rows)


class _LongSum:
    """An aggregate that adds whole numbers of any length."""

    def __init__(self) -> None:
        self._sum: int | None = None

    def step(self, value: Value) -> None:
        if str(value).lstrip("-").isdecimal():
            self._sum = (self._sum or 0) + int(str(value))

    def finalize(self) -> str | None:
        return None if self._sum is None else str(self._sum)


def _by_number(one: str, other: str) -> int:
    """Compare numbers by value; other texts come after them."""
    a, b = _sorted_as(one), _sorted_as(other)
    return (a > b) - (a < b)


def _sorted_as(text: str) -> tuple[bool, Decimal, str]:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return True, Decimal(), text
    return (False, number, "") if number.is_finite() else (True, Decimal(), text)


def _fill(database: sqlite3.Connection, sheet: Sheet) -> None:
    database.create_collation("LONG", _by_number)
    database.create_aggregate(LONG_SUM, 1, _LongSum)  # type: ignore[arg-type]  # a text is fine
    columns = ", ".join(f'"{c.name}" {_TYPES[c.kind]}' for c in sheet.columns)
    database.execute(f'CREATE TABLE {TABLE} ("{ROW}" INTEGER PRIMARY KEY, {columns})')
    marks = ", ".join("?" * (len(sheet.columns) + 1))
    cells = zip(*map(_kept, sheet.columns), strict=True)
    database.executemany(
        f"INSERT INTO {TABLE} VALUES ({marks})",  # noqa: S608
        ((n, *row) for n, row in enumerate(cells, start=1)),
    )


def _kept(column: Column) -> Iterable[Value]:
    """Return the values of a column as the database stores them."""
    if column.kind is Kind.LONG:
        return (None if value is None else str(value) for value in column.values)
    # Beside a fraction, a whole number may be larger than the database's own.
    return (float(value) if isinstance(value, int) else value for value in column.values)


def _rows(
    database: sqlite3.Connection, query: Query, values: Sequence[tuple[Value, ...]]
) -> tuple[int, ...] | None:
    """Return the rows behind a result; for groups one per row of the result."""
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
        return None  # the answer stands without its rows
    return tuple(row for (row,) in found if isinstance(row, int))
