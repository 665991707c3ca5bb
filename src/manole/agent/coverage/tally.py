"""From the fields of papers to rows, figures and a sentence. No model has a part in it.

Amounts are added, averaged and compared as decimals, for each currency apart; what has no value is
counted and named, never dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from manole.agent.coverage.asked import Asked
from manole.agent.coverage.store import Paper
from manole.documents.fields import SURE, Field, Money
from manole.tools.wording import when

_NAMES = {
    "total": "total", "net": "net amount", "tax": "tax amount", "due": "amount due",
    "date": "date", "due_date": "due date", "end_date": "end date", "number": "number",
    "issuer": "issuer", "notice": "notice period",
}  # fmt: skip
_PLURALS = {"policy": "policies"}
_CENT = Decimal("0.01")
_SHOWN_MISSING = 12


@dataclass(frozen=True, slots=True)
class Row:
    """One paper in the table: what was asked of it, and where that stands.

    `found` is the field asked for, `None` with a `reason` where it gave nothing. `by` says who
    read it: "rules" or "model".
    """

    paper: Paper
    found: Field[Any] | None
    reason: str = ""
    by: str = "rules"

    @property
    def money(self) -> Money | None:
        """The value, when it is an amount."""
        value = self.found.value if self.found else None
        return value if isinstance(value, Money) else None

    @property
    def day(self) -> date | None:
        """When the paper was written."""
        return day_of(self.paper)


def day_of(paper: Paper) -> date | None:
    """The date on the paper, else the document's own."""
    return paper.fields.date.value if paper.fields.date else paper.file.date


def show(value: Any) -> str:
    """A value for people: `1,234.50 EUR`, `2024-03-05`, text as it is."""
    if isinstance(value, Money):
        return amount(value.amount, value.currency)
    return value.isoformat() if isinstance(value, date) else str(value)


def amount(value: Decimal, currency: str | None) -> str:
    """An amount with its currency: `1,234.50 EUR`."""
    text = f"{value.quantize(_CENT, ROUND_HALF_UP):,}"
    return f"{text} {currency}" if currency else text


def by_currency(rows: Iterable[Row]) -> dict[str | None, list[Decimal]]:
    """The amounts of each currency, currencies with most amounts first."""
    found: dict[str | None, list[Decimal]] = {}
    for row in rows:
        if row.money:
            found.setdefault(row.money.currency, []).append(row.money.amount)
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def order(rows: Sequence[Row], asked: Asked) -> list[Row]:
    """Rows as the table lists them: the largest or smallest first, else by date; the rest last."""
    given = [row for row in rows if row.found]
    if "max" in asked.operations or "min" in asked.operations:
        sign = 1 if "max" not in asked.operations else -1
        given.sort(key=lambda r: _sort_key(r, sign))
    elif asked.field in {"end_date", "due_date"}:
        given.sort(key=lambda r: (r.found.value if r.found else date.max, r.paper.file.path))
    else:
        given.sort(key=lambda r: (r.day or date.max, r.paper.file.path))
    return [*given, *(row for row in rows if not row.found)]


def _sort_key(row: Row, sign: int) -> tuple[Any, ...]:
    if row.money:
        return 0, sign * row.money.amount, row.paper.file.path
    value = row.found.value if row.found else None
    return 1, sign * (value.toordinal() if isinstance(value, date) else 0), row.paper.file.path


def summary(rows: Sequence[Row], asked: Asked, about: str) -> str:
    """The answer in a few sentences. `about` names the papers: "invoices in 2023"."""
    given = [row for row in rows if row.found]
    parts: list[str] = []
    if asked.period_of != "date" and asked.period:
        lies = f"whose {_NAMES[asked.field]} lies {when(asked.period)}"
        parts.append(f"{_counted(len(given), about)} {lies}.")
    elif "count" in asked.operations or "list" in asked.operations:
        parts.append(f"{_counted(len(rows), about)}.")
    if given:
        for operation in asked.operations:
            said = _SAY.get(operation)
            if said:
                parts.append(said(given, asked, about))
        if asked.operations == ("list",) and len(given) > 1 and not asked.group:
            parts.append(_together(given))
        if asked.group and asked.field in {"total", "net", "tax", "due"}:
            parts.append(_grouped(given, asked.group))
    unsure = [row for row in given if row.found and row.found.confidence < SURE]
    if unsure:
        parts.append(f"Not sure: {_files(unsure)}.")
    missing = [row for row in rows if not row.found]
    if missing:
        parts.append(_without(missing, asked.field))
    return " ".join(part for part in parts if part)


def _counted(count: int, about: str) -> str:
    noun, space, rest = about.partition(" ")
    if count == 1:
        return f"1 {singular(noun)}{space}{rest}"
    return f"{count:,} {about}" if count else f"No {about}"


def singular(noun: str) -> str:
    """`invoices` gives `invoice`, `policies` `policy`."""
    return noun[:-3] + "y" if noun.endswith("ies") else noun.removesuffix("s")


