"""The tables of a file, read from its lines as they are indexed.

Tables are those of CSV and TSV files, pipe tables of Markdown and Office files, records, and the
bookings of statements in PDFs.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from manole.documents.fields.model import TextLine
from manole.documents.formats import DELIMITED, RECORDS
from manole.documents.tables.blocks import records_in
from manole.documents.tables.bookings import booking_table
from manole.documents.tables.delimited import delimited_table
from manole.documents.tables.model import Table, TableRow
from manole.documents.tables.pipes import pipe_tables
from manole.documents.tables.records import record_table

__all__ = ["Table", "TableRow", "read_tables", "records_in", "tables_in"]


def tables_in(lines: Sequence[TextLine], format_: str, path: str) -> list[Table]:
    """Return the tables of a file that are drawn, and those that are not (`blocks`)."""
    if format_ == "pdf":
        table = booking_table(lines, path)
        return [table] if table else []
    return [*read_tables(lines, format_), *records_in(lines, format_, path)]


def read_tables(lines: Sequence[TextLine], format_: str) -> list[Table]:
    """Return the tables among a file's `lines`, in their order.

    `format_` is the document's short format name. Blank lines may be missing; two lines whose
    numbers do not follow each other have a blank one between them. A row shorter than the header
    is padded with "", a longer one cut; rows without words are left out, and so are columns
    without words at the right edge, tables without rows, and tables of one column outside of CSV.
    Nothing raises: a broken file gives what can be read.
    """
    if format_ in RECORDS:
        table = record_table(lines, format_)
        return [] if table is None else [table]
    pages = [list(page) for _, page in groupby(lines, key=lambda line: line.page)]
    if format_ in DELIMITED:
        return [table for page in pages if (table := delimited_table(page, format_))]
    return [table for page in pages for table in pipe_tables(page, format_)]
