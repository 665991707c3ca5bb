"""A table and its rows, as they are read from a file."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row. `cells` has one cell per column, with blanks collapsed.

    `line` is the row's 1-based first line on its page; `text` is the row as it stands in the file,
    with blanks and line ends collapsed, for quoting. `page` is its own in a table over several.
    """

    cells: tuple[str, ...]
    line: int
    text: str
    page: int | None = None

    @property
    def filled(self) -> int:
        """The number of cells with words."""
        return sum(map(bool, self.cells))

    @property
    def width(self) -> int:
        """The number of cells up to the last one with words."""
        return width_of(self.cells)

    def fitted(self, width: int) -> TableRow:
        """Return the row cut or filled up to `width` cells."""
        if len(self.cells) == width:
            return self
        return replace(self, cells=(self.cells + ("",) * (width - len(self.cells)))[:width])


@dataclass(frozen=True, slots=True)
class Table:
    """A table with at least one row.

    `columns` are the cells of its header, with blanks collapsed and "" for empty ones; in a table
    without a header all of them are "". `page` is `None` in formats without pages, `line` is the
    header's 1-based line (without a header the first row's). `title` is the line that stands alone
    above the header of a CSV file or sheet, else the nearest Markdown heading above on the page, or
    the name. `name` is what the rows are called where the text says so: `applications`.
    """

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    page: int | None
    title: str | None
    line: int
    name: str | None = None


def as_table(
    columns: tuple[str, ...], rows: list[TableRow], page: int | None, title: str | None, line: int
) -> Table | None:
    """Return the table of `rows` under `columns`, or `None` if no row has words.

    All rows get one width; empty rows, and empty columns at the right edge, are left out.
    """
    fitted = (row.fitted(len(columns)) for row in rows)
    kept = [row for row in fitted if row.filled]
    if not kept:
        return None
    width = max(width_of(columns), *(row.width for row in kept), 1)
    return Table(columns[:width], tuple(row.fitted(width) for row in kept), page, title, line)


def width_of(cells: tuple[str, ...]) -> int:
    """Return the number of cells up to the last one with words."""
    return next((at for at in range(len(cells), 0, -1) if cells[at - 1]), 0)


def collapsed(text: str) -> str:
    """Return `text` with each run of blanks and line ends as one blank."""
    return " ".join(text.split())
