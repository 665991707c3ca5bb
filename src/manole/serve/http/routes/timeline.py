"""The dated files of a library, day by day."""

from __future__ import annotations

from datetime import date as Date  # noqa: N812  (a field is called date)
from itertools import groupby

from fastapi import APIRouter

from manole.serve.base import Sent
from manole.serve.http.depends import IndexedDep, Limit, Offset, Since, Until
from manole.serve.http.description import responses

router = APIRouter(prefix="/libraries", tags=["libraries"], responses=responses(404, 409))


class TimelineFile(Sent):
    """A dated file."""

    file: str
    title: str | None = None
    format: str | None = None


class TimelineDay(Sent):
    """The files of one day."""

    date: Date
    files: list[TimelineFile]


class Timeline(Sent):
    """Days, the latest first. `total` files have a date within; `undated` ones have none at all."""

    days: list[TimelineDay]
    total: int
    undated: int


@router.get("/{name}/timeline", summary="The dated files, the latest first")
async def timeline(
    opened: IndexedDep,
    since: Since = None,
    until: Until = None,
    limit: Limit = 200,
    offset: Offset = 0,
) -> Timeline:
    """List files by the documents' own dates, not by when they were changed.

    `limit` files at most; the last day may be cut short, and `offset` reads on.
    """
    files = await opened.library.files()
    dated = [
        (file.date, file)
        for file in files
        if file.date and (not since or file.date >= since) and (not until or file.date <= until)
    ]
    dated.sort(key=lambda item: -item[0].toordinal())
    days = groupby(dated[offset : offset + limit], key=lambda item: item[0])
    return Timeline(
        days=[
            TimelineDay(
                date=day,
                files=[
                    TimelineFile(file=file.path, title=file.title, format=file.format)
                    for _, file in found
                ],
            )
            for day, found in days
        ],
        total=len(dated),
        undated=sum(file.date is None for file in files),
    )
