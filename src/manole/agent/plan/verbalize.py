"""Puts the result of a query in words, with the rows behind it, without a model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypedDict

from sqlglot import exp

from manole.agent.languages import ENGLISH, Words
from manole.agent.plan.query import Checked
from manole.agent.plan.reading import reckoned
from manole.catalog.relations import MONEY
from manole.catalog.sandbox import Value
from manole.models.weights.files import human_size
from manole.tools.objects import FoundRow

_LISTED = 50  # rows in the text: a page or two
_CITED = 20  # files named behind a figure
_FEW = 3  # files that are named within the sentence
_CELL = 200  # characters of a value: a row stays a few lines
_ROWS = 3  # rows of a sheet that are cited behind a figure, as examples
_PLACES = 4  # decimals of a figure that is calculated from cells
_LARGE = 10_000  # from which a number of a sheet is grouped: below it may be a year
_TEXT = 1000  # characters of a cell, which may be pages of text
_NOUNS = {
    "files": "file", "folders": "folder", "papers": "paper", "messages": "message",
    "entries": "entry", "people": "entry", "tasks": "task", "events": "event",
    "tags": "file", "properties": "file",
}  # fmt: skip
ROW = "row"  # of a sheet
_SORTS = frozenset({"kind", "type"})
_COUNTED = {"date": "day", "written": "entry", "path": "file"}
_PLACE = frozenset({"path", "page", "line", "quote"})
_UNNAMED = frozenset({"path", "name", "folder", "kind", "text", *MONEY})  # need no label

Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a query: the names of its columns, its first rows, and their total number.

    `behind` are the places of the rows it comes from, in the columns of `Checked.behind`;
    `stands_on` is their number.
    """

    names: Sequence[str]
    rows: Sequence[Row]
    total: int
    behind: Sequence[dict[str, Value]] = ()
    stands_on: int = 0


class Group(TypedDict):
    """A figure of a comparison: the name of its group, and how it is written."""

    name: str
    value: Value
    said: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The text, and the objects that it cites as `[1]`, `[2]` …; `listed`: row by row.

    `groups` are the figures of a comparison.
    """

    text: str
    objects: list[FoundRow] = field(default_factory=list)
    listed: bool = False
    groups: list[Group] = field(default_factory=list)


def say(plan: Checked, found: Found, words: Words = ENGLISH) -> Answer:
    """Return the answer: yes or no, a figure, or a list; without text where there is none.

    It is written in the language of `words`; names and values stay as they are in the files.
    """
    noun = _NOUNS.get(plan.source.name, ROW)
    if plan.asks_whether:
        return _whether(found, noun, words)
    if plan.grouped or plan.computes:
        return _computed(plan, found, noun, words)
    return _listed(plan, found, noun, words)


def _whether(found: Found, noun: str, words: Words) -> Answer:
    if not found.behind:
        return Answer(words.no.format(nouns=words.plural(noun)))
    objects = cited(found.behind[: _ROWS if noun == ROW else _CITED])
    many = words.many(found.stands_on, noun)
    head = words.yes.format(found=many)
    return Answer(_with_places(head, objects, found.stands_on, words), objects)


def _computed(plan: Checked, found: Found, noun: str, words: Words) -> Answer:
    of_sheet = noun == ROW
    whole = plan.grouped and found.stands_on > _CITED and not of_sheet  # groups of many
    objects = [] if whole else cited(found.behind[: _ROWS if of_sheet else _CITED])
    rows, items = found.rows, plan.outer.expressions
    if len(rows) == 1 and len(rows[0]) == 1 and isinstance(items[0].unalias(), exp.Count):
        value, counted = int(rows[0][0] or 0), items[0].unalias()
        if isinstance(counted.this, exp.Distinct):
            column = counted.this.expressions[0].name
            head = words.many(value, _COUNTED.get(column, column))
        else:
            called, every = _called(plan, words)
            head = words.counted(value, called, every=every)
    elif not rows or (len(rows) == 1 and rows[0][0] is None):
        return Answer("")
    elif plan.in_days:
        head = words.many(abs(round(float(rows[0][0] or 0))), "day")
    else:
        shown = [_row(plan, found.names, row, words) for row in rows[:_LISTED]]
        head = shown[0] if len(shown) == 1 else "\n" + "\n".join(f"- {line}" for line in shown)
        head += _more(found.total, words)
        if len(rows) == 1 and found.stands_on > 1 and not of_sheet:
            head += f" ({words.origin.format(found=words.many(found.stands_on, noun))})"
    if of_sheet and not plan.grouped and (how := reckoned(plan.outer)):
        head += f" ({how})"
    if len(rows) > 1 and objects:
        origin = words.origin.format(found=words.many(found.stands_on, noun))
        text = f"{head}\n{_with_places(origin, objects, found.stands_on, words)}"
    else:
        text = _with_places(head, objects, found.stands_on, words)
    return Answer(text, objects, groups=_groups(plan, found, words))


def _called(plan: Checked, words: Words) -> tuple[str, bool]:
    """Return the noun for what a plan counts, and whether it says all the plan's conditions."""
    noun, where = _NOUNS.get(plan.source.name, ROW), plan.outer.args.get("where")
    if where is None or noun == ROW:
        return noun, noun != ROW
    tests = where.this.flatten() if isinstance(where.this, exp.And) else (where.this,)
    sorts = [t.expression.name for t in tests if isinstance(t, exp.EQ) and t.this.name in _SORTS]
    known = next((sort for sort in sorts if sort in words.nouns), noun)
    return known, known != noun and isinstance(where.this, exp.EQ)


