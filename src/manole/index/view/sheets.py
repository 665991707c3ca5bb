"""The view of a sheet of a workbook, or of a file of rows, as tables with a place marked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from manole.documents.fields.model import TextLine
from manole.documents.tables import Table, read_tables
from manole.index.store.protocol import PassageReader
from manole.index.store.records import FileRecord
from manole.index.view.file_view import Spot, find
from manole.index.view.page_text import PageText
from manole.index.view.quotes import Mark

MOST = 20_000  # rows of a table that are shown, around the place; set by hand


@dataclass(frozen=True, slots=True)
class CellMark:
    """The marked characters of a cell's text. `row` -1 is the header.

    `column` is `None` where the row is marked but the marked cells are unknown.
    """

    table: int
    row: int
    column: int | None
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Sheet:
    """The tables of one page in their order; `quoted` and `labels` as in `Found`."""

    page: int | None
    pages: int
    tables: tuple[Table, ...] = ()
    marks: tuple[CellMark, ...] = ()
    more: bool = False
    quoted: bool | None = None
    labels: Mapping[int, str] = field(default_factory=dict)


async def sheet(store: PassageReader, file: FileRecord, spot: Spot) -> Sheet:
    """Return the sheet of `spot`. Raises `UsageError` for a page that the file does not have."""
    found = await find(store, file, spot)
    if found.page is None:
        return Sheet(found.number, found.pages, quoted=found.quoted, labels=found.labels)
    return await asyncio.to_thread(
        lambda page: replace(
            _sheet(page, file.format or "", found.marks),
            page=found.number,
            pages=found.pages,
            quoted=found.quoted,
            labels=found.labels,
        ),
        found.page,
    )


def _sheet(page: PageText, format_: str, marks: Sequence[Mark]) -> Sheet:
    texts = page.text.split("\n")
    lines = [TextLine(text, page.number, page.first_line + at) for at, text in enumerate(texts)]
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    tables: list[Table] = []
    placed: list[CellMark] = []
    more = False
    for number, table in enumerate(read_tables(lines, format_)):
        own = [
            replace(mark, table=number)
            for row, start, raw in _rows(table, page, starts)
            for mark in _marks(row, table, start, raw, marks)
        ]
        first = max(0, own[0].row - MOST // 2) if own and len(table.rows) > MOST else 0
        more = more or len(table.rows) > MOST
        tables.append(replace(table, rows=table.rows[first : first + MOST]))
        placed += [m if m.row < 0 else replace(m, row=m.row - first) for m in own]
    return Sheet(None, 1, tuple(tables), tuple(placed), more)


def _rows(table: Table, page: PageText, starts: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """Yield the header (-1) and the rows, each with its start on the page and its text there.

    A row ends where the next one begins, or at a blank line.
    """
    firsts = [table.line, *(row.line for row in table.rows)]
    for row, line in enumerate(firsts, start=-1):
        start = starts[line - page.first_line]
        after = firsts[row + 2] - page.first_line if row + 2 < len(firsts) else len(starts) - 1
        yield row, start, page.text[start : max(start, starts[after] - 1)].partition("\n\n")[0]


def _marks(row: int, table: Table, at: int, raw: str, marks: Sequence[Mark]) -> Iterator[CellMark]:
    """Yield the marks of a row's cells, which stand in `raw`, out of the marks of the page."""
    for start, end in marks:
        if not raw or start >= at + len(raw) or end <= at:
            continue
        cells = list(_cells(table.columns if row < 0 else table.rows[row].cells, raw))
        found = [
            CellMark(0, row, column, max(start - at - place, 0), min(end - at - place, len(cell)))
            for column, place, cell in cells
            if place < end - at and start - at < place + len(cell)
        ]
        yield from found or [CellMark(0, row, None)]


def _cells(cells: Sequence[str], raw: str) -> Iterator[tuple[int, int, str]]:
    """Yield the column, the place in `raw` and the text of cells that stand there unchanged."""
    at = 0
    for column, cell in enumerate(cells):
        place = raw.find(cell, at) if cell else -1
        if place >= 0:
            at = place + len(cell)
            yield column, place, cell
