"""The days that matter: what is to be paid, answered, cancelled or done, each with its source.

They come from papers (due, ends, the last day to cancel before an end), open tasks, calendars, and
sentences of letters and mails that speak of a day before it comes. Nothing is asked of a model.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from manole.agent.plan.open_catalog import filled
from manole.catalog.owner import Owner
from manole.catalog.relations import EVENTS
from manole.catalog.sandbox import Value
from manole.text.date_words import UNIT_OF
from manole.text.numbers import COUNTS, count_of
from manole.text.spans import step
from manole.text.words import stems, words
from manole.tools.base import TurnState

Kind = Literal["pay", "get", "ends", "cancel", "task", "event", "said"]
_PAST = 92  # days back for which what is still open is told; set by hand
_PAPERS = (
    "SELECT path, page, line, quote, issuer, recipient, total, currency, due, ends, "
    "notice, status FROM papers"
)
_TASKS = "SELECT path, line, text, due FROM tasks WHERE status = 'open' AND due IS NOT NULL"
_EVENTS = "SELECT path, page, line, title, date, start, place FROM events WHERE date IS NOT NULL"


@dataclass(frozen=True, slots=True)
class Due:
    """Something that is due on `day`.

    `sure` is false where the text leaves out the year. `how` says what a day was computed from.
    """

    day: date
    kind: Kind
    text: str
    file: str
    page: int | None = None
    line: int | None = None
    quote: str = ""
    time: str = ""
    how: str = ""
    sure: bool = True

    def to_json(self) -> dict[str, object]:
        """Return it for programs; `day` is ISO 8601."""
        return {
            "day": self.day.isoformat(), "time": self.time or None, "kind": self.kind,
            "text": self.text, "how": self.how or None, "sure": self.sure, "file": self.file,
            "page": self.page, "line": self.line, "quote": self.quote or None,
        }  # fmt: skip


async def due(state: TurnState, days: int) -> list[Due]:
    """Return what is due within so many days from today, and what is past and still open."""
    today = state.question.today
    catalog = await filled(state, {"papers", "tasks", "events"})

    def read() -> list[Due]:
        papers = [*_of_papers(_rows(*catalog.run(_PAPERS, None)), today, catalog.owner())]
        tasks = [*_of_tasks(_rows(*catalog.run(_TASKS, None)))]
        events = [*_of_events(_rows(*catalog.run(_EVENTS, None)))]
        said = [*_of_events(_rows(list(EVENTS.columns), catalog.ahead), "said")]
        known = [*papers, *tasks, *(one for one in events if one.file.endswith(".ics"))]
        return [*known, *_unlike(said, known)]

    found = await asyncio.to_thread(read)
    last, first = today + timedelta(days=days), today - timedelta(days=_PAST)
    open_ = {"pay", "get", "task"}
    kept = (d for d in found if d.day <= last and (d.day >= today or d.kind in open_))
    return sorted(
        (d for d in kept if d.day >= first), key=lambda d: (d.day, d.time, d.file, d.line or 0)
    )


def _rows(names: list[str], rows: Iterable[tuple[Value, ...]]) -> Iterator[Mapping[str, Value]]:
    for row in rows:
        yield dict(zip(names, row, strict=True))


def _day(value: Value) -> date | None:
    try:
        return date.fromisoformat(str(value)) if value else None
    except ValueError:
        return None


def _at(row: Mapping[str, Value], day: date, kind: Kind, text: str) -> Due:
    """Return what is due on a day, with the place and words of a row."""
    page, line = row.get("page"), row.get("line")
    quote = row.get("quote") or row.get("title") or row.get("text")
    return Due(
        day,
        kind,
        text,
        str(row["path"]),
        page if isinstance(page, int) else None,
        line if isinstance(line, int) else None,
        str(quote or ""),
    )


def _of_papers(
    rows: Iterable[Mapping[str, Value]], today: date, owner: Owner | None
) -> Iterator[Due]:
    for row in rows:
        who = str(row["issuer"] or "")
        pays: Kind = "pay"
        if owner is not None and owner.is_named(who):
            pays, who = "get", str(row["recipient"] or "")
        day = _day(row["due"])
        if day is not None and row["status"] != "paid" and (row["status"] or day >= today):
            amount = f"{row['total']:,.2f} {row['currency'] or ''}" if row["total"] else ""
            yield _at(row, day, pays, ", ".join(filter(None, (amount.strip(), who))))
        if (ends := _day(row["ends"])) is None:
            continue
        yield _at(row, ends, "ends", who)
        notice = str(row["notice"] or "")
        if (last := _before(ends, notice)) is not None:
            yield replace(_at(row, last, "cancel", who), how=f"ends {ends.isoformat()}; {notice}")


def _before(end: date, notice: str) -> date | None:
    """Return the day that lies a time of notice ("3 months") before an end."""
    said = words(notice)
    unit = next((UNIT_OF[word] for word in said if word in UNIT_OF), None)
    count = next((word for word in said if word.isdigit() or word in COUNTS), "")
    if unit is None or not count:
        return None
    try:
        return step(end, unit, -count_of(count))
    except (ValueError, OverflowError):
        return None


def _of_tasks(rows: Iterable[Mapping[str, Value]]) -> Iterator[Due]:
    for row in rows:
        if (day := _day(row["due"])) is not None:
            yield _at(row, day, "task", str(row["text"]))


def _of_events(rows: Iterable[Mapping[str, Value]], kind: Kind = "event") -> Iterator[Due]:
    for row in rows:
        if (day := _day(row["date"])) is not None:
            title, where = str(row["title"] or ""), str(row["place"] or "")
            sure = kind == "event" or bool(re.search(rf"{day.year}|{day:%d.%m.%y}", title))
            one = _at(row, day, kind, ", ".join(filter(None, (title, where))))
            yield replace(one, time=str(row["start"] or ""), sure=sure)


def _unlike(said: Iterable[Due], known: Iterable[Due]) -> Iterator[Due]:
    """Yield what sentences say that nothing else says of the same day."""
    by_day: dict[date, list[Due]] = {}
    for one in known:
        by_day.setdefault(one.day, []).append(one)
    for one in said:
        own = stems(one.text)
        others = by_day.setdefault(one.day, [])
        if not any(_is_same(one, own, other) for other in others):
            others.append(one)
            yield one


def _is_same(one: Due, own: frozenset[str], other: Due) -> bool:
    """Return whether two things of one day are one: said twice, or at the same time."""
    at_once = bool(one.time) and one.time == other.time
    return at_once or one.file == other.file or len(own & stems(other.text)) > 1
