"""What is due, as JSON and as a calendar."""

from __future__ import annotations

import asyncio
from datetime import date as Date  # noqa: N812  (as in other routes)
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import Field

from manole.agent.due import MOST, USUAL, calendar
from manole.serve.http.base import Sent
from manole.serve.http.depends import AskedDep, Day
from manole.serve.http.description import responses

router = APIRouter(tags=["files"], responses=responses(404, 409))
Days = Annotated[int, Query(ge=1, le=MOST, description="days ahead that are looked at")]
Today = Annotated[Day, Query(description="the day that they are counted from; else today")]


class DueHow(Sent):
    """What a day was computed from: `count` of `unit` from, or before, `day`."""

    of: Literal["ends", "begins", "bought", "written", "yearly"] = Field(
        description="what `day` is: an end, a beginning, a purchase, the day of a letter"
    )
    day: Date
    count: int | None = None
    unit: str | None = Field(None, examples=["months"])
    yearly: bool = Field(description="it comes each year")


class DueItem(Sent):
    """Something that is due."""

    day: Date
    time: str | None = Field(None, examples=["09:15"])
    kind: Literal["pay", "get", "ends", "renews", "cancel", "task", "event", "said"]
    when: Literal["past", "soon", "later", "unsure"] = Field(
        description="past and not known to be done, within 30 days, later, without a written year"
    )
    text: str = Field(description="what for, or who is to be paid, or pays")
    amount: float | None = None
    currency: str | None = Field(None, examples=["EUR"])
    how: DueHow | None = None
    sure: bool = Field(description="whether the year is written")
    file: str = Field(examples=["invoices/painter.pdf"])
    page: int | None = None
    line: int | None = None
    quote: str | None = Field(None, description="the words that say so")


class DueList(Sent):
    """What is due, in order of the days, and how much there is of each `when`."""

    today: Date
    days: int
    counts: dict[Literal["past", "soon", "later", "unsure"], int]
    due: list[DueItem]


@router.get("/due", summary="What is due")
async def what_is_due(opened: AskedDep, days: Days = USUAL, today: Today = None) -> DueList:
    """List payments, days to cancel, ends, tasks and appointments, each with its source."""
    return DueList.model_validate(await opened.due(days, today))


@router.get("/due.ics", summary="What is due, as a calendar", response_class=Response)
async def calendar_of_due(opened: AskedDep, days: Days = USUAL, today: Today = None) -> Response:
    """Return the same as a calendar (RFC 5545), in the language that is asked for."""
    text = await asyncio.to_thread(calendar, await opened.found_due(days, today))
    named = {"content-disposition": 'attachment; filename="due.ics"'}
    return Response(text, media_type="text/calendar; charset=utf-8", headers=named)
