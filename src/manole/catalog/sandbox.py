"""The sandbox for queries that a model wrote: they only read, and are bounded.

A query stops if it takes too long or returns too much. It may call only the functions that queries
of tables need; it reads no file, attaches nothing, changes nothing.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator
from itertools import islice

Value = str | int | float | None

SECONDS = 2.0  # that a query may take, set by hand: longer than any that a question needs
MAX_ROWS = 1000  # of a result: more than anybody reads
_LARGEST = 1_000_000  # bytes of a value that a query may make, and of all values in its result
_STEPS = 20_000  # of SQLite's virtual machine between looks at the clock: about a millisecond
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}
_FUNCTION_NAMES = """
abs avg ceil ceiling coalesce count date datetime dense_rank first_value floor format glob
group_concat ifnull iif instr julianday lag last_value lead length like lower ltrim max min mod
nullif pow power printf rank replace round row_number rtrim sign sqrt strftime string_agg substr
substring sum time total trim typeof upper
"""
_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())


class TooMuchError(ValueError):
    """A result that is too large."""


def confine(database: sqlite3.Connection, *functions: str) -> None:
    """Let a connection only read, for `SECONDS`, with the usual functions and the given ones."""
    known = _FUNCTIONS.union(functions)

    def allowed(action: int, _: str | None, name: str | None, *__: object) -> int:
        fine = action != sqlite3.SQLITE_FUNCTION or str(name).lower() in known
        return sqlite3.SQLITE_OK if action in _READING and fine else sqlite3.SQLITE_DENY

    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST)
    database.set_authorizer(allowed)
    until = time.monotonic() + SECONDS
    database.set_progress_handler(lambda: time.monotonic() > until, _STEPS)


def release(database: sqlite3.Connection) -> None:
    """Undo `confine`."""
    database.set_authorizer(None)
    database.set_progress_handler(None, 0)


def bounded(
    found: Iterable[tuple[Value, ...]], limit: int | None = MAX_ROWS
) -> Iterator[tuple[Value, ...]]:
    """Yield the first `limit` rows of a result. Raises `TooMuchError` if they are too large."""
    size = 0
    for row in islice(found, limit):
        size += sum(len(value) for value in row if isinstance(value, (str, bytes)))
        if size > _LARGEST:
            raise TooMuchError("the query gives too much")
        yield row
