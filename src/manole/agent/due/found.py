"""The days that matter: what is to be paid, answered, cancelled or done, each with its source.

They come from papers (due, ends), from what contracts agree (`documents/notes/terms.py`), open
tasks, calendars, and sentences of letters and mails that speak of a day before it comes. Nothing is
asked of a model. What several of these say of one day is told once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta

from manole.agent.due.model import Due, How, Kind
from manole.agent.due.same import is_same
from manole.agent.due.sheets import of_sheets
from manole.agent.plan.open_catalog import SMALL, filled, sheets, with_days_ahead
from manole.catalog.catalog import Catalog, Said
from manole.catalog.owner import Owner
from manole.catalog.sandbox import Value
from manole.catalog.sheets import Sheet
from manole.documents.notes.ahead import day_of_task
from manole.documents.notes.said import plain
from manole.documents.notes.terms import Term
from manole.library import Library
from manole.settings import Settings
from manole.text.amounts import find_amounts
from manole.text.lengths import Length, lengths
from manole.text.question import Question
from manole.tools.base import TurnState

_PAST = 366  # days back for which what is still open is told; set by hand
_OPEN = frozenset({"pay", "get", "task"})  # what stays to be done when its day is past
_CALENDAR = ".ics"
_PAPERS = (
    "SELECT path, page, line, quote, issuer, recipient, total, currency, due, ends, "
    "notice, status FROM papers"
)
_TASKS = "SELECT path, line, text, due FROM tasks WHERE status = 'open'"
_EVENTS = "SELECT path, page, line, title, date, start, place FROM events WHERE date IS NOT NULL"


async def due_in(library: Library, settings: Settings, today: date, days: int) -> list[Due]:
    """Return what is due in a library, as `due`."""
    return await due(TurnState(Question("", today), library, settings), days)


async def due(state: TurnState, days: int) -> list[Due]:
    """Return what is due within so many days from today, and what is past and still open."""
    today = state.question.today
    last, first = today + timedelta(days=days), today - timedelta(days=_PAST)
    await filled(state, {"papers", "tasks", "events"})
    catalog = await with_days_ahead(state)
    lists = list((await sheets(state)).values()) if len(catalog.files) <= SMALL else []
    found = await asyncio.to_thread(lambda: [*_all(catalog, lists, today, last)])
    kept = (
        d
        for d in found
        if first <= d.day <= last and (d.day >= today or (d.kind in _OPEN and not d.said))
    )
    return sorted(kept, key=lambda d: (d.day, d.time, d.file, d.line or 0, d.kind))


def _all(catalog: Catalog, lists: Sequence[Sheet], today: date, last: date) -> Iterator[Due]:
    """Yield everything that has a day, once: the surest way to say it comes first."""
    papers = list(_rows(*catalog.run(_PAPERS, None)))
    of_path = {str(row["path"]): row for row in papers}
    owner = catalog.owner()
    agreed = [d for path, term in catalog.terms for d in _of_term(path, term, of_path, today, last)]
    dated = {file.path: file.date or file.modified.date() for file in catalog.files}
    events = [*_of_events(_rows(*catalog.run(_EVENTS, None)))]
    said = sorted(catalog.ahead or (), key=lambda one: not one.sure)
    sources = (
        _of_papers(papers, today, owner),
        agreed,
        of_sheets(lists, dated, today),
        _of_tasks(_rows(*catalog.run(_TASKS, None)), dated),
        (one for one in events if one.file.endswith(_CALENDAR)),
        (_of_sentence(one) for one in said if not _is_paid(one, of_path)),
    )
    by_day: dict[date, list[Due]] = {}
    for source in sources:
        for one in source:
            others = by_day.setdefault(one.day, [])
            if not any(is_same(one, other) for other in others):
                others.append(one)
                yield one


def _rows(names: list[str], rows: Iterable[tuple[Value, ...]]) -> Iterator[Mapping[str, Value]]:
    for row in rows:
        yield dict(zip(names, row, strict=True))


def day_of(value: object) -> date | None:
    """Return the day that a cell of the catalog has, if any."""
    try:
        return date.fromisoformat(str(value)) if value else None
    except ValueError:
        return None


def _at(row: Mapping[str, Value], day: date, kind: Kind, text: str) -> Due:
    """Return what is due on a day, with the place and words of a row."""
    page, line = row.get("page"), row.get("line")
    quote = row.get("quote") or row.get("title") or row.get("text")
    page, line = page if isinstance(page, int) else None, line if isinstance(line, int) else None
    return Due(day, kind, text, str(row["path"]), page, line, str(quote or ""))


def _of_papers(
    rows: Iterable[Mapping[str, Value]], today: date, owner: Owner | None
) -> Iterator[Due]:
    for row in rows:
        day = day_of(row["due"])
        if day is not None and row["status"] != "paid" and (row["status"] or day >= today):
            yield _payment(row, day, owner)
        if (ends := day_of(row["ends"])) is None:
            continue
        yield _at(row, ends, "ends", str(row["issuer"] or ""))
        told = lengths(plain(str(row["notice"] or "")))
        if told:
            _, length = told[0]
            how = How("ends", ends, length.count, length.unit)
            last = _at(row, length.before(ends), "cancel", str(row["issuer"] or ""))
            yield replace(last, how=how)


def _payment(row: Mapping[str, Value], day: date, owner: Owner | None) -> Due:
    who, kind = str(row["issuer"] or ""), "pay"
    if owner is not None and owner.is_named(who):
        who, kind = str(row["recipient"] or ""), "get"
    amount, currency = row["total"], row["currency"]
    one = _at(row, day, "get" if kind == "get" else "pay", who)
    known = isinstance(amount, (int, float)) and bool(amount)
    return replace(
        one,
        amount=float(amount) if known else None,  # type: ignore[arg-type]  # known: a number
        currency=str(currency) if known and currency else None,
    )


def _of_term(
    path: str, term: Term, papers: Mapping[str, Mapping[str, Value]], today: date, last: date
) -> Iterator[Due]:
    """Yield a term's days from today on, with what is known of its paper."""
    paper = papers.get(path)
    of_bill = term.sort == "pay" and term.of == "written"
    if of_bill and (paper is None or paper["due"] or paper["status"] == "paid"):
        return
    who = str(paper["issuer"] or "") if paper else ""
    text = who if who and term.sort in {"cancel", "renews"} else term.quote
    place: dict[str, Value] = {"path": path, "page": term.line.page, "line": term.line.line}
    length = term.length or Length(0, "")
    first = today - timedelta(days=_PAST) if of_bill and paper and paper["status"] else today
    amounts = find_amounts(term.quote) if term.sort == "pay" and who else []
    for day, base in term.days(first, last):
        one = _payment(paper, day, None) if of_bill and paper else _at(place, day, term.sort, text)
        if len(amounts) == 1 and not of_bill:
            money = amounts[0]
            one = replace(one, text=who, amount=float(money.value), currency=money.currency)
        how = How(term.of, base, length.count or None, length.unit or None, bool(term.every))
        yield replace(one, quote=one.quote or term.quote, how=how)


