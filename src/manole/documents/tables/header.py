"""The header of a CSV file or sheet, where nothing says which row it is.

Above it people and banks write titles, comments and pairs such as `Account;AT48 3200`. It is told
by its words, and by the width that most of the rows have.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import takewhile

from manole.documents.tables.model import Table, TableRow
from manole.documents.tables.rows import as_table, filled, width_of

SAMPLE = 50  # rows from which the delimiter and the usual width are told
_FIGURE = re.compile(  # an amount, a number, a day, a time
    r"[-+−–(~]?\s*[$€£¥]?\s*[-+]?\d[\d\s.,:/'’-]*(?:e[-+]?\d+)?\s*(?:[%$€£¥]|[A-Z]{3})?\)?"
)


def with_header(rows: list[TableRow], page: int | None, title: str | None = None) -> Table | None:
    """The table that `rows` make, where nothing says which of them is the header."""
    rows = [row for row in rows if any(row.cells)]
    if not rows:
        return None
    usual = usual_width(rows)
    above = _rows_above(rows, usual)
    alone = (next(filter(None, row.cells)) for row in rows[:above] if filled(row) == 1)
    title = next(alone, title)
    first = rows[above]
    if _is_data(first):
        return as_table(("",) * max(usual, len(first.cells)), rows[above:], page, title, first.line)
    return as_table(first.cells, rows[above + 1 :], page, title, first.line)


def usual_width(rows: list[TableRow]) -> int:
    """The width that most of the first cells stand in, so that pairs above do not count much."""
    cells = Counter[int]()
    for row in rows[:SAMPLE]:
        cells[width_of(row.cells)] += width_of(row.cells)
    return cells.most_common(1)[0][0]


def _rows_above(rows: list[TableRow], usual: int) -> int:
    """How many rows stand above the header: titles, and pairs if a true header follows them."""
    alone = sum(1 for _ in takewhile(lambda row: _is_alone(row, usual), rows))
    if usual >= 4:
        pairs = sum(1 for _ in takewhile(lambda row: width_of(row.cells) <= 2, rows))
        pairs = max(pairs, alone)
        if _begins_table(rows[pairs:]):
            return pairs
    return alone if alone < len(rows) else 0


def _begins_table(rows: list[TableRow]) -> bool:
    """Whether the first row names columns, and the next ones are as wide as it is."""
    if len(rows) < 2 or any(map(_FIGURE.fullmatch, rows[0].cells)):
        return False
    return len({len(row.cells) for row in rows[:4]}) == 1


def _is_alone(row: TableRow, usual: int) -> bool:
    wider = usual > 1 if row.cells[0] else usual > 2
    return wider and filled(row) == 1 and not _is_data(row)


def _is_data(row: TableRow) -> bool:
    """Whether a row holds figures only. Years above columns start with an empty cell."""
    return bool(row.cells[0]) and all(_FIGURE.fullmatch(cell) for cell in row.cells if cell)
