"""Searches for passages and pages, without a model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from manole.catalog.kinds import extensions_of
from manole.index.search.duplicates import Find
from manole.index.store.records import FileRecord, Filters
from manole.serve.base import Sent
from manole.serve.http.depends import AskedDep, Since, Until
from manole.serve.http.description import responses
from manole.serve.shapes import hit_json, page_json
from manole.serve.snippets import Asked, snippet
from manole.text.question import Question
from manole.tools.objects import told

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


class Found(Sent):
    """A passage that fits."""

    file: str = Field(examples=["home/rental-contract.pdf"])
    page: int | None = None
    line: int | None = None
    line_end: int | None = None
    score: float = Field(description="how well it fits, 0 to 1")
    text: str
    also: list[str] = Field(description="other files that hold the same text")
    title: str | None = None
    date: str | None = Field(None, description="the document's own date")
    modified: str = Field(description="when the file was changed")
    format: str | None = Field(None, examples=["pdf"])
    snippet: str = Field(description="the sentences that fit, 300 characters at most")
    marks: list[tuple[int, int]] = Field(
        description="the query's words in the snippet: first character, and one after the last"
    )


class SearchResults(Sent):
    """Passages, the best first, or those with the latest date."""

    results: list[Found]
    query: str = Field(
        description="as it was searched for: a word that no file has may be spelt as another one is"
    )
    waiting: int = Field(description="passages without a vector yet: found by their words only")


class FoundLine(Sent):
    """A line that made a page fit."""

    text: str
    box: list[float] = Field(
        description="left, top, right, bottom as parts of the page",
        min_length=4,
        max_length=4,
        examples=[[0.1, 0.32, 0.41, 0.34]],
    )
    similarity: float


class FoundPage(Sent):
    """A page, or a picture (then without a number), that fits."""

    file: str = Field(examples=["home/boiler-thermaro-b24-manual.pdf"])
    page: int | None = None
    score: float = Field(description="how well it fits, 0 to 1")
    lines: list[FoundLine]


class PageResults(Sent):
    """Pages, the best first."""

    results: list[FoundPage]


@router.get("/search", summary="Find passages at once")
async def search(
    opened: AskedDep,
    q: Words,
    limit: Annotated[int, Query(ge=1, le=200, description="results at most")] = 10,
    path: Path = None,
    kind: Kind = None,
    since: Since = None,
    until: Until = None,
    sort: Annotated[
        Literal["relevance", "date"], Query(description="date: of what fits, the latest first")
    ] = "relevance",
) -> SearchResults:
    """Find the passages that fit best, as `manole search` does."""
    looked = await opened.search(q, limit, _filters(path, kind, since, until))
    asked = Asked(Question(looked.query), await opened.library.reading(looked.query))
    found = await asyncio.to_thread(_described, asked, looked.finds, await opened.library.files())
    if sort == "date":
        found.sort(key=lambda item: item.date or item.modified, reverse=True)
    return SearchResults(results=found, query=looked.query, waiting=looked.waiting)


@router.get("/search/pages", summary="Find pages and pictures at once")
async def search_pages(
    opened: AskedDep,
    q: Words,
    limit: Annotated[int, Query(ge=1, le=50, description="results at most")] = 10,
    path: Path = None,
    kind: Kind = None,
    since: Since = None,
    until: Until = None,
) -> PageResults:
    """Find the pages that fit best, by their text and by each line, and return these lines."""
    hits = await opened.search_pages(q, limit, _filters(path, kind, since, until))
    return PageResults(results=[FoundPage.model_validate(page_json(hit)) for hit in hits])


def _described(asked: Asked, hits: Sequence[Find], files: Sequence[FileRecord]) -> list[Found]:
    """Add to each result what is known of its file, and the sentences that fit."""
    formats = {file.id: file.format for file in files}
    found = []
    for hit in hits:
        passage = hit.passage
        shown = snippet(told(passage)[0], asked)
        modified = datetime.fromtimestamp(passage.mtime_ns / 1e9).astimezone()
        found.append(
            Found(
                **hit_json(hit),
                line_end=passage.line_end,
                title=passage.title,
                date=passage.date.isoformat() if passage.date else None,
                modified=modified.isoformat(timespec="seconds"),
                format=formats.get(passage.file_id),
                snippet=shown.text,
                marks=list(shown.marks),
            )
        )
    return found


def _filters(path: str | None, kind: str | None, since: date | None, until: date | None) -> Filters:
    return Filters(
        within=(path,) if path else (),
        extensions=extensions_of(kind) if kind else (),
        date_from=since,
        date_to=until,
    )
