"""Passages and pages, without a model."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query

from manole.index.store import Filters
from manole.serve.http.depends import AskedDep
from manole.serve.http.description import responses
from manole.serve.http.models import Found, FoundPage, PageResults, SearchResults
from manole.serve.shapes import hit_json, page_json
from manole.tools.kinds import extensions_of

router = APIRouter(tags=["search"], responses=responses(400, 404, 409))

Words = Annotated[
    str,
    Query(
        description="words, or a question",
        examples=["notice period"],
        max_length=4000,
        json_schema_extra={"minLength": 1, "pattern": r"\S"},
    ),
]
Path = Annotated[str | None, Query(max_length=1000, description="only this folder or file")]
Kind = Annotated[
    str | None, Query(alias="type", max_length=50, description="pdf, images, spreadsheets, ...")
]
Since = Annotated[date | None, Query(description="dated on or after this day")]
Until = Annotated[date | None, Query(description="dated on or before this day")]


@router.get("/search", summary="Find passages at once")
async def search(
    room: AskedDep,
    q: Words,
    limit: Annotated[int, Query(ge=1, le=200, description="results at most")] = 10,
    path: Path = None,
    kind: Kind = None,
    since: Since = None,
    until: Until = None,
) -> SearchResults:
    """The passages that fit best, as `manole search` finds them."""
    hits = await room.search(q, limit, _filters(path, kind, since, until))
    return SearchResults(results=[Found(**hit_json(hit)) for hit in hits])


@router.get("/search/pages", summary="Find pages and pictures at once")
async def search_pages(
    room: AskedDep,
    q: Words,
    limit: Annotated[int, Query(ge=1, le=50, description="results at most")] = 10,
    path: Path = None,
    kind: Kind = None,
    since: Since = None,
    until: Until = None,
) -> PageResults:
    """The pages that fit best, by their text and by each line, and which lines these are."""
    hits = await room.search_pages(q, limit, _filters(path, kind, since, until))
    return PageResults(results=[FoundPage.model_validate(page_json(hit)) for hit in hits])


def _filters(path: str | None, kind: str | None, since: date | None, until: date | None) -> Filters:
    return Filters(
        path_prefix=(path or "").strip("/") or None,
        extensions=extensions_of(kind) if kind else (),
        date_from=since,
        date_to=until,
    )
