"""The rows of tables inside a passage, in words for people: each cell behind its column's name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from manole.documents.fields.model import TextLine
from manole.documents.formats import DELIMITED_EXTENSIONS, RECORDS, SHEETS
from manole.documents.tables import Table, read_tables
from manole.tools.objects import FoundPassage

BETWEEN = " · "  # cells, and lines that are no sentences


def rows_of(passage: FoundPassage) -> dict[int, str]:
    """Return the rows of a passage by their lines; those of a row over several lines are alike.

    A line with the names of columns says nothing by itself.
    """
    format_ = _format(passage.file)
    texts = passage.text.split("\n")
    lines = [TextLine(text, passage.page, passage.line + at) for at, text in enumerate(texts)]
    tables = read_tables([*_header(passage), *lines], format_)
    if format_ == "json" and not tables:  # the passage begins inside the list
        tables = read_tables(lines, "jsonl")
    found: dict[int, str] = {}
    for table in tables:
        if any(table.columns):
            found[table.line] = ""
        for row in table.rows:
            said, left = BETWEEN.join(_cells(table, row.cells)), len(row.text)
            for line in lines[max(0, row.line - passage.line) :]:
                if left <= 0:
                    break
                found[line.line] = said
                left -= len(" ".join(line.text.split())) + 1
    return found


def is_tabular(passage: FoundPassage) -> bool:
    """Return whether a passage is of a file that consists of rows."""
    return _format(passage.file) != "markdown"


def _header(passage: FoundPassage) -> Sequence[TextLine]:
    """Return the header that a long table's passage has among its headings, as lines above it."""
    columns = next(iter(reversed(passage.headings)), "")
    above = [columns] if _ending(passage.file) in DELIMITED_EXTENSIONS else []
    if " | " in columns and passage.text.startswith("|"):
        above = [f"|{columns}|", "|".join("---" for _ in columns.split(" | "))]
    if not columns or passage.text.startswith(columns):
        return []
    return [TextLine(t, passage.page, passage.line + n) for n, t in enumerate(above, -len(above))]


def _ending(file: str) -> str:
    return file.rsplit(".", 1)[-1].lower()


def _format(file: str) -> str:
    ending = _ending(file)
    rows = ending in SHEETS or ending in RECORDS
    return ending if rows else DELIMITED_EXTENSIONS.get(ending, "markdown")


def _cells(table: Table, cells: Sequence[str]) -> Iterator[str]:
    """Yield the cells that say something; the first, which names the row, stands alone."""
    for at, (column, cell) in enumerate(zip(table.columns, cells, strict=True)):
        if cell:
            yield f"{column}: {cell}" if column and at else cell
