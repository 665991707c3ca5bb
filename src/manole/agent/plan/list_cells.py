"""Puts rows of sheets in words: their cells as they are written, each told once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sqlglot import exp

from manole.agent.languages import Words
from manole.agent.plan.answered import (
    EXAMPLES,
    LISTED,
    Answer,
    Found,
    Row,
    cited,
    marks,
    rest_of,
)
from manole.agent.plan.notation import PERCENT, cut, figure, written
from manole.agent.plan.query import Checked
from manole.agent.plan.reading import reckoned
from manole.catalog.sandbox import Value
from manole.text.amounts import currency_in

ROW = "row"  # the noun of a sheet's rows


def list_cells(plan: Checked, found: Found, words: Words) -> Answer:
    """Return the rows of a result that no figure was calculated of."""
    if not found.rows:
        return Answer(words.nothing.format(nouns=words.plural(ROW)))
    rows = found.rows
    each = len(found.behind) == len(rows)
    cells = [_shortened(dict(zip(found.names, row, strict=True))) for row in rows]
    objects = cited(found.behind, cells if each else ())
    every = [row.n for row in objects][:EXAMPLES]  # where it is unknown which a line is from
    told: dict[str, list[int]] = defaultdict(list)
    for n, row in enumerate(rows, start=1):
        told[cells_told(plan, found.names, row, words)] += [n] if each else every
    lines = [f"{line} {marks(ns[:EXAMPLES])}".rstrip() for line, ns in list(told.items())[:LISTED]]
    if len(told) == 1:
        return Answer(_alone(plan, lines[0], found), objects)
    if len(told) < len(rows) or plan.outer.args.get("distinct"):
        head = words.in_all.format(count=words.number(min(found.total, len(told))))
    else:
        head = f"{words.many(found.total, ROW)}:"
    listed = "\n".join([head, *(f"- {line}" for line in lines)])
    rest = rest_of(len(told) + found.total - len(rows), words)
    return Answer(f"{listed}{rest}", objects, listed=bool(objects))


def cells_told(
    plan: Checked, names: Sequence[str], row: Row, words: Words, decimals: int = 0
) -> str:
    """Return the cells of a row, and what is calculated from them; of a sum with `decimals`."""
    items, shown = plan.outer.expressions, []
    as_written = not (plan.computes or plan.grouped)
    money = plan.added is not None and list(names[1:]) == ["currency"]  # an amount of each
    for n, (name, value) in enumerate(zip(names, row, strict=True)):
        item = items[n].unalias() if n < len(items) else None
        if value is None or value == "":
            continue
        if isinstance(item, (exp.Predicate, exp.Exists)) and value in {0, 1}:
            shown.append((words.yes if value else words.no).split(",")[0])
        elif isinstance(item, exp.Count) and not isinstance(item.this, exp.Distinct):
            shown.append(words.many(int(value), ROW))
        else:
            cell = isinstance(item, exp.Column) and as_written
            text = figure(value, words) if cell else written(plan.source, item, name, value, words)
            added = name != PERCENT and not isinstance(value, str)
            if added and item is not None and item.find(exp.AggFunc):
                text = amount_told(item, value, words, decimals)
            label = f"{name.replace('_', ' ')} " if n and name.isidentifier() and not money else ""
            shown.append(f"{label}{text}")
    return (" " if money else ", ").join(shown)


def amount_told(item: exp.Expr, value: Value, words: Words, decimals: int) -> str:
    """Return what was calculated, in the currency that the name of its column has."""
    currency = currency_of_column(item)
    if currency and isinstance(value, int | float) and not item.find(exp.Count):
        return f"{words.number(value, decimals or (0 if value == int(value) else 2))} {currency}"
    return figure(value, words, decimals)


def currency_of_column(item: exp.Expr) -> str | None:
    """Return the currency that the name of a column has from which something is calculated."""
    return currency_in(" ".join(column.name for column in item.find_all(exp.Column)))


def _alone(plan: Checked, told: str, found: Found) -> str:
    """Return the only row of a list; one cell of it with its column, or how it was calculated."""
    if len(found.names) > 1:
        return told
    if isinstance(plan.outer.expressions[0].unalias(), exp.Column):
        return f"{found.names[0].replace('_', ' ')}: {told}"
    value, mark, places = told.partition(" [")
    return f"{value} ({reckoned(plan.outer)}){mark}{places}"


def _shortened(row: dict[str, Value]) -> dict[str, Value]:
    """Return the cells of a row."""
    return {name: cut(v) if isinstance(v, str) else v for name, v in row.items()}
