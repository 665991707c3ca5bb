"""Rows to a table, all of one width, without empty rows and empty columns at the right edge."""

from __future__ import annotations

from dataclasses import replace

from manole.documents.tables.model import Table, TableRow


def as_table(
    columns: tuple[str, ...], rows: list[TableRow], page: int | None, title: str | None, line: int
) -> Table | None:
    """The table that `rows` make under `columns`; `None` when none of them has words."""
    kept = [_fitted(row, len(columns)) for row in rows]
    kept = [row for row in kept if any(row.cells)]
    if not kept:
        return None
    width = max(width_of(columns), *(width_of(row.cells) for row in kept), 1)
    return Table(columns[:width], tuple(_fitted(row, width) for row in kept), page, title, line)


def _fitted(row: TableRow, width: int) -> TableRow:
    if len(row.cells) == width:
        return row
    return replace(row, cells=(row.cells + ("",) * (width - len(row.cells)))[:width])


def width_of(cells: tuple[str, ...]) -> int:
    """The number of cells up to the last that has words."""
    return next((at for at in range(len(cells), 0, -1) if cells[at - 1]), 0)


def filled(row: TableRow) -> int:
    """The number of cells that have words."""
    return sum(map(bool, row.cells))


def collapsed(text: str) -> str:
    """`text` with each run of blanks and line ends as one blank."""
    return " ".join(text.split())
