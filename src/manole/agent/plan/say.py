"""A query's result in words, with the rows it stands on. No model has a part in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from manole.agent.plan.check import Checked
from manole.catalog.sandbox import Value
from manole.models.files import human_size

_LISTED = 50  # rows that are said
_CITED = 20  # places behind a figure
_CELL = 200  # characters of a value, shown
_NOUNS = {
    "files": ("file", "files"), "folders": ("folder", "folders"), "papers": ("paper", "papers"),
    "entries": ("entry", "entries"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said, and the objects that it cites as `[1]`, `[2]` …."""

    text: str
    objects: list[dict[str, Any]]


def say(
    plan: Checked,
    names: Sequence[str],
    rows: Sequence[tuple[Value, ...]],
    behind: Sequence[tuple[Value, ...]],
) -> Answer:
    """The answer: yes or no, a figure, or a list.

    `behind` says where the rows stand that it comes from: paths, pages, lines.
    """
    noun = _NOUNS[plan.source.name]
    if plan.asks_whether:
        return _whether(behind, noun)
    if plan.grouped or plan.computes:
        return _computed(plan, names, rows, behind, noun)
    return _listed(plan, names, rows, noun)


def _whether(behind: Sequence[tuple[Value, ...]], noun: tuple[str, str]) -> Answer:
    if not behind:
        return Answer(f"No, there are no such {noun[1]}.", [])
    objects = _objects(behind[:_CITED])
    return Answer(f"Yes, {_many(len(behind), noun)}: {_places(objects, len(behind))}", objects)


def _computed(
    plan: Checked,
    names: Sequence[str],
    rows: Sequence[tuple[Value, ...]],
    behind: Sequence[tuple[Value, ...]],
    noun: tuple[str, str],
) -> Answer:
    objects = _objects(behind[:_CITED])
    items = plan.outer.expressions
    single = len(rows) == 1 and len(rows[0]) == 1
    if single and isinstance(items[0].unalias(), exp.Count):
        value = rows[0][0]
        counted = items[0].unalias()
        distinct = isinstance(counted.this, exp.Distinct)
        what = (names[0], f"{counted.this.expressions[0].name}s") if distinct else noun
        head = f"{value} {what[0] if value == 1 and not distinct else what[1]}"
    elif len(rows) == 1 and all(v is None for v in rows[0]):
        return Answer("", [])
    else:
        shown = [_row(plan, names, row) for row in rows[:_LISTED]]
        head = shown[0] if len(shown) == 1 else "\n" + "\n".join(f"- {line}" for line in shown)
        if len(rows) == 1 and len(behind) > 1:
            head += f" (from {_many(len(behind), noun)})"
    return Answer(f"{head}: {_places(objects, len(behind))}" if objects else f"{head}.", objects)


def _listed(
    plan: Checked, names: Sequence[str], rows: Sequence[tuple[Value, ...]], noun: tuple[str, str]
) -> Answer:
    if not rows:
        return Answer(f"There are no such {noun[1]}.", [])
    at = {name: n for n, name in enumerate(names)}
    places = [
        tuple(row[at[c]] if c in at else None for c in ("path", "page", "line"))
        for row in rows[:_LISTED]
    ]
    # A folder has no page that could be opened.
    objects = _objects(places) if "path" in at and plan.source.name != "folders" else []
    lines = [
        f"- {_row(plan, names, row)}{f' [{n}]' if objects else ''}"
        for n, row in enumerate(rows[:_LISTED], start=1)
    ]
    if len(rows) == 1:
        return Answer(lines[0].removeprefix("- "), objects)
    more = f"\n… and {len(rows) - _LISTED} more" if len(rows) > _LISTED else ""
    return Answer(f"{_many(len(rows), noun)}:\n" + "\n".join(lines) + more, objects)


def _row(plan: Checked, names: Sequence[str], row: Sequence[Value]) -> str:
    items = plan.outer.expressions
    shown = []
    currency = next((str(v) for n, v in zip(names, row, strict=True) if n == "currency" and v), "")
    for n, (name, value) in enumerate(zip(names, row, strict=True)):
        if value is None or value == "" or (name == "currency" and len(row) > 1):
            continue
        item = items[n] if n < len(items) else None
        columns = {c.name for c in item.find_all(exp.Column)} if item is not None else set()
        text = _value(value, columns | {name})
        if columns & {"total", "net", "tax"} and currency:
            text = f"{text} {currency}"
        label = "" if name in {"path", "name", "folder", "total", "kind"} or n == 0 else f"{name} "
        shown.append(f"{label}{text}" if isinstance(item, exp.Expression) else text)
    if currency and not any(currency in part for part in shown):
        shown.append(currency)
    return ", ".join(shown)


def _value(value: Value, columns: set[str]) -> str:
    if isinstance(value, str):
        return value if len(value) <= _CELL else f"{value[:_CELL]} …"
    if value is not None and "size" in columns:
        size = human_size(value)
        return size if value < 1000 else f"{size} ({round(value):,} bytes)"
    if isinstance(value, float):
        return f"{value:,.2f}"
    return str(value)


def _objects(places: Sequence[tuple[Value, ...]]) -> list[dict[str, Any]]:
    found = []
    for n, place in enumerate(places, start=1):
        path, page, line = (
            (*place, None, None)[:3] if len(place) != 2 else (place[0], None, place[1])
        )
        found.append({
            "id": f"row:catalog:{path}:{page}:{line}:{n}", "kind": "row", "n": n, "file": path,
            "page": page, "line": line, "quote": "", "value": path,
        })  # fmt: skip
    return found


def _places(objects: Sequence[dict[str, Any]], total: int) -> str:
    named = ", ".join(f"{o['file']} [{o['n']}]" for o in objects)
    return named + (f" and {total - len(objects)} more" if total > len(objects) else "")


def _many(count: int, noun: tuple[str, str]) -> str:
    return f"{count} {noun[0] if count == 1 else noun[1]}"
