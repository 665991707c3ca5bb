"""Queries as the typed values LanceDB takes: a `Filters` as an expression, words as a match.

Nothing here is text in a query language, so no file name and no question can mean more than itself.
"""

from __future__ import annotations

from functools import reduce
from operator import and_, or_
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
    prefix = (filters.path_prefix or "").removeprefix("./").strip("/")
    if prefix and prefix != ".":
        terms.append(reduce(or_, (_at_or_below(stored) for stored in _stored(prefix))))
    if filters.paths:
        terms.append(
            col("path").isin([stored for path in filters.paths for stored in _stored(path)])
        )
    if filters.extensions:
        terms.append(col("extension").isin([rows.pack(item) for item in filters.extensions]))
    if filters.date_from:
        terms.append(col("day") >= lit(filters.date_from))
    if filters.date_to:
        terms.append(col("day") <= lit(filters.date_to))
    if not terms:
        return None
    return reduce(and_, terms)


def _at_or_below(prefix: str) -> Expr:
    # "0" is the character after "/": all that begins with "prefix/" lies between the two.
    below = (col("path") >= lit(f"{prefix}/")) & (col("path") < lit(f"{prefix}0"))
    return (col("path") == lit(prefix)) | below


def _stored(path: str) -> list[str]:
    """How the index may have a path: as it is, and with bytes that are no text written out."""
    return list(dict.fromkeys((rows.pack(path), rows.pack(readable(path)))))
