"""How the values of columns are written: days, sizes, amounts and quantities, in a language."""

from __future__ import annotations

import re
from calendar import day_name
from datetime import date
from decimal import Decimal

from sqlglot import exp

from manole.agent.languages import Words
from manole.catalog.relations import DIARY, MONEY, RELATIONS, Relation
from manole.catalog.sandbox import Value
from manole.models.weights.files import human_size
from manole.text.names import person

CELL = 200  # characters of a value: a row stays a few lines
_TEXT = 1000  # characters of a cell of a sheet, which may be pages of text
PERCENT = "percent"  # the name of a share
_PLACES = 4  # decimals of a figure that is calculated from cells
_LARGE = 10_000  # from which a number of a sheet is grouped: below it may be a year
_TIME = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")
_OF_MONTH = re.compile(r", 6, 2\)|'%m'", re.IGNORECASE)  # the month of an ISO day, without a year


def written(
    relation: Relation,
    item: exp.Expr | None,
    name: str,
    value: Value,
    words: Words,
    *,
    short: bool = False,
) -> str:
    """Return a value in the language's notation: a day, a size, an amount, with its unit."""
    if name == PERCENT and isinstance(value, int | float):
        return f"{words.number(value, 1)} %"
    columns = {c.name for c in item.find_all(exp.Column)} if item is not None else set()
    used = {name} if item is not None and item.find(exp.Div) is not None else columns | {name}
    if isinstance(value, (str, int)) and item is not None and is_time(relation, item):
        return _time(str(value), item, words)
    if relation.name not in RELATIONS:
        return figure(value, words)
    if isinstance(value, str):
        value = (person(value) or value) if "sender" in used else value
        return value if len(value) <= CELL else f"{value[:CELL]} …"
    if value is not None and "size" in used:
        size = words.notated(human_size(value))
        return size if value < 1000 or short else f"{size} ({words.number(round(value))} bytes)"
    if isinstance(value, float):
        digits = 2 if used & MONEY or not value.is_integer() else 0
        return words.number(value, digits) + _unit(item, value)
    return f"{value}{_unit(item, value)}"


def figure(value: Value, words: Words, decimals: int = 0) -> str:
    """Return a value of a sheet without needless digits, grouped where it cannot be a year.

    `decimals` are what it has, where it has any.
    """
    if value is None or isinstance(value, str):
        return cut(value or "")
    exact = round(Decimal(str(value)), decimals or _PLACES)
    text = f"{exact:,f}" if abs(exact) >= _LARGE else f"{exact:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    if decimals:
        whole, _, rest = text.partition(".")
        text = f"{whole}.{rest:0<{decimals}}"
    return words.notated(text)


def cut(text: str) -> str:
    """Return a cell of a sheet, the beginning of a long one."""
    return text if len(text) <= _TEXT else f"{text[:_TEXT]} …"


def _time(value: str, item: exp.Expr, words: Words) -> str:
    """Return a day, a month or a year in words: "12 December 2024", "December 2024"."""
    if not (found := _TIME.fullmatch(value)):
        of_year = value.isdecimal() and _OF_MONTH.search(item.sql())
        return words.months[int(value) - 1] if of_year else value
    year, month, day = found.groups()
    if day:
        return words.written(date.fromisoformat(value))
    return f"{words.months[int(month) - 1]} {year}" if month else year


def is_time(relation: Relation, item: exp.Expr) -> bool:
    """Return whether its value is a day, or a part of one."""
    columns = {column.name for column in item.find_all(exp.Column)}
    counts = item.find(exp.Count, exp.Sub) is not None
    weekday = "weekday" in columns and relation.name in DIARY
    return not counts and (weekday or any(relation.columns.get(name) == "DAY" for name in columns))


def in_order(value: Value) -> tuple[int, str]:
    """Return what sorts times: weekdays from Monday, what has none at the end."""
    days = list(day_name)
    return (days.index(value) if value in days else 7 + (value is None), f"{value!s:>9}")


def _unit(item: exp.Expr | None, value: Value) -> str:
    """Return the unit of a quantity in a text; for hours with the minutes."""
    calls = item.find_all(exp.Anonymous) if item is not None else ()
    call = next((c for c in calls if str(c.this).lower() == "value"), None)
    unit = call.expressions[1].name if call is not None and len(call.expressions) > 1 else ""
    if unit.startswith("hour") and isinstance(value, float):
        return f" {unit} ({60 * value:,.0f} minutes)"
    return f" {unit}" if unit else ""
