"""A table and its rows, as they are read from a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row. `cells` are as many as the table has columns, their blanks collapsed.

    `line` is the row's 1-based first line on its page; `text` the row as it stands in the file,
    blanks and line ends collapsed, for quoting.
    """

    cells: tuple[str, ...]
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table with at least one row.

    `columns` are the cells of its header, blanks collapsed, "" where one is empty; all of them
    are "" in a table without header. `page` is `None` in formats without pages, `line` the
    header's 1-based line (without header the first row's). `title` is the line that stands alone
    above the header of a CSV file or sheet, else the nearest Markdown heading above on the page.
    """

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    page: int | None
    title: str | None
    line: int
