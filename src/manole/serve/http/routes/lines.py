"""Lines with a pattern, and sentences that are checked: without a model."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from manole.agent.check import MOST as LONGEST
from manole.agent.check import check as checked
from manole.catalog.grep import MOST
from manole.catalog.grep import grep as found_lines
from manole.index.search.scope import Scope
from manole.serve.answers import CheckedText, FoundLines
from manole.serve.answers import found_lines as listed
from manole.serve.base import Asked
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
    return listed(found, count=count)


class CheckRequest(Asked):
    """Sentences to check."""

    text: str = Field(max_length=LONGEST, examples=["The notice period is two months."])
    library: str | None = Field(None, pattern=r"^[\w-]+$", description="a name of GET /libraries")
    path: str | None = Field(None, max_length=1000, description="only this folder or file")
    today: date | None = Field(None, description='the day that "last month" counts from')


@router.post("/check", summary="Check sentences: stated, contradicted, or not found")
async def check(asked: CheckRequest, service: ServiceDep) -> CheckedText:
    """Look up each sentence, as `manole check` does; no model writes anything."""
    opened = await indexed_library(service, asked.library)
    scope = Scope((asked.path,) if asked.path else ())
    found = await checked(opened.library, asked.text, asked.today or date.today(), scope)
    return CheckedText.model_validate({"sentences": found})
