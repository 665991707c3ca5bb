"""Tables of short texts, as the tests of this folder compare them."""

from __future__ import annotations

from manole.documents.fields.lines import page_lines
from manole.documents.tables import Table, read_tables


def tables(text: str, format_: str) -> list[Table]:
    return read_tables(page_lines([(None, text)]), format_)


def one(text: str, format_: str = "csv") -> Table:
    (table,) = tables(text, format_)
    return table


def cells(table: Table) -> list[tuple[str, ...]]:
    return [row.cells for row in table.rows]
