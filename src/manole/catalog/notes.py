"""Fills the relations of what is marked inside texts: tasks, events, tags and properties.

They are filled in one go, when the first of them is asked for, as reading the texts is what takes
time; days that all prose speaks of are read apart.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import date

from manole.catalog.catalog import Catalog, Said
from manole.catalog.sandbox import Value
from manole.catalog.texts import WRITTEN, texts_of
from manole.documents.fields.model import TextLine
from manole.documents.notes.ahead import days_ahead
from manole.documents.notes.calendar import Event, events_in, todos_in
from manole.documents.notes.counted import counted_days
from manole.documents.notes.said import sentences_of
from manole.documents.notes.tags import properties_in, tags_in
from manole.documents.notes.tasks import Task, tasks_in, without_tasks
from manole.documents.notes.terms import Term, terms_in
from manole.index.store.records import FileRecord
from manole.library import Library
from manole.models.encode.days import purposes

_CALENDAR = "ics"
LETTERS = frozenset({"email", "pdf", "docx", "odt", "rtf", "doc", "html"})  # formats of prose
Row = tuple[Value, ...]
_SURE = 0.7  # share of a purpose from which it is told as sure: as many right as wrong below


async def fill_notes(catalog: Catalog, library: Library) -> None:
    """Fill `tasks`, `events`, `tags` and `properties` from the library's texts and calendars.

    Without a calendar, `events` are left to `fill_ahead`.
    """
    files = [f for f in catalog.files if f.format in WRITTEN or f.format == _CALENDAR]
    rows: dict[str, list[Row]] = {"tasks": [], "events": [], "tags": [], "properties": []}
    async for texts in texts_of(library, files):
        await asyncio.to_thread(_read, texts, rows)
    if not rows["events"]:
        del rows["events"]
    await asyncio.to_thread(catalog.fill_notes, rows)


async def fill_ahead(catalog: Catalog, library: Library) -> None:
    """Fill in what letters, mails and notes speak of before it comes; `events` without a calendar.

    All prose is read for that, so it waits until days are asked for.
    """
    files = [f for f in catalog.files if f.format in LETTERS | {"markdown", "text"}]
    ahead: list[Said] = []
    terms: list[tuple[str, Term]] = []
    async for texts in texts_of(library, files):
        for file, lines in texts:
            found, agreed = await asyncio.to_thread(_ahead, file, lines)
            ahead += found
            terms += ((file.path, term) for term in agreed)
    catalog.ahead, catalog.terms = ahead, terms
    rows = [_event(one.path, one.event) for one in ahead]
    await asyncio.to_thread(catalog.fill_notes, {"events": rows})


def _ahead(file: FileRecord, lines: list[TextLine]) -> tuple[list[Said], list[Term]]:
    """Return the days that a file speaks of before they come, and those that it agrees on."""
    said = sentences_of(without_tasks(lines))
    named = _told(file.path, days_ahead(lines, file.date or file.modified.date(), said))
    if file.date is not None:
        named += _told(file.path, counted_days(said, file.date, _days_by_purpose(named)))
    return named, terms_in(lines, said, file.date)


def _days_by_purpose(named: Iterable[Said]) -> dict[str, set[date]]:
    days: dict[str, set[date]] = {}
    for one in named:
        if one.event.date is not None:
            days.setdefault(one.purpose, set()).add(one.event.date)
    return days


def _told(path: str, events: Iterable[Event]) -> list[Said]:
    """Return what the days of a file are for, but for those that matter nothing."""
    every = list(events)
    told = purposes([event.asked for event in every])
    return [
        Said(path, event, purpose, event.sure and share >= _SURE)
        for event, (purpose, share) in zip(every, told, strict=True)
        if purpose != "none"
    ]


def _read(texts: Sequence[tuple[FileRecord, list[TextLine]]], rows: dict[str, list[Row]]) -> None:
    """Add the rows of these files."""
    for file, lines in texts:
        path, format_ = file.path, file.format or ""
        if format_ == _CALENDAR:
            rows["tasks"] += [_task(path, task) for task in todos_in(lines)]
            rows["events"] += [_event(path, event) for event in events_in(lines)]
        elif format_ in WRITTEN:
            rows["tasks"] += [_task(path, task) for task in tasks_in(lines, format_, path)]
            rows["tags"] += [(path, tag) for tag in tags_in(lines, format_)]
            rows["properties"] += [(path, key, value) for key, value in properties_in(lines)]


def _task(path: str, task: Task) -> Row:
    return (
        path, task.line, task.text, "done" if task.is_done else "open",
        task.due.isoformat() if task.due else None, task.done.isoformat() if task.done else None,
        ", ".join(task.tags) or None,
    )  # fmt: skip


def _event(path: str, event: Event) -> Row:
    return (
        path, event.page, event.line, event.title or None,
        event.date.isoformat() if event.date else None,
        event.ends.isoformat() if event.ends else None, event.start or None, event.place or None,
        event.people or None, event.notes or None,
    )  # fmt: skip