def plural(kind: str) -> str:
    """`invoice` gives `invoices`."""
    return _PLURALS.get(kind, f"{kind}s")


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _sum(rows: Sequence[Row], asked: Asked, about: str) -> str:
    sums = [amount(sum(v, Decimal(0)), c) for c, v in by_currency(rows).items()]
    if not sums:
        return ""
    count = sum(1 for row in rows if row.money)
    if count == 1:
        return f"The {_NAMES[asked.field]} is {sums[0]}."
    what = about if "count" not in asked.operations and "list" not in asked.operations else ""
    of = f" of {count:,} {what}" if what else ""
    return f"The {_NAMES[asked.field]}s{of} add up to {_joined(sums)}."


def _together(rows: Sequence[Row]) -> str:
    sums = [amount(sum(v, Decimal(0)), c) for c, v in by_currency(rows).items()]
    return f"Together: {_joined(sums)}." if sums else ""


def _average(rows: Sequence[Row], asked: Asked, about: str) -> str:
    means = [amount(sum(v, Decimal(0)) / len(v), c) for c, v in by_currency(rows).items()]
    count = sum(1 for row in rows if row.money)
    return f"The average {_NAMES[asked.field]} of {count:,} {about} is {_joined(means)}."


def _largest(rows: Sequence[Row], asked: Asked, about: str) -> str:
    return _extreme(rows, asked, "largest", 1)


def _smallest(rows: Sequence[Row], asked: Asked, about: str) -> str:
    return _extreme(rows, asked, "smallest", -1)


def _extreme(rows: Sequence[Row], asked: Asked, word: str, sign: int) -> str:
    said = []
    for currency in by_currency(rows):
        own = [r for r in rows if r.money and r.money.currency == currency]
        best = max(own, key=lambda r: sign * r.money.amount if r.money else Decimal(0))
        same = [r for r in own if r.money == best.money]
        value = amount(best.money.amount, currency) if best.money else ""
        said.append(f"{value}: {_joined([describe(r) for r in same[:5]])}")
    return f"The {word} {_NAMES[asked.field]} is {'; '.join(said)}." if said else ""


def _compare(rows: Sequence[Row], asked: Asked, about: str) -> str:
    """Each value, and by how much the last differs from the first, if there are just two."""
    ordered = sorted((r for r in rows if r.money), key=lambda r: r.day or date.max)
    groups: dict[str, dict[str | None, Decimal]] = {}
    for row in ordered:
        label = str(row.day.year) if asked.years and row.day else describe(row)
        sums = groups.setdefault(label, {})
        if row.money:
            sums[row.money.currency] = sums.get(row.money.currency, Decimal(0)) + row.money.amount
    parts = [f"{k}: {_joined([amount(v, c) for c, v in g.items()])}" for k, g in groups.items()]
    text = "; ".join(parts)
    if len(groups) == 2:
        first, last = groups.values()
        for currency in first.keys() & last.keys():
            change = last[currency] - first[currency]
            share = f" ({change / first[currency]:+.1%})" if first[currency] else ""
            sign = "+" if change > 0 else ""
            text += f"; a difference of {sign}{amount(change, currency)}{share}"
    return f"{text}." if text else ""


def _grouped(rows: Sequence[Row], group: str) -> str:
    sums: dict[str, dict[str | None, Decimal]] = {}
    for row in rows:
        label = group_of(row, group)
        if row.money:
            own = sums.setdefault(label, {})
            own[row.money.currency] = own.get(row.money.currency, Decimal(0)) + row.money.amount
    parts = [
        f"{label}: {_joined([amount(v, c) for c, v in own.items()])}"
        for label, own in sorted(sums.items())
    ]
    return f"By {group}: {'; '.join(parts)}."


def group_of(row: Row, group: str) -> str:
    """The group that a row belongs to: its issuer, month or year; "unknown" without one."""
    if group == "issuer":
        return row.paper.fields.issuer.value if row.paper.fields.issuer else "unknown"
    if row.day is None:
        return "unknown"
    return str(row.day.year) if group == "year" else row.day.strftime("%Y-%m")


def _without(missing: Sequence[Row], field: str) -> str:
    files = "1 file gives" if len(missing) == 1 else f"{len(missing)} files give"
    return f"{files} no {_NAMES[field]}: {_files(missing)}."


def _files(rows: Sequence[Row]) -> str:
    """The rows' files, the first of them by name, each with its reason where there is one."""
    names = [
        row.paper.file.path + (f" ({row.reason})" if row.reason else "")
        for row in rows[:_SHOWN_MISSING]
    ]
    more = f" and {len(rows) - _SHOWN_MISSING} more" if len(rows) > _SHOWN_MISSING else ""
    return ", ".join(names) + more


def describe(row: Row) -> str:
    """A paper in words: number, issuer and date, else its file."""
    fields = row.paper.fields
    parts = []
    if fields.number:
        parts.append(fields.number.value)
    if fields.issuer:
        parts.append(f"from {fields.issuer.value}" if parts else fields.issuer.value)
    if row.day:
        parts.append(f"of {row.day.isoformat()}")
    return " ".join(parts) if len(parts) > 1 else row.paper.file.path


def name_of(field: str) -> str:
    """A field in words: `due_date` gives "due date"."""
    return _NAMES[field]


_SAY = {
    "sum": _sum,
    "max": _largest,
    "min": _smallest,
    "average": _average,
    "compare": _compare,
}
