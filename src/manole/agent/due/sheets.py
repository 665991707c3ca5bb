"""Days in lists that people keep: when subscriptions go on, until when to cancel, deadlines.

A column counts by its name. A row that says that it is paid or done is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from manole.agent.due.model import Due, How, Kind
from manole.catalog.sheets import Column, Sheet
from manole.documents.notes.ahead import day_of_list
from manole.documents.notes.said import plain
from manole.text.dates import find_dates
from manole.text.lengths import lengths
from manole.text.statuses import payment_called

_LEFT_OUT = (".ics", ".vcf")  # read as calendars; hold birthdays
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "cancel",
        re.compile(
            r"\b(?:cancel|notice|kundbar|kundig\w*|resili\w*|baja)\b.{0,12}\b(?:by|until|before|bis|avant|antes|date)\b"
        ),
    ),
    (
        "renews",
        re.compile(r"\b(?:renew\w*|extended|verlanger\w*|renouvel\w*|renueva|renovacion)\b"),
    ),
    (
        "ends",
        re.compile(
            r"\b(?:ends?|end date|expir\w+|valid (?:until|to)|ablauf\w*|lauft (?:ab|bis)|endet|"
            r"gultig bis|vertragsende|expire|fin|valable|caduca|termina)\b"
        ),
    ),
    ("pay", re.compile(r"\b(?:due|pay by|payable|fallig\w*|zahlbar|echeance|vence|vencimiento)\b")),
    (
        "task",
        re.compile(r"\b(?:deadline|do by|frist|bis wann|erledigen bis|date limite|fecha limite)\b"),
    ),
)
_NOTICE = re.compile(r"\b(?:cancel\w*|notice|kundigungs\w*|frist|preavis|preaviso)\b")
_STATUS = re.compile(
    r"\b(?:paid|done|status|bezahlt|erledigt|paye|fait|pagado|hecho|received)\b(?! by)"
)
_DONE = frozenset({"yes", "x", "ja", "oui", "si", "done", "ok", "true", "1"})
_MOST = 5_000  # rows of a list that a person keeps


def of_sheets(sheets: Iterable[Sheet], dated: Mapping[str, date], today: date) -> Iterator[Due]:
    """Yield the days from `today` on that lists name; `dated` are the days of files."""
    for sheet in sheets:
        if (
            len(sheet.files) == 1
            and not sheet.file.endswith(_LEFT_OUT)
            and len(sheet.rows) <= _MOST
        ):
            named = [(kind, c) for c in sheet.columns if (kind := _kind(c.label))]
            for kind, column in named:
                yield from _of_column(sheet, kind, column, dated.get(sheet.file, today), today)


def _kind(label: str) -> Kind | None:
    said = re.sub(r"[\W_]+", " ", plain(label))
    return next((kind for kind, pattern in _KINDS if pattern.search(said)), None)


def _named(sheet: Sheet, pattern: re.Pattern[str]) -> list[Column]:
    return [c for c in sheet.columns if pattern.search(re.sub(r"[\W_]+", " ", plain(c.label)))]


def _of_column(
    sheet: Sheet, kind: Kind, column: Column, written: date, today: date
) -> Iterator[Due]:
    states, notices = _named(sheet, _STATUS), _named(sheet, _NOTICE)
    for row in range(1, len(sheet.rows) + 1):
        told = day_of_list(sheet.cell(row, column), written)
        if told is None or told[0] < today or any(_is_done(sheet.cell(row, c)) for c in states):
            continue
        day, sure = told
        place = sheet.place(row)
        page, line = place.get("page"), place.get("line")
        text = next(
            filter(None, (sheet.cell(row, c) for c in sheet.columns if c.kind == "TEXT")), ""
        )
        where = (
            sheet.file,
            page if isinstance(page, int) else None,
            line if isinstance(line, int) else None,
            str(place.get("quote") or ""),
        )
        yield Due(day, kind, text, *where, sure=sure)
        for notice in notices if kind in {"renews", "ends"} else ():
            for _, length in lengths(plain(sheet.cell(row, notice)))[:1]:
                how = How("ends", day, length.count, length.unit)
                yield Due(length.before(day), "cancel", text, *where, how=how, sure=sure)


def _is_done(cell: str) -> bool:
    return cell.strip().lower() in _DONE or bool(find_dates(cell)) or payment_called(cell) == "paid"
