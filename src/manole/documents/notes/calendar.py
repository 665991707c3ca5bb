"""The events and the tasks of a calendar, as `documents/components.py` writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from manole.documents.fields.model import TextLine
from manole.documents.notes.tasks import Task
from manole.documents.tables.records import components
from manole.text.lengths import Length

_GIVEN_UP = "CANCELLED"
Day = date  # `Event.date` hides the type in its own class


@dataclass(frozen=True, slots=True)
class Counted:
    """How a day was counted: so long before the end of something, or from what was `written`."""

    of: Literal["ends", "written"]
    day: date
    length: Length


@dataclass(frozen=True, slots=True)
class Event:
    """An event and its 1-based line, on a page where its file has pages.

    `date` is its first day, `None` if none is written that exists; `ends` the last one. `start` is
    a time of day, `HH:MM`, and "" for a whole day. `people` organize it or take
    part. `asked`: what tells the purpose of a sentence's day, not `sure` without a year;
    `counted` tells how the day was, if it was.
    """

    line: int
    title: str
    date: Day | None
    ends: Day | None
    start: str
    place: str
    people: str
    notes: str
    page: int | None = None
    asked: str = ""
    sure: bool = True
    counted: Counted | None = None


def events_in(lines: Sequence[TextLine]) -> list[Event]:
    """Return the events of a calendar, but for cancelled ones, in their order. Nothing raises."""
    return [
        _event(line, cells)
        for line, _, cells in components(lines, {"Event"})
        if cells.get("status", "").upper() != _GIVEN_UP
    ]


def todos_in(lines: Sequence[TextLine]) -> list[Task]:
    """Return the tasks of a calendar, but for cancelled ones, in their order. Nothing raises."""
    found = []
    for line, _, cells in components(lines, {"Task"}):
        status = cells.get("status", "").upper()
        done = _moment(cells.get("completed", ""))
        is_done = status == "COMPLETED" or (not status and done is not None)
        if status != _GIVEN_UP and (title := cells.get("title", "")):
            due = _moment(cells.get("due", ""))
            tags = tuple(filter(None, re.split(r",\s*", cells.get("categories", ""))))
            on = done.date() if done and is_done else None
            found.append(Task(line, title, is_done, due.date() if due else None, on, tags))
    return found


def _event(line: int, cells: Mapping[str, str]) -> Event:
    starts, ends = cells.get("starts", ""), cells.get("ends", "")
    begin, end = _moment(starts), _moment(ends)
    return Event(
        line,
        cells.get("title", ""),
        begin.date() if begin else None,
        end.date() if end else begin.date() if begin else None,
        starts[11:16] if begin else "",
        cells.get("location", ""),
        cells.get("people", ""),
        cells.get("notes", ""),
    )


def _moment(written: str) -> datetime | None:
    """Return a moment as it is written there; `None` if there is no such day."""
    try:
        return datetime.fromisoformat(written[:16])
    except ValueError:
        return None
