"""Which rows are bookings, and what went out: as the balances prove it.

Three readings of signs are tried: as marks tell, without a mark as gone out, and by two columns.
Where rows have a balance, it must go up or down by exactly what stands between it and the one
before; those that are told above and below must be those at the ends. Where none has, all must fit
an opening and a closing balance; of a statement that gives neither, each row must be readable and
some be marked as gone out, some as come in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product

from manole.documents.tables.bookings.rows import Figure, Row, begun_by_days

LEAST = 2  # bookings whose balances prove them
_UNPROVEN = 4  # bookings without any balance
_MOSTLY = 0.5  # share of rows with a further figure that make it a balance
_TRIED = 6  # bookings up to which each combination of signs is tried
_STARTS = 4  # balances that may stand above a booking: one of another account is added to the last
_NEAR = 60  # rows above and below bookings among which their balances stand
_ENDS = 60  # balances among which an opening and a closing one are looked for
MOST = 5_000  # rows with figures of a statement: each may be tried in some twenty ways
_LIKE_A_DAY = re.compile(r"\s*\d{1,4}[./-]\d{1,2}[./-]")
Reading = Callable[[Figure], Decimal]


@dataclass(frozen=True, slots=True)
class Booking:
    """A row that is a booking; an amount is below 0 where it went out."""

    row: Row
    amount: Decimal
    balance: Decimal | None = None


def _marked(figure: Figure) -> Decimal:
    return figure.signed


def _mostly_out(figure: Figure) -> Decimal:
    return figure.value * (figure.sign or -1)


def _left_out(slot: int) -> Reading:
    return lambda figure: figure.value if figure.slot >= slot else -figure.value


def _left_in(slot: int) -> Reading:
    return lambda figure: -figure.value if figure.slot >= slot else figure.value


def proven(rows: Sequence[Row], card: bool) -> list[Booking] | None:
    """Return the bookings among all rows of a text; `None` if nothing proves them."""
    at = begun_by_days(rows)
    if not LEAST <= len(at) <= MOST:
        return None
    readings: list[Reading] = [_marked, _mostly_out]
    slots = sorted({f.slot for row in rows[at[0] : at[-1] + 1] for f in row.figures})
    readings += [turn(slot) for slot in slots[1:3] for turn in (_left_out, _left_in)]
    several = sum(len(row.figures) > 1 for row in rows)
    found = _by_steps(rows, at, readings) if several else None
    dated = [rows[n] for n in at if rows[n].day]
    if found is None and sum(len(row.figures) > 1 for row in dated) < _MOSTLY * len(dated):
        outside = [row for row in rows if row.figures and not row.day]
        found = _by_ends(dated, outside, readings, card)
    if found and card and 2 * sum(one.amount > 0 for one in found) > len(found):
        found = [Booking(one.row, -one.amount, one.balance) for one in found]
    return found


def _by_steps(
    rows: Sequence[Row], at: Sequence[int], readings: Sequence[Reading]
) -> list[Booking] | None:
    """Return what the balances between the rows prove, of which those `at` have day and figures.

    A statement may write a day once for all its bookings, so others with figures are tried, too:
    first, as those behind the last day would be missed.
    """
    slot = max(f.slot for row in rows[at[0] : at[-1] + 1] for f in row.figures)
    begin = max((n + 1 for n in range(at[0]) if rows[n].tells_balance), default=0)
    begin = next((n for n in range(begin, at[0] + 1) if rows[n].day), at[0])
    end = max(at[-1], *(n for n, row in enumerate(rows) if len(row.figures) > 1)) + 1
    for first, last, strict in ((begin, end, True), (at[0], at[-1] + 1, False)):
        inside = rows[first:last]
        order = [r for r in inside if r.figures and (strict or r.day or r.tells_balance)]
        above, below = rows[max(0, first - _NEAR) : first], rows[last : last + _NEAR]
        known = {f.signed for row in (*above, *below) for f in row.figures}
        told = [
            {f.signed for row in side if row.tells_balance for f in row.figures}
            for side in (above, below)
        ]
        for turned in (order, order[::-1]):
            found = _Steps(slot, known, readings, strict).bookings(turned)
            if found and len(found) >= LEAST and _ends_at(found, told):
                return found if turned is order else found[::-1]
    return None


def _ends_at(found: Sequence[Booking], told: Iterable[set[Decimal]]) -> bool:
    """Return whether balances that are told above or below bookings are those at their ends."""
    first = next((n for n, one in enumerate(found) if one.balance is not None), 0)
    ends = {one.balance for one in found[-1:]}
    if (balance := found[first].balance) is not None:
        ends.add(balance - sum(one.amount for one in found[: first + 1]))
    return all(not side or not side.isdisjoint(ends) for side in told)


class _Steps:
    """Follows a balance from row to row."""

    def __init__(
        self, slot: int, known: set[Decimal], readings: Sequence[Reading], strict: bool
    ) -> None:
        self._slot, self._known, self._readings, self._strict = slot, known, readings, strict
        self._starts: list[Decimal] = []  # what the balance may be before the open rows
        self._told = False  # whether the last row told a balance alone
        self._open: list[Row] = []
        self._found: list[Booking] = []
        self._steps = 0

    def bookings(self, rows: Sequence[Row]) -> list[Booking] | None:
        """Return the bookings; `None` if one does not fit its balance."""
        for row in rows:
            *before, last = row.figures
            balance = last.signed if before or last.slot >= self._slot else None
            if not before and (row.tells_balance or balance is not None):
                if not self._carry(last.signed, row):
                    return None
                continue
            self._told = False
            self._open.append(row)
            if balance is not None and before and not self._settle(balance):
                return None
        if self._open and not any(self._settle(end) for end in self._known):
            return None
        return self._with_first() if self._steps >= LEAST else None

    def _with_first(self) -> list[Booking] | None:
        """Return the bookings; of a first one that nothing proves the sign is read as of others."""
        if self._steps == len([one for one in self._found if one.balance is not None]):
            return self._found
        first, *rest = self._found
        for reading in self._readings:
            if all(reading(_amount(one.row)) == one.amount for one in rest):
                return [replace(first, amount=reading(_amount(first.row))), *rest]
        return None

    def _carry(self, balance: Decimal, row: Row) -> bool:
        """Take a balance that stands alone; another one behind that is of another account."""
        told, self._told = self._told, True
        if self._open:
            return self._settle(balance)
        if not self._starts or balance in self._starts:
            self._starts = [balance]
        elif told and row.tells_balance:
            self._starts = [balance, *self._starts][:_STARTS]
        else:
            return False
        return True

    def _settle(self, balance: Decimal) -> bool:
        """Give the open rows the signs that make the step to this balance."""
        starts = self._starts or self._known
        signed = next(filter(None, (self._signed(balance - start) for start in starts)), None)
        if signed is None:
            if self._strict or self._starts or self._found or len(self._open) > 1:
                return False
            signed = [_amount(self._open[0]).signed]  # nothing is known before the first
        else:
            self._steps += 1
        told = [None] * (len(signed) - 1) + [balance]
        pairs = zip(self._open, signed, told, strict=True)
        self._found += [Booking(row, amount, after) for row, amount, after in pairs]
        self._starts, self._open = [balance], []
        return True

    def _signed(self, step: Decimal) -> list[Decimal] | None:
        amounts = [_amount(row) for row in self._open]
        for reading in self._readings:
            if sum(read := [reading(amount) for amount in amounts]) == step:
                return read
        if len(amounts) > (_TRIED if self._starts else 1):
            return None
        values = [amount.value for amount in amounts]
        signs = product((-1, 1), repeat=len(values))
        each = ([s * v for s, v in zip(one, values, strict=True)] for one in signs)
        fitting = [one for one in each if sum(one) == step]
        return fitting[0] if len(fitting) == 1 else None


def _amount(row: Row) -> Figure:
    """Return the amount of a row: the last figure, or the one before its balance."""
    return row.figures[-2] if len(row.figures) > 1 else row.figures[0]


def _by_ends(
    dated: Sequence[Row], outside: Sequence[Row], readings: Sequence[Reading], card: bool
) -> list[Booking] | None:
    """Return what an opening and a closing balance prove, or what is told without any."""
    told = [row for row in [*outside, *dated] if row.tells_balance]
    ends = list(dict.fromkeys(f.signed for row in told for f in row.figures))[:_ENDS]
    sums = {f.value for row in outside for f in row.figures}
    for rows in ([row for row in dated if not row.tells_balance], dated):
        if len(rows) < LEAST:
            continue
        for reading in readings:
            amounts = [reading(row.figures[-1]) for row in rows]
            total = sum(amounts)
            steps = {b - a for a in ends for b in ends} | {
                a - b for a in ends for b in ends if card
            }
            fits = total in steps if len(ends) > 1 else abs(total) in sums and card
            if fits:
                return [Booking(*pair) for pair in zip(rows, amounts, strict=True)]
    unread = any(_LIKE_A_DAY.match(row.line.text) for row in outside)
    return None if len(ends) > 1 or unread else _unproven(dated)


def _unproven(rows: Sequence[Row]) -> list[Booking] | None:
    signs = Counter(row.figures[-1].sign for row in rows)
    alike = len({row.figures[-1].slot for row in rows}) == 1
    if len(rows) < _UNPROVEN or not alike or not signs[-1] or len(signs) < 2:
        return None
    return [Booking(row, _marked(row.figures[-1])) for row in rows]
