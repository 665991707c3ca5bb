"""Queries as the typed values of LanceDB: expressions for `Filters`, matches for words.

Nothing here is text in a query language, so a file name or a question is never read as a command.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any

from lancedb.expr import Expr, col, lit
from lancedb.query import BooleanQuery, MatchQuery, Occur

from manole.documents.opened import SEPARATOR
from manole.documents.scan import readable
from manole.index.store import rows
from manole.index.store.records import Filters

PATHS = 100  # of one query, set by hand: an expression is as deep as it has terms
# Its optional fields are pydantic's, which the type checker takes for required.
match_query: Any = MatchQuery
RELATED = 0.75  # weight of a compound or a part of a word, beside the word; set by hand
STEPS = 8  # into which these weights are rounded: terms of one weight are one query


def expression(filters: Filters) -> Expr | None:
    """Return `filters` as an expression over the passages table; `None` if nothing restricts."""
    terms = []
    if places := filters.places:
        stored = (form for place in places for form in _stored(place))
        terms.append(reduce(or_, map(_at_or_below, stored)))
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


def terms_query(
    exact: Sequence[str], related: Sequence[tuple[str, float]], column: str
) -> Any | None:
    """Return a match of any of these terms, `related` ones weighted; `None` without terms."""
    groups: dict[float, list[str]] = {1.0: list(exact)} if exact else {}
    for term, weight in related:
        step = max(1, round(STEPS * weight)) / STEPS * RELATED
        groups.setdefault(step, []).append(term)
    parts = [match_query(" ".join(words), column, boost=at) for at, words in groups.items()]
    if len(parts) < 2:
        return parts[0] if parts else None
    return BooleanQuery([(Occur.SHOULD, part) for part in parts])


def slips_query(terms: Sequence[str], column: str) -> Any | None:
    """Return a match of terms one slip from one of these: one letter, or neighbours exchanged.

    An exchange counts as two letters for the store, so each is a term of its own.
    """
    if not terms:
        return None
    changed = {
        term[:at] + term[at + 1] + term[at] + term[at + 2 :]
        for term in terms
        for at in range(1, len(term) - 1)
    }
    near = match_query(" ".join(terms), column, fuzziness=1, prefix_length=1)
    exchanged = match_query(" ".join(sorted(changed)), column)
    return BooleanQuery([(Occur.SHOULD, near), (Occur.SHOULD, exchanged)])


def within(places: Mapping[str, Sequence[str]]) -> Iterator[Expr]:
    """Yield conditions for what is at or below these paths of each root ("" is all of it)."""
    for root, paths in places.items():
        here = col("root") == lit(rows.pack(root))
        if "" in paths:
            yield here
            continue
        for at in range(0, len(paths), PATHS):
            terms = [_at_or_below(rows.pack(path)) for path in paths[at : at + PATHS]]
            yield here & reduce(or_, terms)


def _at_or_below(prefix: str) -> Expr:
    # Of a beginning with its last character and the next one: all that begins so lies between.
    inner = f"{prefix}{SEPARATOR}"
    below = _from_to(f"{prefix}/", f"{prefix}0") | _from_to(inner, f"{inner[:-1]}!")
    return (col("path") == lit(prefix)) | below


def _from_to(first: str, end: str) -> Expr:
    return (col("path") >= lit(first)) & (col("path") < lit(end))


def _stored(path: str) -> list[str]:
    """Return the forms in which the index may have a path: as it is, and as `readable`."""
    return list(dict.fromkeys((rows.pack(path), rows.pack(readable(path)))))