def _groups(plan: Checked, found: Found, words: Words) -> list[Group]:
    """Return the figures of several groups, where each row has one number and a name.

    None for amounts in several currencies, which cannot be compared.
    """
    groups: list[Group] = []
    currencies = set()
    for row in found.rows[:_LISTED] if plan.grouped and len(found.rows) > 1 else ():
        cells = dict(zip(found.names, row, strict=True))
        currencies.add(currency := cells.pop("currency", None) or "")
        numbers = [n for n, value in cells.items() if isinstance(value, (int, float))]
        named = ", ".join(str(value) for value in cells.values() if isinstance(value, str))
        if len(numbers) != 1 or not named or len(currencies) > 1:
            return []
        value = cells[numbers[0]]
        own = plan.source.name in _NOUNS
        told = _value(value, {numbers[0]}, words) if own else _figure(value, words)
        said = f"{told} {currency}".strip()
        groups.append(Group(name=named, value=value, said=said))
    return groups


def _listed(plan: Checked, found: Found, noun: str, words: Words) -> Answer:
    if not found.rows:
        return Answer(words.nothing.format(nouns=words.plural(noun)))
    rows = found.rows
    of_sheet = noun == ROW
    columns = [dict(zip(found.names, row, strict=True)) for row in rows]
    # A folder has no page that could be opened. Without a path, the rows behind are those listed.
    each = len(found.behind) == len(rows)
    at = found.behind if each or of_sheet else columns
    opens = plan.source.name != "folders" and all(place.get("path") for place in at)
    cells = [_shortened(row) if of_sheet else _cells(row) for row in columns]
    objects = cited(at, cells if len(at) == len(rows) else ()) if opens else []
    every = [row.n for row in objects][:_ROWS]  # where it is unknown which of them a line is from
    told: dict[tuple[str, int], list[int]] = defaultdict(list)  # the same cells are told once
    for n, row in enumerate(rows, start=1):
        line = f"- {_row(plan, found.names, row, words)}"
        told[line, 0 if of_sheet else n] += [n] if len(at) == len(rows) else every
    listed = list(told.items())[:_LISTED]
    lines = [f"{line} {_marks(ns[:_ROWS])}" if objects else line for (line, _), ns in listed]
    if len(told) == 1:
        return Answer(_alone(plan, lines[0].removeprefix("- "), found), objects)
    if len(told) < len(rows) or (plan.outer.args.get("distinct") and "path" not in found.names):
        head = words.in_all.format(count=words.number(min(found.total, len(told))))  # no files
    else:
        called, _ = _called(plan, words)
        head = f"{words.many(found.total, called)}{'' if of_sheet else _together(found, words)}:"
    text = "\n".join([head, *lines]) + _more(len(told) + found.total - len(rows), words)
    return Answer(text, objects, listed=bool(objects))


def _alone(plan: Checked, told: str, found: Found) -> str:
    """Return the only row of a list; of one cell of a sheet with its column, or where from."""
    if plan.source.name in _NOUNS or len(found.names) > 1:
        return told
    if isinstance(plan.outer.expressions[0].unalias(), exp.Column):
        return f"{found.names[0]}: {told}"
    value, mark, marks = told.partition(" [")
    return f"{value} ({reckoned(plan.outer)}){mark}{marks}"


def _together(found: Found, words: Words) -> str:
    """Return the sums of listed papers by currency."""
    if not {"total", "currency"} <= set(found.names) or found.total > len(found.rows):
        return ""
    sums: dict[Value, Decimal] = defaultdict(Decimal)
    for row in found.rows:
        cells = dict(zip(found.names, row, strict=True))
        if cells["total"] is not None:
            sums[cells["currency"]] += Decimal(str(cells["total"]))
    said = [f"{words.number(amount, 2)} {of or ''}".strip() for of, amount in sums.items()]
    return f", {words.together} {words.joined(said)}" if said else ""


def _row(plan: Checked, names: Sequence[str], row: Row, words: Words) -> str:
    items = plan.outer.expressions
    if plan.source.name not in _NOUNS:
        return _of_cells(items, names, row, words)
    shown = []
    amounts = len(MONEY.intersection(names))
    currency = next((str(v) for n, v in zip(names, row, strict=True) if n == "currency" and v), "")
    for n, (name, value) in enumerate(zip(names, row, strict=True)):
        if value is None or value == "" or (name == "currency" and len(row) > 1):
            continue
        item = items[n] if n < len(items) else None
        counted = item.unalias() if item is not None else None
        if isinstance(counted, exp.Count) and not isinstance(counted.this, exp.Distinct):
            shown.append(words.many(int(value or 0), _NOUNS[plan.source.name]))
            continue
        columns = {c.name for c in item.find_all(exp.Column)} if item is not None else set()
        share = item is not None and item.find(exp.Div) is not None
        text = _value(value, {name} if share else columns | {name}, words) + _unit(item, value)
        if columns & MONEY and currency:
            text = f"{text} {currency}"
        plain = name in _UNNAMED and (name not in MONEY or amounts == 1)
        label = "" if plain or n == 0 or text.endswith(name) else f"{words.column(name)} "
        shown.append(f"{label}{text}" if isinstance(item, exp.Expression) else text)
    if currency and not any(currency in part for part in shown):
        shown.append(currency)
    return ", ".join(shown)


