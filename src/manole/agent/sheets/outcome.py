"""The outcome of a checked query over one sheet, put in words without a model.

The query runs in a read-only in-memory database that has nothing but this sheet, and is stopped
where it takes too long or returns too much. The database has the functions that queries over tables
need, and no others. Values are always bound, never written into a statement.

Whole numbers that SQLite cannot represent are stored as text that compares as numbers do, so that
the largest order number is the largest, to its last digit; their sum is added by Python.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from manole.agent.sheets.checked_query import LONG_SUM, TABLE, Query, QueryError
from manole.agent.sheets.sheet import ROW, Column, Kind, Sheet, Value
from manole.catalog.sandbox import MAX_ROWS, TooMuchError, bounded, confine
from manole.tools.objects import FoundRow

_TYPES = {
    Kind.NUMBER: "REAL",
    Kind.LONG: "TEXT COLLATE LONG",
    Kind.DATE: "TEXT",
    Kind.TEXT: "TEXT COLLATE NOCASE",
}

_LISTED = 20  # values of a list in the text: a screen
_CELL, _ROW = 1000, 4000  # characters of a cell and of a cited row, which may be pages of text
_CITED = 3  # rows that a calculated value cites, as examples
_AGGREGATES: dict[type[exp.Expression], str] = {
    exp.Sum: "sum of {}",
    exp.Avg: "average {}",
    exp.Max: "highest {}",
    exp.Min: "lowest {}",
}
_TESTS: dict[type[exp.Expression], str] = {
    exp.EQ: "is", exp.NEQ: "is not", exp.GT: "is above", exp.GTE: "is at least",
    exp.LT: "is below", exp.LTE: "is at most", exp.Like: "contains",
}  # fmt: skip
_YES_NO = re.compile(
    r"\s*(is|are|was|were|did|does|do|has|have|had|can|ist|sind|war|waren|hat|haben|gibt)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a query: its first rows of values, and the rows of the sheet behind them.

    `rows` count from 1; they are `None` where they are unknown.
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


def verbalized(question: str, query: Query, outcome: Outcome, sheet: Sheet) -> str:
    """Return the answer, with `[1]`, `[2]` … for the rows of `cited_rows`."""
    if query.computes or outcome.rows is None:
        return _computed(question, query, outcome, sheet)
    column = sheet.column(query.selected[0].name)
    head = f"{column.label}: " if column and column.label and len(query.selected) == 1 else ""
    shown: dict[str, list[int]] = {}
    for n, row in enumerate(outcome.rows, start=1):
        text = ", ".join(filter(None, _cells(row, query, sheet)))
        if text:
            shown.setdefault(text, []).append(n)
    listed = [f"{text} {_marks(places)}" for text, places in list(shown.items())[:_LISTED]]
    more = f", and {len(shown) - _LISTED} more" if len(shown) > _LISTED else ""
    return head + ", ".join(listed) + more


def cited_rows(query: Query, outcome: Outcome) -> tuple[int, ...]:
    """Return the rows that `[1]`, `[2]` … of the answer stand for."""
    rows = outcome.rows or ()
    return rows[:_CITED] if query.computes else rows


def row_objects(rows: Sequence[int], sheet: Sheet) -> list[FoundRow]:
    """Return the cited rows with their places and cells.

    Without any, the header of the table stands for the whole.
    """
    places = [(row, sheet.rows[row - 1].line, sheet.rows[row - 1].text[:_ROW]) for row in rows]
    places = places or [(0, sheet.table.line, " | ".join(sheet.table.columns)[:_ROW])]
    return [
        FoundRow(
            id=f"row:{sheet.file}:{sheet.table.page}:{sheet.table.line}:{row}",
            n=n,
            file=sheet.file,
            page=sheet.table.page,
            line=line,
            quote=text,
            value=text,
            columns=_named(row, sheet),
        )
        for n, (row, line, text) in enumerate(places, start=1)
    ]


def _named(row: int, sheet: Sheet) -> dict[str, str]:
    return {c.label or c.name: _cut(sheet.cell(row, c)) for c in sheet.columns} if row else {}


def _computed(question: str, query: Query, outcome: Outcome, sheet: Sheet) -> str:
    values = outcome.values[0]
    marks = "".join(f"[{n}]" for n in range(1, max(1, len(cited_rows(query, outcome))) + 1))
    if outcome.values in {((0,),), ((1,),)} and _says_whether(question, query):
        return f"{'Yes' if values[0] else 'No'} {marks}"
    if len(outcome.values) > 1 or len(values) > 1:
        rows = [", ".join(shown(v) for v in row if v is not None) for row in outcome.values]
        return f"{'; '.join(filter(None, rows[:_LISTED]))} {marks}"
    what = _name(query.selected[0], sheet) or _parts(query.selected[0], sheet)
    how = f" ({what}{_where(query, sheet)})" if what else ""
    return f"{shown(values[0], _decimals(query, sheet))}{how} {marks}"


def _says_whether(question: str, query: Query) -> bool:
    """Return whether the result is a truth value, which SQLite writes as 0 or 1."""
    item = query.selected[0]
    return bool(_YES_NO.match(question)) or isinstance(item, (exp.Exists, exp.Predicate))


def _name(item: exp.Expression, sheet: Sheet) -> str:
    """Return the name of a calculated value, "" where it would take more than a few words."""
    if isinstance(item, exp.Count):
        if isinstance(item.this, exp.Distinct):
            return f"number of different values of {_label(item.this.expressions[0], sheet)}"
        return "number of rows"
    for kind, words in _AGGREGATES.items():
        if isinstance(item, kind) and sheet.column(item.this.name):
            return words.format(_label(item.this, sheet))
    return ""


def _parts(item: exp.Expression, sheet: Sheet) -> str:
    """Return the columns that a calculated value is made from."""
    columns = dict.fromkeys(_label(c, sheet) for c in item.find_all(exp.Column))
    return f"from {', '.join(columns)}" if columns else ""


def _where(query: Query, sheet: Sheet) -> str:
    where = query.tree.args.get("where")
    text = _condition(where.this, sheet) if where else ""
    return f" where {text}" if text else ""


def _condition(test: exp.Expression, sheet: Sheet) -> str:
    """Return a condition in words, "" where it would take more than a few."""
    if isinstance(test, exp.Paren):
        return _condition(test.this, sheet)
    if isinstance(test, (exp.And, exp.Or)):
        parts = [_condition(part, sheet) for part in (test.this, test.expression)]
        return f" {test.key} ".join(parts) if all(parts) else ""
    words = _TESTS.get(type(test))
    if words and isinstance(test.this, exp.Column) and isinstance(test.expression, exp.Literal):
        value = test.expression.this.strip("%")
        return f"{_label(test.this, sheet)} {words} “{value}”"
    return ""


def _label(item: exp.Expression | None, sheet: Sheet) -> str:
    if item is not None and item.name == ROW:
        return "row"
    column = sheet.column(item.name) if item is not None else None
    return (column.label or column.name) if column else "it"


def _cells(row: int, query: Query, sheet: Sheet) -> list[str]:
    """Return the selected cells of a row as they are written, and its number for the row itself."""
    if any(isinstance(item, exp.Star) for item in query.selected):
        return [_cut(cell) for cell in sheet.rows[row - 1].cells if cell]
    columns = [sheet.column(item.name) for item in query.selected]
    return [_cut(sheet.cell(row, column)) if column else str(row) for column in columns]


def _cut(cell: str) -> str:
    return cell if len(cell) <= _CELL else f"{cell[:_CELL]} …"


def shown(value: Value, decimals: int | None = None) -> str:
    """Return a value for people: without needless digits, grouped from 10,000 on."""
    if value is None:
        return ""
    if isinstance(value, str):
        return _cut(value)
    exact = round(Decimal(str(value)), decimals if decimals is not None else 4)
    text = f"{exact:,f}" if abs(exact) >= 10_000 else f"{exact:f}"
    return text.rstrip("0").rstrip(".") if "." in text and not decimals else text


def _decimals(query: Query, sheet: Sheet) -> int | None:
    """Return the number of decimals in the cells behind a sum, maximum or minimum of one column."""
    item = query.selected[0]
    if not isinstance(item, (exp.Sum, exp.Max, exp.Min)) or not isinstance(item.this, exp.Column):
        return None
    column = sheet.column(item.this.name)
    return _places(column) if column else None


def _places(column: Column) -> int:
    written = [str(v) for v in column.values if isinstance(v, float)]
    return min(max((len(text.partition(".")[2]) for text in written), default=0), 4)


def _marks(places: Sequence[int]) -> str:
    return "".join(f"[{n}]" for n in places[:_CITED])
