"""Tables of short texts, as the tests of this folder compare them."""

from __future__ import annotations

from manole.documents.components import readable
from manole.documents.fields.lines import page_lines
from manole.documents.formats import COMPONENTS
from manole.documents.tables import Table, read_tables


def tables(text: str, format_: str) -> list[Table]:
    """Read them as the reader of such files writes their text."""
    written = readable(text) if format_ in COMPONENTS else text
    return read_tables(page_lines([(None, written)]), format_)


def one(text: str, format_: str = "csv") -> Table:
    (table,) = tables(text, format_)
    return table


def cells(table: Table) -> list[tuple[str, ...]]:
    return [row.cells for row in table.rows]