def _of_cells(items: Sequence[exp.Expr], names: Sequence[str], row: Row, words: Words) -> str:
    """Return the cells of a sheet, and what is calculated from them."""
    shown = []
    for n, (name, value) in enumerate(zip(names, row, strict=True)):
        item = items[n].unalias() if n < len(items) else None
        if value is None or value == "":
            continue
        if isinstance(item, (exp.Predicate, exp.Exists)) and value in {0, 1}:
            shown.append((words.yes if value else words.no).split(",")[0])
        elif isinstance(item, exp.Count) and not isinstance(item.this, exp.Distinct):
            shown.append(words.many(int(value), ROW))
        else:
            shown.append(f"{name} {_figure(value, words)}" if n and name.isidentifier()
                         else _figure(value, words))  # fmt: skip
    return ", ".join(shown)


def _figure(value: Value, words: Words) -> str:
    """Return a value without needless digits, grouped where it cannot be a year."""
    if value is None or isinstance(value, str):
        return _cut(value or "")
    exact = round(Decimal(str(value)), _PLACES)
    text = f"{exact:,f}" if abs(exact) >= _LARGE else f"{exact:f}"
    return words.notated(text.rstrip("0").rstrip(".") if "." in text else text)


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[:_TEXT]} …"


def _value(value: Value, columns: set[str], words: Words) -> str:
    if isinstance(value, str):
        return value if len(value) <= _CELL else f"{value[:_CELL]} …"
    if value is not None and "size" in columns:
        size = words.notated(human_size(value))
        return size if value < 1000 else f"{size} ({words.number(round(value))} bytes)"
    if isinstance(value, float):
        return words.number(value, 2 if columns & MONEY or not value.is_integer() else 0)
    return str(value)


def _unit(item: exp.Expr | None, value: Value) -> str:
    """Return the unit of a quantity in a text; for hours with the minutes."""
    calls = item.find_all(exp.Anonymous) if item is not None else ()
    call = next((c for c in calls if str(c.this).lower() == "value"), None)
    unit = call.expressions[1].name if call is not None and len(call.expressions) > 1 else ""
    if unit.startswith("hour") and isinstance(value, float):
        return f" {unit} ({60 * value:,.0f} minutes)"
    return f" {unit}" if unit else ""


def cited(
    places: Sequence[dict[str, Value]], columns: Sequence[dict[str, Value]] = ()
) -> list[FoundRow]:
    """Return the rows with their places and cells."""
    return [
        FoundRow(
            id=f"row:catalog:{place['path']}:{place.get('page')}:{place.get('line')}:{n}",
            n=n,
            file=str(place["path"]),
            page=_whole(place.get("page")),
            line=_whole(place.get("line")),
            quote=str(place.get("quote") or str(place.get("text") or "")[:_CELL]),
            value=str(place["path"]),
            columns=columns[n - 1] if columns else {},
        )
        for n, place in enumerate(places, start=1)
    ]


def _cells(row: dict[str, Value]) -> dict[str, Value]:
    """Return the cells of a row but its place."""
    return {name: value for name, value in row.items() if name not in _PLACE}


def _shortened(row: dict[str, Value]) -> dict[str, Value]:
    """Return the cells of a sheet's row."""
    return {name: _cut(v) if isinstance(v, str) else v for name, v in row.items()}


def _whole(value: Value) -> int | None:
    """Return a page or line number, if there is one."""
    return None if value is None else int(value)


def _with_places(head: str, objects: Sequence[FoundRow], total: int, words: Words) -> str:
    """Return a sentence with the places behind it: a few in the sentence, more as a list."""
    files: dict[str, list[int]] = defaultdict(list)
    for row in objects:
        files[row.file].append(row.n)
    named = [f"{file} {_marks(ns)}" for file, ns in files.items()]
    rest = words.more.format(count=words.number(total - len(objects)))
    if not named:
        return f"{head}."
    more = [f"… {rest}"] if total > len(objects) else []
    if total <= _FEW or len(named) == 1:
        return f"{head}: {', '.join([*named, *more])}"
    lines = [*(f"- {place}" for place in named), *more]
    return f"{head}.\n" + "\n".join(lines)


def _marks(places: Sequence[int]) -> str:
    return "".join(f"[{n}]" for n in places)


def _more(total: int, words: Words) -> str:
    rest = words.more.format(count=words.number(total - _LISTED))
    return f"\n… {rest}" if total > _LISTED else ""
