"""The view of a sheet of a workbook, or of a file of rows, as tables with a place marked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from pydantic import Field

from manole.documents.fields.model import TextLine
from manole.documents.tables import Table, read_tables
from manole.index.store.protocol import PassageReader
from manole.index.store.records import FileRecord
from manole.index.view.page_text import PageText
from manole.index.view.quotes import Mark
from manole.serve.base import Sent
from manole.serve.view.page import Spot, find

MOST = 20_000  # rows of a table that are shown, around the place; set by hand


class SheetRow(Sent):
    """A row; `line` is its first line on its page, from 1."""

    line: int
    cells: list[str]


class SheetTable(Sent):
    """A table. Rows have as many cells as there are `columns`, which may be all empty."""

    title: str | None
    line: int = Field(description="of its header")
    columns: list[str]
    rows: list[SheetRow]


class CellMark(Sent):
    """A marked place in a table: characters from `start` to `end` of a cell."""

    table: int
    row: int = Field(description="from 0; -1 is the header")
    column: int | None = Field(description="null: the row as a whole")
    start: int
    end: int


class SheetView(Sent):
    """The tables of a sheet, or of a file of rows, and the marked places."""

    page: int | None
    pages: int
    sheets: list[str | None] = Field(description="the sheets' names; null where nobody read one")
    tables: list[SheetTable]
    marks: list[CellMark]
    more: bool = Field(description="whether rows are left out")
    quoted: bool | None = Field(description="as in a view")


async def sheet(store: PassageReader, file: FileRecord, spot: Spot) -> SheetView:
    """Return the sheet of `spot`. Raises `UsageError` for a page that the file does not have."""
    found = await find(store, file, spot)
    seen = SheetView(
        page=found.number,
        pages=found.pages,
        sheets=[found.labels.get(number) for number in range(1, found.pages + 1)],
        tables=[],
        marks=[],
        more=False,
        quoted=found.quoted,
    )
    if found.page is not None:
        await asyncio.to_thread(_fill, seen, found.page, file.format or "", found.marks)
    return seen


def _fill(seen: SheetView, page: PageText, format_: str, marks: Sequence[Mark]) -> None:
    texts = page.text.split("\n")
    lines = [TextLine(text, page.number, page.first_line + at) for at, text in enumerate(texts)]
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    for number, table in enumerate(read_tables(lines, format_)):
        own = [
            mark
            for row, start, raw in _rows(table, page, starts)
            for mark in _marks(number, row, table, start, raw, marks)
        ]
        first = max(0, own[0].row - MOST // 2) if own and len(table.rows) > MOST else 0
        seen.more |= len(table.rows) > MOST
        shown = replace(table, rows=table.rows[first : first + MOST])
        seen.tables.append(SheetTable.model_validate(shown))
        for mark in own:
            mark.row -= first if mark.row >= 0 else 0
        seen.marks += own


def _rows(table: Table, page: PageText, starts: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """Yield the header (-1) and the rows, each with its start on the page and its text there.

    A row ends where the next one begins, or at a blank line.
    """
    firsts = [table.line, *(row.line for row in table.rows)]
    for row, line in enumerate(firsts, start=-1):
        start = starts[line - page.first_line]
        after = firsts[row + 2] - page.first_line if row + 2 < len(firsts) else len(starts) - 1
        yield row, start, page.text[start : max(start, starts[after] - 1)].partition("\n\n")[0]


def _marks(
    number: int, row: int, table: Table, at: int, raw: str, marks: Sequence[Mark]
) -> Iterator[CellMark]:
    """Yield the marks of a row's cells, which stand in `raw`, out of the marks of the page."""
    for start, end in marks:
        if not raw or start >= at + len(raw) or end <= at:
            continue
        cells = list(_cells(table.columns if row < 0 else table.rows[row].cells, raw))
        found: list[tuple[int | None, int, int]] = [
            (column, max(start - at - place, 0), min(end - at - place, len(cell)))
            for column, place, cell in cells
            if place < end - at and start - at < place + len(cell)
        ]
        for column, first, last in found or [(None, 0, 0)]:
            yield CellMark(table=number, row=row, column=column, start=first, end=last)


def _cells(cells: Sequence[str], raw: str) -> Iterator[tuple[int, int, str]]:
    """Yield the column, the place in `raw` and the text of cells that stand there unchanged."""
    at = 0
    for column, cell in enumerate(cells):
        place = raw.find(cell, at) if cell else -1
        if place >= 0:
            at = place + len(cell)
            yield column, place, cell
