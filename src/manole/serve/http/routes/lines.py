"""Lines with a pattern, and sentences that are checked: without a model."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from manole.agent.check import MOST as LONGEST
from manole.agent.check import check as checked
from manole.catalog.grep import MOST
from manole.catalog.grep import grep as found_lines
from manole.index.search.scope import Scope
from manole.serve.http.base import Asked, Sent
from manole.serve.http.depends import (
    AskedDep,
    Limit,
    Offset,
    ServiceDep,
    Since,
    Until,
    indexed_library,
)
from manole.serve.http.description import responses
from manole.serve.http.routes.search import Path
from manole.text.line_matching import LinePattern

router = APIRouter(tags=["search"], responses=responses(400, 404, 409))


class FoundLine(Sent):
    """A line with the pattern, or two where it goes on over the line's end."""

    file: str = Field(examples=["home/rental-contract.pdf"])
    page: int | None = None
    line: int
    line_end: int
    text: str = Field(description="some 400 characters around the first mark")
    marks: list[tuple[int, int]] = Field(
        description="the pattern in the text: first character, and one after the last"
    )


class LinesOfFile(Sent):
    """How many lines of a file have the pattern."""

    file: str
    lines: int


class FoundLines(Sent):
    """Lines in the order of the files' paths; `total` is the number of all, in so many `files`."""

    lines: list[FoundLine] = Field([], description="in the order of the files' paths")
    counts: list[LinesOfFile] = Field([], description="with `count`, instead of the lines")
    offset: int = 0
    next_offset: int | None = Field(None, description="where to read on; null at the end")
    total: int
    files: int
    searched: int = Field(description="files with text that were looked at")
    stopped: list[str] = Field(description="files in which an expression took too long")
    left: int = Field(description="files not looked at, because all took too long")


@router.get("/grep", summary="Find every line with a word, a phrase or an expression")
async def grep(
    opened: AskedDep,
    q: Annotated[
        str,
        Query(
            description="a word or a phrase, or an expression",
            examples=["notice period"],
            max_length=MOST,
            json_schema_extra={"minLength": 1, "pattern": r"\S"},
        ),
    ],
    regex: Annotated[bool, Query(description="a regular expression, as Python has them")] = False,
    case: Annotated[
        bool | None, Query(description="capitals and accents as written; else only of expressions")
    ] = None,
    word: Annotated[bool, Query(description="whole words only")] = False,
    path: Path = None,
    since: Since = None,
    until: Until = None,
    count: Annotated[bool, Query(description="the number of each file's lines instead")] = False,
    limit: Limit = 50,
    offset: Offset = 0,
) -> FoundLines:
    """Find lines in all that was read, as `manole grep` does."""
    pattern = LinePattern(q, regex, regex if case is None else case, word)
    scope = Scope((path,) if path else (), since, until)
    found = await found_lines(opened.library, pattern, scope, limit=limit, offset=offset)
    return FoundLines.model_validate(found.to_json(count=count))


class CheckRequest(Asked):
    """Sentences to check."""

    text: str = Field(max_length=LONGEST, examples=["The notice period is two months."])
    library: str | None = Field(None, pattern=r"^[\w-]+$", description="a name of GET /libraries")
    path: str | None = Field(None, max_length=1000, description="only this folder or file")
    today: date | None = Field(None, description='the day that "last month" counts from')


class Differs(Sent):
    """What a sentence says, and what its source says instead."""

    said: str
    source: str


class CheckedSentence(Sent):
    """A sentence; the source is of one not found the nearest passage, if any is near."""

    sentence: str
    verdict: Literal["stated", "contradicted", "not found"]
    quote: str | None
    file: str | None
    page: int | None
    line: int | None
    differs: Differs | None


class CheckedText(Sent):
    """Each sentence that states something, in order."""

    sentences: list[CheckedSentence]


@router.post("/check", summary="Check sentences: stated, contradicted, or not found")
async def check(asked: CheckRequest, service: ServiceDep) -> CheckedText:
    """Look up each sentence, as `manole check` does; no model writes anything."""
    opened = await indexed_library(service, asked.library)
    scope = Scope((asked.path,) if asked.path else ())
    found = await checked(opened.library, asked.text, asked.today or date.today(), scope)
    return CheckedText(sentences=[CheckedSentence(**one.to_json()) for one in found])
