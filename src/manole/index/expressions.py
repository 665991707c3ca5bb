"""Queries as the typed values LanceDB takes: a `Filters` as an expression, words as a match.

Nothing here is text in a query language, so no file name and no question can mean more than itself.
"""

from __future__ import annotations

from typing import Any

from lancedb.expr import Expr, col, lit
from lancedb.query import MatchQuery

from manole.documents.scan import readable
from manole.index import rows
from manole.index.store import Filters

# Its optional fields are pydantic's, which the type checker takes for required.
match_query: Any = MatchQuery


def expression(filters: Filters) -> Expr | None:
    """`filters` as a typed expression over the passages table; `None` when nothing restricts."""
    terms = []
    prefix = _stored((filters.path_prefix or "").removeprefix("./").strip("/"))
    if prefix and prefix != ".":
        # "0" is the character after "/": all that begins with "prefix/" lies between the two.
        below = (col("path") >= lit(f"{prefix}/")) & (col("path") < lit(f"{prefix}0"))
        terms.append((col("path") == lit(prefix)) | below)
    if filters.paths:
        terms.append(col("path").isin([_stored(path) for path in filters.paths]))
    if filters.extensions:
        terms.append(col("extension").isin([rows.pack(item) for item in filters.extensions]))
    if filters.date_from:
        terms.append(col("day") >= lit(filters.date_from))
    if filters.date_to:
        terms.append(col("day") <= lit(filters.date_to))
    if not terms:
        return None
    combined = terms[0]
    for term in terms[1:]:
        combined = combined & term
    return combined


def _stored(path: str) -> str:
    """A path as the index has it: a person may type a name's own bytes."""
    return rows.pack(readable(path))
