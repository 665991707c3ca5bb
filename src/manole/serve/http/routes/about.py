"""What there is of somebody or something, without a model."""

from __future__ import annotations

import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from manole.agent.dossier.collect import LIMIT, MOST, dossier
from manole.agent.dossier.model import Part, Role
from manole.serve.http.base import Sent
from manole.serve.http.depends import AskedDep
from manole.serve.http.description import responses
from manole.text.question import Question
from manole.tools.base import TurnState

router = APIRouter(tags=["search"], responses=responses(400, 404, 409))


class AboutName(Sent):
    """A name, and how often it stands in the files."""

    name: str
    count: int


class AboutItem(Sent):
    """A line of a dossier, and its place."""

    day: datetime.date | None = None
    text: str
    file: str = Field(examples=["invoices/2024-11-28_invoice_boiler-service_TH-2024-311.pdf"])
    page: int | None = None
    line: int | None = None
    quote: str | None = Field(None, description="words that stand there")
    kind: str | None = Field(
        None, description="of a paper; of what is to come: pay, get, ends, cancel, task …"
    )
    role: Role = Field(description="whether the name sent it, got it, or is named in it")
    who: str | None = Field(None, description="whom it is from, or to if `sent`")
    sent: bool = Field(description="whether it went to `who`")
    amount: float | None = None
    currency: str | None = None
    status: str | None = Field(
        None, description="paid, open, overdue; done; null where nothing says it"
    )
    sure: bool = Field(description="false where the year is not written")


class AboutSection(Sent):
    """Items of one sort: the newest first, of what is to come the next first; `count` of all."""

    part: Part
    count: int
    items: list[AboutItem]


class AboutSum(Sent):
    """What invoices, bills and receipts of one role and currency add up to."""

    role: Role
    currency: str
    papers: int
    total: float
    paid: float
    open: float


class About(Sent):
    """A dossier. Without `places` nothing has the name, and `near` are names that are there."""

    name: str
    forms: list[AboutName] = Field(description="fuller names: several persons of one surname")
    near: list[AboutName] = Field(description="other names that are spelt alike")
    places: int
    files: int
    first: datetime.date | None = None
    last: datetime.date | None = None
    whole: bool = Field(description="false: a large library was searched, not read as a whole")
    summary: list[AboutItem] = Field(description="the sentences that say most")
    sums: list[AboutSum]
    sections: list[AboutSection]


@router.get("/about", summary="What there is of somebody or something")
async def about(
    opened: AskedDep,
    name: Annotated[
        str,
        Query(
            description="of whom or what",
            examples=["Thermaro"],
            max_length=200,
            json_schema_extra={"minLength": 1, "pattern": r"\S"},
        ),
    ],
    limit: Annotated[int, Query(ge=1, le=MOST, description="items of a section at most")] = LIMIT,
) -> About:
    """Gather papers, messages, diary entries, tasks, dates, rows and texts that name it."""
    state = TurnState(Question(name), opened.library, opened.library.settings)
    return About.model_validate((await dossier(state, name, limit)).to_json())
