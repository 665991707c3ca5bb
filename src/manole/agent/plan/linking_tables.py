"""Finds a parsed question's table, its columns and cells, and makes the plan of it.

A column is found by the words of its header, a cell by its words; the table is the one that is
named, or the only one that has most of what the question names.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from manole.agent.plan.marks import (
    COMPARED,
    GIVEN,
    Asked,
    alternatives,
    apart,
    comparisons,
    figures,
    limit_of,
)
from manole.agent.plan.query import PlanError
from manole.agent.plan.typed import TIMES, Condition, Given, TypedPlan
from manole.agent.plan.values import bare, named, parts_of
from manole.catalog.sheets import Column, Sheet
from manole.models.parser import Mark
from manole.text.words import fold, stem, stems

_VALUES = frozenset({"value", "topic", "party", "recipient", "status", "type", "kind", "tag"})
_LIKE = 0.8  # difflib ratio of another spelling: one letter of five
_MEASURING = frozenset({"sum", "avg", "max", "min"})  # whose column may be the only one
_YEARS = range(1000, 2200)
_NUMERIC = frozenset({"REAL", "LONG"})


@dataclass(frozen=True, slots=True)
class _Linked:
    """A mark with the column of one table that has it, and the cells, if it is one."""

    mark: Mark
    column: Column
    cells: tuple[str, ...] = ()


class TableLinker:
    """Makes the plan of one question over the table that it is about."""

    def __init__(self, question: Asked, sheets: Mapping[str, Sheet], scope: str = "") -> None:
        self._labels = question.parsed.labels
        self._marks, self._replaced = question.marks, question.replaced
        self._question = question.parsed.question
        self._sheets = {n: s for n, s in sheets.items() if not scope or s.file == scope}

    def plan(self) -> TypedPlan:
        """Return the plan. Raises `PlanError` where none of this kind says what is asked."""
        if self._labels["op"] not in GIVEN:
            raise PlanError("no single plan gives this")
        name = self._table()
        linked = _Link(self._sheets[name], name, self._labels, self._marks)
        linked.keep(self._replaced)
        return linked.plan()

    def _table(self) -> str:
        """Return the name of the table that is meant."""
        said = [m.text for m in self._marks if m.tag in {"file", "folder"}]
        known = list(self._sheets)
        for text in said:
            own = [n for n in known if set(parts_of(text)) <= set(parts_of(n.replace("_", " ")))]
            own = own or named(text, known) or [n for n in known if _alike(text, self._sheets[n])]
            if len(own) == 1:
                return own[0]
            known = own or known
        if len(known) == 1:
            return known[0]
        weights = {name: self._weight(name) for name in known}
        best = sorted(weights, key=lambda n: -weights[n])[:2]
        if (
            not best
            or weights[best[0]] <= 0
            or (len(best) > 1 and weights[best[0]] == weights[best[1]])
        ):
            raise PlanError("it is not said which table")
        return best[0]

    def _weight(self, name: str) -> float:
        """Return how much of the question a table has."""
        sheet, weight = self._sheets[name], 0.0
        for mark in self._marks:
            if mark.tag == "column":
                weight += 1.0 if column_called(mark.text, sheet.columns) else -0.5
            elif mark.tag in _VALUES:
                weight += 1.0 if cells_called(mark.text, sheet) else -1.0
        own = stems(name.replace("_", " "))
        return weight + 1.5 * len(own & stems(self._question)) / max(1, len(own))


def _alike(text: str, sheet: Sheet) -> bool:
    return bare(text) in bare(sheet.file) or bool(
        sheet.table.title and bare(text) in bare(sheet.table.title)
    )


def column_called(text: str, columns: Sequence[Column]) -> Column | None:
    """Return the column of that name: equal, of the same words, holding them, or nearly so."""
    plain, own = bare(text), stems(text)
    names = {column.name: stems(column.label) for column in columns}
    ways = (
        [c for c in columns if plain in {bare(c.label), c.name}],
        [c for c in columns if own and names[c.name] == own],
        [c for c in columns if own and own <= names[c.name]],
        [c for c in columns if names[c.name] and names[c.name] <= own],
    )
    if found := next(filter(None, ways), None):
        return found[0] if len(found) == 1 else None
    labels = {bare(column.label): column for column in columns}
    near = difflib.get_close_matches(plain, labels, 1, _LIKE)
    return labels[near[0]] if near else None


def cells_called(text: str, sheet: Sheet) -> tuple[Column, tuple[str, ...]] | None:
    """Return the column that has a value, and its cells: equal ones, else those that hold it."""
    plain, own = fold(text).strip(), _stems(text)
    texts = [
        (column, dict.fromkeys(str(value) for value in column.values if value is not None))
        for column in sheet.columns
        if column.kind == "TEXT"
    ]
    for exact in (True, False):
        for column, cells in texts:
            own_cells = [c for c in cells if (_stems(c) == own if exact else own <= _stems(c))]
            if own and own_cells:
                return column, tuple(own_cells)
    for column, cells in texts:
        known = {fold(cell): cell for cell in cells}
        if near := difflib.get_close_matches(plain, known, 1, _LIKE):
            return column, (known[near[0]],)
    return None


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(part) for part in parts_of(fold(text)))


class _Link:
    """Links the marks of one question to one table."""

    def __init__(
        self, sheet: Sheet, name: str, labels: Mapping[str, str], marks: Sequence[Mark]
    ) -> None:
        self._sheet, self._name, self._labels, self._marks = sheet, name, labels, marks
        self._columns: list[Column] = []  # that are named, in order
        self._cells: list[_Linked] = []
        self._measures = labels["op"] in _MEASURING or any(m.tag in COMPARED for m in marks)
        for mark in marks:
            self._link(mark)

    def _link(self, mark: Mark) -> None:
        if mark.tag in {"column", "unit"}:
            column = column_called(mark.text, self._sheet.columns)
            if column is not None:
                self._columns.append(column)
            elif found := cells_called(mark.text, self._sheet):
                self._cells.append(_Linked(mark, *found))
            elif mark.tag == "column" and not self._measures:
                raise PlanError(f"no column is called {mark.text}")
        elif mark.tag in _VALUES:
            found = cells_called(mark.text, self._sheet)
            if found is not None:
                self._cells.append(_Linked(mark, *found))
            elif (column := column_called(mark.text, self._sheet.columns)) is not None:
                self._columns.append(column)
            else:
                raise PlanError(f"no cell is {mark.text}")
        elif mark.tag not in {"file", "folder", "period", "number", "empty", "scope", *COMPARED}:
            raise PlanError(f"{mark.text} is asked of a model")

    def keep(self, replaced: Sequence[Mark]) -> None:
        """Keep the row where only a column took its place, and the column where only a row did."""
        taken = {self._is_cell(mark) for mark in self._marks if mark.tag == "value"}
        if len(taken) == 1:
            other = {not taken.pop()}
            kept = (mark for mark in reversed(replaced) if {self._is_cell(mark)} == other)
            if (mark := next(kept, None)) is not None:
                self._link(mark)

    def _is_cell(self, mark: Mark) -> bool | None:
        """Return whether a value is a cell, or the name of a column; `None` for neither."""
        if cells_called(mark.text, self._sheet) is not None:
            return True
        return None if column_called(mark.text, self._sheet.columns) is None else False

    def plan(self) -> TypedPlan:
        """Return the plan."""
        labels = self._labels
        given: Given = labels["op"]  # type: ignore[assignment]
        group = self._grouped()
        measure = self._measured(given, group)
        if given == "distinct":
            told = [c for c in self._columns if c.kind == "TEXT"] or self._columns
            if not told:
                raise PlanError("it is not said what is to differ")
            measure, group = told[0], ""
        conditions, sides = apart(given, tuple(self._conditions(measure)))
        shown = tuple(
            dict.fromkeys(
                [*(c.name for c in self._columns), *(c.name for c in self._sheet.columns)]
            )
        )
        return TypedPlan(
            self._name,
            given,
            measure.name if measure else "",
            group=group,
            order=labels["order"].replace("-", ""),  # type: ignore[arg-type]
            limit=limit_of(labels["limit"]),
            conditions=conditions,
            sides=sides,
            shown=shown,
            dated=self._day(),
        )

    def _day(self) -> str:
        days = [c.name for c in self._sheet.columns if c.kind == "DAY"]
        return days[0] if len(days) == 1 else ""

    def _grouped(self) -> str:
        said = self._labels["group"]
        if said == "-":
            return ""
        if said in TIMES:
            return said
        texts = [c for c in self._columns if c.kind not in _NUMERIC]
        by_name = column_called(said, self._sheet.columns)
        if by_name is not None:
            return by_name.name
        if not texts:
            raise PlanError("it is not said by what it is grouped")
        self._columns.remove(texts[0])
        return texts[0].name

    def _measured(self, given: str, group: str) -> Column | None:
        """Return the column that is added, compared or ordered by."""
        ordered = self._labels["order"] != "-"
        compared = any(mark.tag in COMPARED for mark in self._marks)
        if given in {"rows", "count", "exists", "distinct"} and not (ordered or compared):
            return None
        if group and given == "count":
            return None
        kinds = ("DAY",) if self._labels["column"] in {"date", "due"} or given in {
            "first", "last"} else tuple(_NUMERIC)  # fmt: skip
        fit = [c for c in self._columns if c.kind in kinds and c.name != group]
        fit = fit or [c for c in self._sheet.columns if c.kind in kinds and not _years(c)]
        if len(fit) == 1 or (fit and fit[0] in self._columns):
            return fit[0]
        head = column_called(self._labels["column"], fit) if fit else None
        if head is not None:
            return head
        if ordered and self._labels["column"] == "-" and not fit:
            return None
        raise PlanError("it is not said what is measured")

    def _conditions(self, measure: Column | None) -> Iterator[tuple[Condition, ...]]:
        parts = alternatives(
            self._cells,
            lambda last, cell: cell.mark.either and last.mark.denied == cell.mark.denied,
        )
        for part in parts:
            tests = [Condition("is", p.column.name, p.cells, p.mark.denied) for p in part]
            if part[0].mark.denied:
                yield from ((test,) for test in tests)
            else:
                yield tuple(tests)
        for mark in self._marks:
            if mark.tag == "period":
                yield (self._during(mark),)
            elif mark.tag == "empty":
                if not self._columns:
                    raise PlanError("it is not said what is missing")
                yield (Condition("missing", self._columns[0].name),)
        yield from ((test,) for test in self._compared(measure))

    def _during(self, mark: Mark) -> Condition:
        days = [c for c in self._sheet.columns if c.kind == "DAY"]
        if len(days) == 1:
            return Condition("during", days[0].name, (mark.text,), mark.denied)
        years = [c for c in self._sheet.columns if _years(c)]
        if len(years) == 1 and (said := re.search(r"\b[12]\d{3}\b", mark.text)):
            return Condition("is", years[0].name, (said[0],), mark.denied)
        if found := cells_called(mark.text, self._sheet):
            return Condition("is", found[0].name, found[1], mark.denied)
        raise PlanError(f"no column is of {mark.text}")

    def _compared(self, measure: Column | None) -> Iterator[Condition]:
        tests = [m for m in self._marks if m.tag in COMPARED]
        numbers = figures(self._marks)
        if not tests and not numbers:
            return
        of = measure if measure is not None and measure.kind in _NUMERIC else None
        if of is None:
            raise PlanError("it is not said what is compared")
        yield from comparisons(tests, numbers, of.name)


def _years(column: Column) -> bool:
    """Return whether a column has years."""
    filled = [v for v in column.values if v is not None]
    return (
        column.kind in _NUMERIC
        and bool(filled)
        and all(isinstance(v, int | float) and v == int(v) and int(v) in _YEARS for v in filled)
    )
