"""The tables of CSV and TSV files.

Python's `csv` parses them. The delimiter is the one that gives most of the first rows the same
number of cells (`csv.Sniffer` takes the decimal commas of `1;2,5` for delimiters). A row that `csv`
cannot parse, mostly because a quote is never closed, is read by itself, so that it does not swallow
the rows below it.
"""

from __future__ import annotations

import contextlib
import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import dropwhile, islice
from typing import Any

from manole.documents.fields.model import TextLine
from manole.documents.tables.header import SAMPLE, usual_width, with_header
from manole.documents.tables.model import Table, TableRow, collapsed

_DELIMITERS = "\t;|,"  # in doubt the first: numbers and sentences have commas too
_NO_DELIMITER = "\x1f"  # in no text, for files of one column
_LONG_CELL = 20_000  # characters; a longer cell over several lines is a quote never closed
_SEPARATOR = re.compile(r"\s*\"?sep=([\t;|,])\"?\s*", re.IGNORECASE)  # Excel's own first line


def delimited_table(lines: list[TextLine], format_: str) -> Table | None:
    """Return the table in the lines of a CSV or TSV file, if there is one."""
    texts = [line.text for line in lines]
    texts[0] = texts[0].removeprefix("\ufeff")
    separator = _SEPARATOR.fullmatch(texts[0])
    if separator:
        texts[0] = ""
    delimiter = separator[1] if separator else _delimiter(texts, format_)
    rows = [
        TableRow(
            tuple(map(collapsed, cells)), lines[start].line, collapsed(" ".join(texts[start:end]))
        )
        for start, end, cells in _records(texts, delimiter)
    ]
    return with_header(_without_comments(rows), lines[0].page)


def _delimiter(texts: list[str], format_: str) -> str:
    """Return the delimiter that gives most of the first rows one width of two or more cells."""
    best, most = "", 0.0
    for delimiter in _DELIMITERS:
        records = (cells for _, _, cells in _records(texts, delimiter))
        filled = (cells for cells in records if any(cells) and not cells[0].startswith("#"))
        widths = [len(cells) for cells in islice(filled, SAMPLE)]
        wide = Counter(width for width in widths if width > 1).most_common(1)
        share = wide[0][1] / len(widths) if wide else 0.0
        if share and delimiter == "\t" and format_ == "tsv":
            return delimiter
        if share > most:
            best, most = delimiter, share
    if most >= 0.5:
        return best
    for text in texts:
        counts = {text.count(delimiter): delimiter for delimiter in _DELIMITERS}
        if max(counts):
            return counts[max(counts)]
    return _NO_DELIMITER


def _records(texts: Sequence[str], delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield every record with the range of its lines, end exclusive.

    It takes linear time: the lines inside a broken quote have no quote that could open another.
    """
    start = before = 0
    reader = _reader(texts, start, delimiter)
    while start < len(texts):
        try:
            cells = next(reader)
            end = before + reader.line_num
            broken = end > start + 1 and max(map(len, cells)) > _LONG_CELL
        except csv.Error:
            broken = True
        if broken:
            cells, end = _by_itself(texts[start], delimiter), start + 1
            before, reader = end, _reader(texts, end, delimiter)
        yield start, end, cells
        start = end


def _reader(texts: Sequence[str], start: int, delimiter: str) -> Any:
    # `strict` detects quotes that are never closed, or closed inside a cell.
    lines = (f"{texts[at]}\n" for at in range(start, len(texts)))
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)


def _by_itself(text: str, delimiter: str) -> list[str]:
    """Return the cells of one line whose quotes cannot be trusted."""
    if text.count('"') % 2 == 0:
        with contextlib.suppress(csv.Error):
            return next(csv.reader([text], delimiter=delimiter, skipinitialspace=True))
    return [_unquoted(cell.strip()) for cell in text.split(delimiter)]


def _unquoted(cell: str) -> str:
    return cell[1:].removesuffix('"') if cell.startswith('"') else cell


def _without_comments(rows: list[TableRow]) -> list[TableRow]:
    """Return `rows` without the `#` lines at the top; one as wide as the rows is the header."""
    rows = [row for row in rows if row.filled]
    if not rows:
        return []
    usual = usual_width([row for row in rows if not row.cells[0].startswith("#")] or rows)
    return list(dropwhile(lambda row: _is_comment(row, usual), rows))


def _is_comment(row: TableRow, usual: int) -> bool:
    named = row.cells[0] == "#" and row.filled > 1  # a column of numbers
    return row.cells[0].startswith("#") and not named and len(row.cells) != usual
