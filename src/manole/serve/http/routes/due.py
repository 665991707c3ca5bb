"""What is due, as JSON and as a calendar."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Response

from manole.agent.due import MOST, USUAL, calendar
from manole.serve.answers import DueList
from manole.serve.http.depends import AskedDep, Day
from manole.serve.http.description import responses

router = APIRouter(tags=["files"], responses=responses(404, 409))
Days = Annotated[int, Query(ge=1, le=MOST, description="days ahead that are looked at")]
Today = Annotated[Day, Query(description="the day that they are counted from; else today")]


@router.get("/due", summary="What is due")
async def what_is_due(opened: AskedDep, days: Days = USUAL, today: Today = None) -> DueList:
    """List payments, days to cancel, ends, tasks and appointments, each with its source."""
    return await opened.due(days, today)


@router.get("/due.ics", summary="What is due, as a calendar", response_class=Response)
async def calendar_of_due(opened: AskedDep, days: Days = USUAL, today: Today = None) -> Response:
    """Return the same as a calendar (RFC 5545), in the language that is asked for."""
    text = await asyncio.to_thread(calendar, await opened.found_due(days, today))
    named = {"content-disposition": 'attachment; filename="due.ics"'}
    return Response(text, media_type="text/calendar; charset=utf-8", headers=named)
