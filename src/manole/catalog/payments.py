"""Statements of accounts and cards as one relation, `payments`, whatever their columns are called.

A table is a statement if it has days, texts, and amounts of money of which some went out: in one
column with minuses, or in two of which each row fills one. A column whose steps are the amounts is
the balance. Only where data do not tell do a few words of headers: which of two columns went out,
which of two texts is a name. A booking that several files have, as exports overlap, counts once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, permutations

from manole.catalog.families import Family
from manole.catalog.sheets import Column, Sheet, Value
from manole.text.amounts import currency_in, currency_of
from manole.text.words import fold

NAME = "payments"
_MOSTLY = 0.8  # share of rows that decide, set by hand
_MOST = 6  # columns of money that are looked at
_CENT = 0.006
_OUT = re.compile(r"\b(?:out|debit|soll|ausg|ab|af|belast|paid|spent|withdr|uscit|dare|cargo)")
_PARTY = re.compile(
    r"\b(?:party|payee|counterpart|name|merchant|\w*empf|beg[uü]e?nst|auftragg|benef|tegenp|naam)"
)


@dataclass(frozen=True, slots=True)
class Booking:
    """A booking, and the row of the sheet that has it; an amount is below 0 where it went out."""

    day: str
    amount: float
    currency: str
    party: str
    text: str
    sheet: Sheet
    row: int


@dataclass(frozen=True)
class Payments(Family):
    """The bookings of all statements by their days; `mixed` if they are in several currencies."""

    bookings: Sequence[Booking] = ()
    amount: str = ""  # the column of amounts
    mixed: bool = False

    def place(self, row: int) -> dict[str, Value]:
        """Return where a row stands in its file."""
        if not row:
            return self.parts[0].place(0)
        return self.bookings[row - 1].sheet.place(self.bookings[row - 1].row)


def bookings_of(sheet: Sheet) -> list[Booking]:
    """Return the bookings of a statement, in their order; none of any other table."""
    days = [c for c in sheet.columns if c.kind == "DAY"]
    money = [c for c in sheet.columns if c.kind == "REAL" and sheet.decimals(c)][:_MOST]
    texts = [c for c in sheet.columns if c.kind == "TEXT" and any(c.values)]
    amounts = next(_amounts(money), None)
    if amounts is None or not days or not texts:
        return []
    coded = _coded(sheet)
    party = _party([c for c in texts if c is not coded] or texts)
    rest = (c for c in texts if c not in (party, coded))
    text = max(rest, key=_letters, default=party)
    found = []
    for n, (day, amount) in enumerate(zip(days[0].values, _signed(amounts), strict=True)):
        if isinstance(day, str) and amount:
            label = amounts[0].words
            written = currency_in(label) or currency_in(sheet.cell(n + 1, amounts[0]))
            told = currency_of(str(coded.values[n])) if coded else written
            said = str(text.values[n] or "")
            who = str(party.values[n] or said)
            found.append(Booking(day, amount, told or "", who, said, sheet, n + 1))
    return found


def _amounts(money: Sequence[Column]) -> Iterator[tuple[Column, ...]]:
    """Yield the columns of amounts: one with signs, or what went out and what came in."""
    for one in money:
        others = [c for c in money if c is not one and any(v < 0 for v in _figures(c))]
        if any(v < 0 for v in _figures(one)) and not any(_steps(one, (c,)) for c in others):
            yield (one,)
    for out, into in permutations(money, 2):
        filled = list(zip(out.values, into.values, strict=True))
        apart = sum(bool(a) != bool(b) for a, b in filled) >= _MOSTLY * len(filled)
        if not (apart and any(out.values) and any(into.values)):
            continue
        steps = any(_steps(c, (out, into)) for c in money if c not in (out, into))
        if steps or (_OUT.search(_words(out)) and not _OUT.search(_words(into))):
            yield out, into


def _letters(column: Column) -> int:
    return sum(map(str.isalpha, "".join(str(v or "") for v in column.values)))


def _figures(column: Column) -> list[float]:
    return [float(value) for value in column.values if isinstance(value, int | float)]


def _signed(amounts: Sequence[Column]) -> Iterator[float]:
    for row in zip(*(column.values for column in amounts), strict=True):
        first, *into = [float(v) if isinstance(v, int | float) else 0.0 for v in row]
        yield into[0] - abs(first) if into else first


def _steps(balance: Column, amounts: Sequence[Column]) -> bool:
    """Return whether a column goes up and down by the amounts, from either end."""
    known = list(zip(balance.values, _signed(amounts), strict=True))
    for rows in (known, known[::-1]):
        steps = [
            abs(after - before - amount) < _CENT
            for (before, _), (after, amount) in pairwise(rows)
            if isinstance(before, int | float) and isinstance(after, int | float) and amount
        ]
        if len(steps) > 1 and sum(steps) >= _MOSTLY * len(steps):
            return True
    return False


def _words(column: Column) -> str:
    return fold(column.words)


def _coded(sheet: Sheet) -> Column | None:
    """Return the column of currencies."""
    texts = (c for c in sheet.columns if c.kind == "TEXT" and any(c.values))
    return next((c for c in texts if all(currency_of(str(v)) for v in c.values if v)), None)


def _party(texts: Sequence[Column]) -> Column:
    """Return the column of names: several words each, fewer of them than there are purposes."""
    counts = {c.name: len(set(c.values)) for c in texts}
    worded = (c for c in texts if 2 * sum(" " in str(v or "") for v in c.values) > len(c.values))
    many = [c for c in worded if 3 * counts[c.name] >= max(counts.values())]
    named = [c for c in texts if _PARTY.search(_words(c))]
    return next(iter(named), None) or min(many or texts, key=lambda c: counts[c.name])


def bookings(of_sheets: Iterable[Sequence[Booking]]) -> list[Booking]:
    """Return the bookings of statements by their days, each once."""
    found: list[Booking] = []
    seen: Counter[tuple[object, ...]] = Counter()
    for of_sheet in of_sheets:
        own: Counter[tuple[object, ...]] = Counter()
        for one in of_sheet:
            key = (one.day, round(one.amount, 2), one.currency, party_key(one.party))
            own[key] += 1
            if own[key] > seen[key]:
                found.append(one)
        seen |= own
    told = {one.currency for one in found} - {""}
    if len(told) == 1:  # a list that names none has the one of the others
        found = [replace(one, currency=min(told)) for one in found]
    return sorted(found, key=lambda one: one.day)


def party_key(party: str) -> str:
    """Return what the spellings of a name have in common: its words without figures."""
    return " ".join(re.findall(r"[^\W\d_]+", fold(said(party)))) or fold(party)


def said(text: str) -> str:
    """Return a text without its numbers, which are other ones each time."""
    return " ".join(re.sub(r"\S*\d\S*", " ", text).split()) or text


def payments(found: Sequence[Booking]) -> Payments | None:
    """Return bookings as one sheet; `None` if their only sheet says it as well.

    Names and texts are without their numbers. Further columns of texts, such as a category, are
    those that the first sheet with one of that name has.
    """
    parts = tuple({id(one.sheet): one.sheet for one in found}.values())
    alone = len(parts) == 1 and sum(c.kind == "REAL" for c in parts[0].columns) == 1
    if not parts or (alone and _coded(parts[0]) is None):
        return None
    codes = sorted({one.currency for one in found})
    amount = "amount" if len(codes) > 1 else f"amount {codes[0]}".strip()
    labels = (c.label for s in parts for c in s.columns if c.kind == "TEXT")
    own = ("date", amount, "currency", "party", "text", "file")
    rest = [label for label in dict.fromkeys(labels) if label.lower() not in own][:_MOST]
    rows = []
    for one in found:
        row, columns = one.sheet.rows[one.row - 1], {c.label: c for c in one.sheet.columns}
        other = (one.sheet.cell(one.row, columns[n]) if n in columns else "" for n in rest)
        code = one.currency if len(codes) > 1 else ""  # else the header has it
        cells = (one.day, f"{one.amount:.2f}", code, said(one.party), said(one.text))
        rows.append(replace(row, cells=(*cells, *other, one.sheet.file)))
    table = replace(parts[0].table, columns=(*own[:5], *rest, "file"), rows=tuple(rows), name=NAME)
    sheet = Sheet.read(NAME, replace(table, title=None))
    return Payments(
        NAME, table, sheet.columns, sheet.rows, parts, sheet.columns[-1].name, "", found,
        sheet.columns[1].name, len(codes) > 1,
    )  # fmt: skip
