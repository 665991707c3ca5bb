"""Statements of accounts and cards that have a layout alone: PDFs.

A row begins with a day and ends with figures; lines right below it go on with its text. Heads,
carry-overs and footers have no day, or a balance for a figure. A table is made only of what the
balances prove (`proof.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from itertools import chain

from manole.documents.fields.model import TextLine
from manole.documents.tables.bookings.days import Written, dated
from manole.documents.tables.bookings.proof import LEAST, Booking, proven
from manole.documents.tables.bookings.rows import Row, begun_by_days, rows_of, says_card
from manole.documents.tables.model import Table, TableRow, as_table, collapsed
from manole.text.amounts import currency_in, currency_of

_CENTS = re.compile(r"\d[.,]\d\d(?!\d)")
_HEAD = 60  # lines above the first booking that may tell period and currency
_TYPES = 3  # bookings for each type of booking that stands before the names
_NAMED = 2  # parts of a text: its type and its name
_MOSTLY = 0.8  # share of bookings with a further part that have a type, or a name, of their own


def booking_table(lines: Sequence[TextLine], path: str) -> Table | None:
    """Return the bookings among the lines of a PDF as a table; `None` if it is no statement."""
    if sum(_CENTS.search(line.text) is not None for line in lines) < LEAST:
        return None
    for spaced in (True, False):
        rows = list(rows_of(lines, spaced))
        if table := _table(rows, path):
            return table
    return None


def _table(rows: Sequence[Row], path: str) -> Table | None:
    first = next(iter(begun_by_days(rows)), 0)
    head = [row.line.text for row in rows[:first]][-_HEAD:]
    found = proven(rows, any(map(says_card, head)))
    if found is None:
        return None
    days = _with_texts(rows, {id(one.row) for one in found})
    told = [row.line.text for row in rows if row.tells_balance]
    known = dated([days[id(one.row)] for one in found], [*head, *told], path)
    if not known:
        return None
    ends = [row.figures[-1].currency for row in (*(one.row for one in found), *rows) if row.figures]
    return _written(found, known, next(filter(None, ends), "") or _currency([*head, *told]))


def _with_texts(rows: Sequence[Row], booked: set[int]) -> dict[int, Written]:
    """Add the lines around bookings to them; return the day of each, by the identity of its row.

    A line that begins with a day, and has no figures, begins a booking whose figures stand below.
    """
    days: dict[int, Written] = {}
    day, last, begun = None, None, list[Row]()
    for row in rows:
        day = row.day or day
        if begun and not begun[-1].goes_on(row):
            if last:
                last.add_all(begun)
            begun = []
        if id(row) in booked and day:
            if begun and not row.day and begun[-1].goes_on(row):
                row.begin(begun)
            elif last:
                last.add_all(begun)
            last, begun, days[id(row)] = row, [], day
        elif row.tells_balance:
            if last:
                last.add_all(begun)
            last, begun = None, []
        elif begun or (row.day and not row.figures):
            begun.append(row)
        elif last:
            last.add_all([row])
    if last:
        last.add_all(begun)
    return days


def _currency(texts: Sequence[str]) -> str:
    """Return the first currency that a head tells; "" for none."""
    words = (word for text in texts for word in text.split())
    told = filter(None, chain(map(currency_in, texts), map(currency_of, words)))
    return next(told, "")


def _written(found: Sequence[Booking], days: Sequence[date], currency: str) -> Table | None:
    several = [one for one in found if len(one.row.parts) > 1]
    first, second = ({one.row.parts[n] for one in several} for n in (0, 1))
    typed = len(several) >= _MOSTLY * len(found) and len(first) < len(second)
    typed &= _TYPES * len(first) <= len(found)
    rows = []
    for one, day in zip(found, days, strict=True):
        row = one.row
        parts = row.parts if typed and len(row.parts) > 1 else ["", *row.parts]
        type_, party, *rest = [*parts, ""] if len(parts) < _NAMED else parts
        balance = "" if one.balance is None else f"{one.balance:.2f}"
        cells = (day.isoformat(), f"{one.amount:.2f}", party, " ".join(rest), type_, balance)
        text = collapsed(" ".join(row.texts))
        rows.append(TableRow(cells, row.line.line, text, row.line.page))
    columns = ("day", f"amount {currency}".strip(), "party", "text", "type", "balance")
    return as_table(columns, rows, rows[0].page, None, rows[0].line)