def _of_tasks(rows: Iterable[Mapping[str, Value]], dated: Mapping[str, date]) -> Iterator[Due]:
    """Yield the open tasks that have a day, or that name one in their own words."""
    for row in rows:
        text, path = str(row["text"]), str(row["path"])
        if (day := day_of(row["due"])) is not None:
            yield _at(row, day, "task", text)
        elif path in dated and (told := day_of_task(text, dated[path])) is not None:
            yield replace(_at(row, told[0], "task", text), sure=told[1])


def _of_events(rows: Iterable[Mapping[str, Value]]) -> Iterator[Due]:
    for row in rows:
        if (day := day_of(row["date"])) is not None:
            title, where = str(row["title"] or ""), str(row["place"] or "")
            one = _at(row, day, "event", ", ".join(filter(None, (title, where))))
            yield replace(one, time=str(row["start"] or ""))


def _is_paid(said: Said, papers: Mapping[str, Mapping[str, Value]]) -> bool:
    return said.purpose == "pay" and papers.get(said.path, {}).get("status") == "paid"


def _of_sentence(said: Said) -> Due:
    one = said.event
    place = (said.path, one.page, one.line, one.title, one.start)
    assert one.date is not None and said.purpose != "none"  # days_ahead, fill_ahead
    due = Due(one.date, said.purpose, one.title, *place, sure=said.sure, said=True)
    if (by := one.counted) is None:
        return due
    return replace(due, how=How(by.of, by.day, by.length.count, by.length.unit))
