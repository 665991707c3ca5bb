"""The keyword router: which tool a question needs, without a model (seeds 000 and 004).

A question is cut into clauses; each becomes one `Route`. A route is *sure* when the clause is
about files themselves, a pattern matched, and nothing in it is left unexplained: every content
word is a file type, a period, a folder, or part of a file's name in this library. "How many PDFs
mention Berlin?" is therefore not sure, and "How many points did they score?" is a question about
contents. A clause without any word for files goes to `semantic_search`, which is sure too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from manole.agent.understanding.clause import understand
from manole.agent.understanding.rules import RULES, Route
from manole.index.store import FileRecord

__all__ = ["Route", "content", "route"]

_BACK = re.compile(
    r"\b(it|its|it's|that one|this one|that file|this file|that document|they|them|their|those|"
    r"these|the (?:file|document)|daraus|davon|darin)\b"
)
_CLAUSES = re.compile(
    r"\?\s+|;\s*|,?\s+\b(?:and|und)\s+(?:then\s+)?"
    r"(?=(?:(?:in|at|for|from|on|by|to) (?:what|which|whom)|what|which|how|when|where|who|list|"
    r"show|tell|give|find|is|are|do|does|was|wie|was|wann|wer|welche)\b)|\bthen\s+(?=\w)"
)


_BEST = (  # what decides, what it sorts by, whether the least comes first
    (r"\b(newest|latest|most recent|neuest\w*)\b", "document_date", False),
    (r"\b(oldest|earliest|ältest\w*)\b", "document_date", True),
    (r"\b(largest|biggest|größt\w*)\b", "size", False),
    (r"\b(smallest|kleinst\w*)\b", "size", True),
)


def route(question: str, files: Sequence[FileRecord], today: date) -> list[Route]:
    """One route a clause, in order. Never empty."""
    parts = [p.strip(" ,?.!") for p in _CLAUSES.split(question) if p and p.strip(" ,?.!")]
    routes: list[Route] = []
    for part in parts or [question.strip()]:
        found = _route_clause(part, files, today)
        among = _superlative_only(part)
        if among and routes and (best := _best_of(part, routes[-1])) is not None:
            routes.append(best)
            continue
        if routes and (among or _BACK.search(part.lower())):
            found = replace(found, refers_back=True, among=among)
        routes.append(found)
    return _merge(routes, question)


def _superlative_only(part: str) -> bool:
    """`which one is the largest?` speaks of what was found before."""
    return bool(re.search(r"\b(which|what|welche[rs]?) (one|ones|of them)\b", part.lower()))


def _best_of(part: str, before: Route) -> Route | None:
    """`which of them is the newest?` of the files that were just counted or listed."""
    if before.tool not in {"count_files", "list_files"} or not before.sure:
        return None
    words = part.lower()
    found = next(((by, up) for pattern, by, up in _BEST if re.search(pattern, words)), None)
    if found is None:
        return None
    kept = {k: v for k, v in before.inputs.items() if k not in {"sort_by", "order", "limit"}}
    order = {"order": "ascending"} if found[1] else {}
    inputs = {**kept, "sort_by": found[0], **order, "limit": 1}
    return Route("list_files", inputs, "asks for the first of them", clause=part)


def _merge(routes: list[Route], question: str) -> list[Route]:
    """Clauses that are all about contents are one search with the whole question."""
    if len(routes) > 1 and all(r.tool == "semantic_search" for r in routes):
        return [content(question)]
    return routes


def _route_clause(text: str, files: Sequence[FileRecord], today: date) -> Route:
    clause = understand(text, files, today)
    for rule in RULES:
        found = rule(clause)
        if found is not None:
            return Route(found.tool, found.inputs, found.reasoning, found.sure, clause=text)
    if clause.file_words or clause.kind:
        return Route("semantic_search", {"query": text}, "no pattern fits", sure=False, clause=text)
    return content(text)


def content(text: str) -> Route:
    """A search: the question asks what stands in the files."""
    return Route("semantic_search", {"query": text}, "asks what stands in the files", clause=text)
