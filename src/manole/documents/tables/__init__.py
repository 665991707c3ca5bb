"""Tables of a file, from its lines as they are indexed: CSV and TSV, and Markdown pipe tables."""

from __future__ import annotations

from manole.documents.tables.model import Table, TableRow
from manole.documents.tables.read import read_tables

__all__ = ["Table", "TableRow", "read_tables"]
