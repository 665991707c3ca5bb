"""The events and the tasks of a calendar file (RFC 5545), as they are indexed.

Times are those that are written, without their zone. An event that is repeated is one event, with
its first day. The end of a whole day is written as the day after it, and read as its own last day.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from manole.documents.fields.model import TextLine
from manole.documents.notes.tasks import Task
from manole.documents.tables.records import components

_DURATION = re.compile(r"P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?.*)?")
_GIVEN_UP = "CANCELLED"
Day = date  # `Event.date` hides the type in its own class


@dataclass(frozen=True, slots=True)
class Event:
    """An event and its 1-based line.

    `date` is its first day, `None` if none is written that exists; `ends` the last one. `start` is
    a time of day, `HH:MM`, and "" for a whole day. `people` organize it or take
    part.
    """

    line: int
    title: str
    date: Day | None
    ends: Day | None
    start: str
    place: str
    people: str


def events_in(lines: Sequence[TextLine]) -> list[Event]:
    """Return the events of a calendar, but for cancelled ones, in their order. Nothing raises."""
    return [
        _event(line, cells)
        for line, _, cells in components(lines, {"VEVENT"})
        if cells.get("status", "").upper() != _GIVEN_UP
    ]


def todos_in(lines: Sequence[TextLine]) -> list[Task]:
    """Return the tasks of a calendar, but for cancelled ones, in their order. Nothing raises."""
    found = []
    for line, _, cells in components(lines, {"VTODO"}):
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
    starts, ends = _moment(cells.get("starts", "")), _moment(cells.get("ends", ""))
    clock = cells.get("starts", "")[11:16] if starts else ""
    if starts and not ends:
        ends = _after(starts, cells.get("duration", ""))
    if starts and ends and ends > starts and not clock:
        ends -= timedelta(days=1)
    host, guests = cells.get("organizer", ""), cells.get("attendee", "")
    return Event(
        line,
        cells.get("title", ""),
        starts.date() if starts else None,
        ends.date() if ends else None,
        clock,
        cells.get("location", ""),
        guests if host in guests else ", ".join(filter(None, (host, guests))),
    )


def _moment(written: str) -> datetime | None:
    """Return a moment as `tables/records.py` writes it; `None` if there is no such day."""
    try:
        return datetime.fromisoformat(written[:16])
    except ValueError:
        return None


def _after(starts: datetime, duration: str) -> datetime:
    """Return the end of an event of this duration, such as `P3D` or `PT1H30M`."""
    match = _DURATION.fullmatch(duration)
    weeks, days, hours, minutes = (int(part or 0) for part in match.groups()) if match else (0,) * 4
    try:
        return starts + timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes)
    except OverflowError:
        return starts
