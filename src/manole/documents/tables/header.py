"""The header of a CSV file or sheet, which nothing marks.

Above it people and banks write titles, comments and pairs such as `Account;AT48 3200`. It is found
by its words, and by the width of most rows.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import takewhile

from manole.documents.tables.model import Table, TableRow, as_table

SAMPLE = 50  # rows that decide the delimiter and the usual width
_FIGURE = re.compile(  # an amount, a number, a day, a time
    r"[-+−–(~]?\s*[$€£¥]?\s*[-+]?\d[\d\s.,:/'’-]*(?:e[-+]?\d+)?\s*(?:[%$€£¥]|[A-Z]{3})?\)?"
)


def with_header(rows: list[TableRow], page: int | None, title: str | None = None) -> Table | None:
    """Return the table of `rows`, after finding which of them is the header."""
    rows = [row for row in rows if row.filled]
    if not rows:
        return None
    usual = usual_width(rows)
    above = _rows_above(rows, usual)
    alone = (next(filter(None, row.cells)) for row in rows[:above] if row.filled == 1)
    title = next(alone, title)
    first = rows[above]
    if _is_data(first):
        return as_table(("",) * max(usual, len(first.cells)), rows[above:], page, title, first.line)
    return as_table(first.cells, rows[above + 1 :], page, title, first.line)


def usual_width(rows: list[TableRow]) -> int:
    """Return the width of the rows that have most of the cells, so that pairs count little."""
    cells = Counter[int]()
    for row in rows[:SAMPLE]:
        cells[row.width] += row.width
    return cells.most_common(1)[0][0]


def _rows_above(rows: list[TableRow], usual: int) -> int:
    """Count the rows above the header: titles, and pairs if a true header follows them."""
    alone = sum(1 for _ in takewhile(lambda row: _is_alone(row, usual), rows))
    if usual >= 4:
        pairs = sum(1 for _ in takewhile(lambda row: row.width <= 2, rows))
        pairs = max(pairs, alone)
        if _begins_table(rows[pairs:]):
            return pairs
    return alone if alone < len(rows) else 0


def _begins_table(rows: list[TableRow]) -> bool:
    """Return whether the first row names columns, and the next ones are as wide as it is."""
    if len(rows) < 2 or any(map(_FIGURE.fullmatch, rows[0].cells)):
        return False
    return len({len(row.cells) for row in rows[:4]}) == 1


def _is_alone(row: TableRow, usual: int) -> bool:
    wider = usual > 1 if row.cells[0] else usual > 2
    return wider and row.filled == 1 and not _is_data(row)


def _is_data(row: TableRow) -> bool:
    """Return whether a row has only figures. Years above columns start with an empty cell."""
    return bool(row.cells[0]) and all(_FIGURE.fullmatch(cell) for cell in row.cells if cell)
