"""The tables of a file, by its format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from manole.documents.fields.model import TextLine
from manole.documents.formats import DELIMITED, RECORDS
from manole.documents.tables.delimited import delimited_table
from manole.documents.tables.model import Table
from manole.documents.tables.pipes import pipe_tables
from manole.documents.tables.records import record_table


def read_tables(lines: Sequence[TextLine], format_: str) -> list[Table]:
    """The tables among a file's `lines`, in their order.

    `format_` is the document's short format name. Lines may be missing where they are blank; two
    lines whose numbers do not follow each other have a blank one between them. A row that is
    shorter than the header is padded with "", a longer one cut; rows without words are left out,
    and so are columns at the right edge without words. Tables without rows are left out, and
    tables of one column outside of CSV. Nothing raises: a broken file gives what it holds.
    """
    if format_ in DELIMITED:
        tables = [delimited_table(page, format_) for _, page in _by_page(lines)]
        return [table for table in tables if table is not None]
    if format_ in RECORDS:
        table = record_table(lines, format_)
        return [] if table is None else [table]
    if not any("|" in line.text for line in lines):
        return []
    return [table for _, page in _by_page(lines) for table in pipe_tables(page, format_)]


def _by_page(lines: Sequence[TextLine]) -> Iterator[tuple[int | None, list[TextLine]]]:
    for page, group in groupby(lines, key=lambda line: line.page):
        yield page, list(group)
