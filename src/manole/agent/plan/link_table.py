"""Links the marks of a parsed question to one table, and makes the plan over it.

A column is found by the words of its header, a cell by its words. What stands in the question as it
stands in a cell is meant by it too, marked or not. Where words find nothing, likeness may.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain, pairwise
from typing import Literal

from manole.agent.answer.reckoned import times_a_year
from manole.agent.plan.choose_sheet import DEEDS
from manole.agent.plan.likeness import Likeness, called
from manole.agent.plan.marks import (
    COMPARED,
    PARTIES,
    Asked,
    alternatives,
    apart,
    compares_columns,
    comparisons,
    counted,
    figures,
    limit_of,
    unmarked,
)
from manole.agent.plan.query import PlanError
from manole.agent.plan.table_periods import during, has_years
from manole.agent.plan.table_words import (
    cells_called,
    cells_named,
    cells_spoken,
    cells_told,
    column_called,
    columns_spoken,
    is_named,
    name_of,
    product_of,
    words_in,
)
from manole.agent.plan.typed import TIMES, Condition, Given, TypedPlan
from manole.agent.plan.values import name_stems, parts_of
from manole.catalog.families import Family
from manole.catalog.payments import Payments
from manole.catalog.sheets import NUMERIC, Column, Sheet
from manole.models.parser import Mark
from manole.text.amounts import currency_of
from manole.text.language import language_of
from manole.text.lexicon import synonyms
from manole.text.lists import lines
from manole.text.numbers import UNITS
from manole.text.statuses import payment_called
from manole.text.words import LIGHT, STOP, fold, stem, stems, words

VALUES = frozenset({"value", "topic", "party", "recipient", "status", "type", "kind", "tag"})
GUESSED = 0.99  # likeness where only the measured column, or the file, is told by no word
PLACES = frozenset({"file", "folder"})
_MANY = 500  # different cells that a word may mean: a query with more of them takes minutes
_MEASURING = frozenset({"sum", "avg", "max", "min"})  # whose column may be the only one
_PACES = {1: "year", 4: "quarter", 12: "month", 52: "week"}
_READINGS = 5  # from which rising figures are those of a counter
_ADDED = frozenset({"sum", "avg", "count", "share", "diff"})
_MONEY = frozenset({"-", "amount", "total"})  # labels of what was paid, be it in or out


@dataclass(frozen=True, slots=True)
class _Cells:
    """A mark with the column of one table that has it, and its cells there."""

    mark: Mark
    column: Column
    cells: tuple[str, ...] = ()


class TableLink:
    """Links the marks of one question to one table.

    `told`: the question names the table. `names`: other names of things are looked for, too.
    `likeness` is the least of what was found by them, or by `like`.
    """

    def __init__(
        self,
        sheet: Sheet,
        name: str,
        question: Asked,
        today: date,
        told: bool,
        names: bool = False,
        like: Likeness | None = None,
    ) -> None:
        self._sheet, self._name, self._today, self._told = sheet, name, today, told
        self._labels, self._marks = question.parsed.labels, question.marks
        self._parsed, self._names, self._like = question.parsed, names, like
        self._sides = compares_columns(question)
        self.columns: list[Column] = []  # that are named, in order
        self.cells: list[_Cells] = []
        self._paid: list[Condition] = []
        self.named, self.likeness = False, 1.0
        compared = any(mark.tag in COMPARED for mark in self._marks)
        self._measures = self._labels["op"] in _MEASURING or compared
        self._missed = ""  # what is named as a column and is none
        for mark in self._marks:
            self._link(mark)
        self._join()
        unit = self._missed.lower() in UNITS and not currency_of(self._missed)
        if self._missed and (unit or not (self._measures and (self.cells or told))):
            raise PlanError(f"no column is called {self._missed}")
        if any(len(cell.cells) > _MANY for cell in self.cells):
            raise PlanError("so many cells are no condition")
        taken = {cell.column.name for cell in self.cells}
        self._spoken = [
            Condition("is", column.name, cells)
            for column, cells in cells_spoken(self._parsed.question, self._marks, sheet)
            if column.name not in taken
        ]

    def _link(self, mark: Mark) -> None:
        if mark.tag in {"column", "unit"}:
            column = column_called(mark.text, self._sheet.columns)
            if column is not None:
                self.columns.append(column)
            elif found := cells_called(mark.text, words_in(self._sheet)):
                self.cells.append(_Cells(mark, *found))
            elif mark.tag == "column" and not self._otherwise(mark):
                self._missed = mark.text
        elif mark.tag in VALUES:
            self._value(mark)
        elif mark.tag in PLACES:
            self._place(mark)
        elif mark.tag == "ext" and self._told:
            pass  # "the PHP functions of helpers.inc"
        elif mark.tag not in {"period", "number", "empty", "scope", *COMPARED}:
            raise PlanError(f"{mark.text} is asked of a model")

    def _place(self, mark: Mark) -> None:
        """Take what is no name of the table for a cell: the `Apfelgarten` of a list of flats."""
        own = name_stems(mark.text)
        if not own & name_of(self._sheet) and (found := cells_named(own, words_in(self._sheet))):
            self.cells.append(_Cells(mark, *found))

    def _value(self, mark: Mark) -> None:
        """Find a value: a cell, a column, or the table itself; the likest where none has it."""
        own, cells = name_stems(mark.text), words_in(self._sheet)
        folders = map(name_stems, self._sheet.file.split("/")[:-1])
        heads = [c for c in self._sheet.columns if own == stems(c.label) and c.kind != "TEXT"]
        named = bool(cells_named(own, cells))  # else a cell may have the word beside others
        if own in folders and not named:
            self.named = True
        elif len(heads) == 1 and not named and mark.tag != "status":
            self.columns += heads
        elif found := cells_called(mark.text, cells):
            self.cells.append(_Cells(mark, *found))
        elif found := cells_told(mark, self._sheet):
            self.cells.append(_Cells(replace(mark, denied=False), *found))
        elif mark.tag == "status" and (tests := self._paid_on(mark)):
            self._paid += tests
        elif mark.tag == "status":
            raise PlanError(f"no cell says {mark.text}")
        elif (column := column_called(mark.text, self._sheet.columns)) is not None:
            self.columns.append(column)
        elif own and all(is_named(word, self._sheet) for word in own):
            self.named = True
        elif not (self._partly(mark) or self._otherwise(mark)):
            self._likest_value(mark)

    def _paid_on(self, mark: Mark) -> list[Condition]:
        """Return what a column of the days of payment says of a status.

        What is open has none, and is no debt of nothing.
        """
        status = payment_called(mark.text, mark.denied)
        days = [c for c in self._sheet.columns if c.kind == "DAY"]
        paid = [c for c in days if payment_called(c.words) == "paid"]
        if not status or len(paid) != 1:
            return []
        owed = [c.name for c in self._sheet.columns if c.is_numeric and self.has_money(c.name)]
        tests = [Condition("missing", paid[0].name, denied=status == "paid")]
        if status != "paid" and len(owed) == 1:
            tests.append(Condition("over", owed[0], ("0",)))
        return tests

    def _partly(self, mark: Mark) -> bool:
        """Find a cell that is one word of several: the client of "the Lindqvist garden"."""
        parts, cells = parts_of(mark.text), words_in(self._sheet)
        held = [found for part in parts if (found := cells_named(stems(part), cells))]
        if len(parts) < 2 or len(held) != 1:
            return False
        self.cells.append(_Cells(mark, *held[0]))
        self.likeness = min(self.likeness, GUESSED)
        return True

    def _otherwise(self, mark: Mark) -> bool:
        """Find a value or column by another name of it: the `Rasse` of a "breed"."""
        if not self._names:
            return False
        for name in synonyms(mark.text, language_of(self._parsed.question)):
            if not (known := stems(name)):
                continue
            cells = words_in(self._sheet) if mark.tag != "column" else ()
            columns = [c for c in self._sheet.columns if known <= stems(c.label)]
            of_party = cells_called(name, cells) if mark.tag in PARTIES else None
            if found := of_party or cells_named(known, cells):
                self.cells.append(_Cells(mark, *found))
            elif len(columns) == 1:
                self.columns += columns
            elif mark.tag != "column" and known <= name_of(self._sheet):
                self.named = True
            else:
                continue
            self.likeness = min(self.likeness, GUESSED)
            return True
        return False

    def _likest_value(self, mark: Mark) -> None:
        """Find a value by likeness: what is still more like the name of a table is no cell."""
        if (like := self._like) is None:
            raise PlanError(f"no cell is {mark.text}")
        name = like.name(mark.text)
        found = like.cell(mark.text, self._sheet)
        taken = found is not None and any(found[0] == (c.column, c.cells) for c in self.cells)
        if found and not taken and (name is None or found[1] > name[1]):
            self.cells.append(_Cells(mark, *found[0]))
            self.likeness = min(self.likeness, found[1] / 2)
        elif name and name[0] == called(self._sheet):
            self.named, self.likeness = True, min(self.likeness, name[1] / 2)
        else:
            raise PlanError(f"no cell is {mark.text}")

    def _join(self) -> None:
        """Take alternatives from one column where it has both: "the Konkan or Pune division"."""
        for n, (one, other) in enumerate(pairwise(self.cells)):
            for at, cell, column in ((n + 1, other, one.column), (n, one, other.column)):
                apart = other.mark.either and one.column != other.column
                if apart and (found := cells_called(cell.mark.text, [column])):
                    self.cells[at] = _Cells(cell.mark, *found)
                    break

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
        if cells_called(mark.text, words_in(self._sheet)) is not None:
            return True
        return None if column_called(mark.text, self._sheet.columns) is None else False

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks, with names as the table writes them."""
        own = {
            c.mark: c.cells[0] for c in self.cells if c.mark.tag in PARTIES and len(c.cells) == 1
        }
        return tuple(replace(mark, text=own.get(mark, mark.text)) for mark in self._marks)

    @property
    def narrows(self) -> bool:
        """Whether the question tells some rows of the table from others, not by a period alone."""
        told = any(mark.tag in {"number", "empty", *COMPARED} for mark in self._marks)
        return bool(self.cells or self._spoken or self._paid) or told

    @property
    def is_said(self) -> bool:
        """Whether the question says a cell and the header of figures, though nothing marks them."""
        figures = [c for c in self._sheet.columns if c.is_numeric]
        said = columns_spoken(self._parsed.question, self._marks, figures)
        return bool(self._spoken and said)

    def has_money(self, name: str = "") -> bool:
        """Return whether the column of that name, or any, has amounts of money.

        They are written with cents, or their header has the currency, or says that they are paid.
        """
        columns = [c for c in self._sheet.columns if c.is_numeric and name in {"", c.name}]
        return any(
            self._sheet.decimals(c)
            or any(map(currency_of, parts_of(c.label)))
            or payment_called(c.words)
            for c in columns
        )

    def unread(self) -> tuple[str, ...]:
        """Return the words that the parser did not read and that nothing of the table has."""
        own = self._own() | (DEEDS if self._told else frozenset())
        return tuple(w for w in self._parsed.unread if not {stem(p) for p in parts_of(w)} <= own)

    def untold(self) -> tuple[str, ...]:
        """Return the words outside marks that say more than what is done with the whole table."""
        own = self._own() | DEEDS
        said = (w for part in unmarked(self._parsed.question, self._marks) for w in words(part))
        return tuple(word for word in said if word not in STOP and stem(word) not in own)

    def _own(self) -> frozenset[str]:
        labels = (stems(column.words) for column in self._sheet.columns)
        spoken = (name_stems(value) for test in self._spoken for value in test.values)
        return name_of(self._sheet).union(*labels, *spoken)

    def plan(self) -> TypedPlan:
        """Return the plan."""
        labels = self._labels
        given: Given = "rows" if self._sides else labels["op"]  # type: ignore[assignment]
        if given == "count" and (column := self._counted()):
            given, self.columns = "sum", [column, *self.columns]
        group = self._grouped()
        if given in {"sum", "avg"} and labels["order"] != "-" and not group:
            given = "rows"  # "which costs the most per month": the dearest one, nothing is added up
        measure = None if self._sides else self._measured(given, group)
        units = {part.lower() for column in self.columns for part in parts_of(column.label)}
        if given == "count" and not self.cells and units & UNITS.keys():
            raise PlanError("how many of a unit counts no rows")
        if given in {"sum", "avg"} and measure is not None and self._is_counter(measure):
            raise PlanError("readings of a counter are not added up")
        if given == "distinct":
            told = [c for c in self.columns if c.kind == "TEXT"] or self.columns
            if not told:
                raise PlanError("it is not said what is to differ")
            measure, group = told[0], ""
        conditions, sides = apart(given, tuple(self._conditions(given, measure)))
        years = self._sheet.years if isinstance(self._sheet, Family) else ""
        if years and given in _ADDED and group != years and not self._tests(conditions, years):
            raise PlanError("it is not said of which year")
        hidden = self._sheet.of_file if isinstance(self._sheet, Family) else ""
        shown = (c.name for c in chain(self.columns, self._sheet.columns) if c.name != hidden)
        return TypedPlan(
            self._name,
            given,
            measure.name if measure else "",
            group=group,
            order=labels["order"].replace("-", ""),  # type: ignore[arg-type]
            limit=limit_of(labels["limit"]),
            conditions=conditions,
            sides=sides,
            shown=tuple(dict.fromkeys(shown)),
            dated=self._day() or years,
            unsigned=given in _MEASURING | {"rows"} and self._is_spent(measure, conditions),
            mixed=bool(self._payments and self._payments.mixed),
        )

    def _counted(self) -> Column | None:
        """Return the column that has the numbers of what is counted: the nights of bookings."""
        own = stems(" ".join(counted(self._parsed.question)))
        figures = (c for c in self._sheet.columns if c.is_numeric)
        return next((c for c in figures if stems(c.label) == own), None)

    @staticmethod
    def _tests(conditions: Sequence[Sequence[Condition]], column: str) -> bool:
        return any(test.column == column for every in conditions for test in every)

    def _is_counter(self, column: Column) -> bool:
        """Return whether a column has the readings of a counter: each is above the one before."""
        values = [value for value in column.values if isinstance(value, int | float)]
        rising = all(one < other for one, other in pairwise(values))
        many = len(values) >= _READINGS
        return bool(self._day()) and many and rising and not self.has_money(column.name)

    def _is_spent(self, measure: Column | None, conditions: Sequence[Sequence[Condition]]) -> bool:
        """Return whether what is added went out: a statement has it with a minus.

        Where the question names the column, it is told as it stands there.
        """
        if measure is None or measure in self.columns or self._labels["column"] not in _MONEY:
            return False
        if (Condition("below", measure.name, ("0",)),) in conditions:
            return True
        known = {c.column.name: c.column for c in self.cells}
        known |= {c.name: c for c in self._sheet.columns}
        tests = [(c.column.name, c.cells) for c in self.cells if not c.mark.denied]
        tests += [(test.column, test.values) for test in self._spoken]
        met = [
            value
            for n, value in enumerate(measure.values)
            if all(str(known[name].values[n]) in cells for name, cells in tests)
        ]
        amounts = [value for value in met if isinstance(value, int | float)]
        back = self._payments is not None and sum(amounts) < 0  # some of it came back
        return bool(tests and amounts) and (back or all(value <= 0 for value in amounts))

    def _direction(self, given: Given, measure: Column) -> Literal["below", "over", ""]:
        """Return on which side of 0 is what a question asks of a column with what came and went.

        "What did we spend in July" leaves out the salaries.
        """
        if self.narrows or given not in {"sum", "avg"} or not _has_both(measure):
            return ""
        said = set(words(self._parsed.question))
        ways = {name for name, *own in lines("directions") if not said.isdisjoint(own)}
        if len(ways) != 1:
            return ""
        return "below" if "out" in ways else "over"

    @property
    def _payments(self) -> Payments | None:
        return self._sheet if isinstance(self._sheet, Payments) else None

    def _day(self) -> str:
        """Return the column of days that is meant: the one that is named, else the first."""
        days = [c.name for c in self.columns if c.kind == "DAY"]
        days = days or [c.name for c in self._sheet.columns if c.kind == "DAY"]
        return days[0] if days else ""

    def _grouped(self) -> str:
        said = self._labels["group"]
        if said == "-" and self._labels["op"] == "sum" and self._day():
            rates = times_a_year(fold(self._parsed.question))
            said = _PACES.get(rates.pop(), "-") if len(rates) == 1 else "-"
        if said == "-":
            return ""
        years = self._sheet.years if isinstance(self._sheet, Family) else ""
        if said == "year" and years:
            return years
        if said in TIMES and self._day():
            return said
        by_name = column_called(said, self._sheet.columns)
        if by_name is not None and by_name.is_numeric and self._measures:
            self.columns.append(by_name)  # "every month", of a column of what is paid monthly
            return ""
        if by_name is not None:
            return by_name.name
        rated = [c for c in self._sheet.columns if c.is_numeric and times_a_year(fold(c.label))]
        if said in TIMES and self._measures and len(rated) == 1:
            self.columns.append(rated[0])  # "a year", of what is paid monthly: it is reckoned
            return ""
        texts = [c for c in self.columns if not c.is_numeric]
        if not texts or said in TIMES:
            raise PlanError("it is not said by what it is grouped")
        self.columns.remove(texts[0])
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
            "first", "last"} else tuple(NUMERIC)  # fmt: skip
        fit = [c for c in self.columns if c.kind in kinds and c.name != group]
        if not fit and "REAL" in kinds and self._payments:
            return self._sheet.column(self._payments.amount)
        fit = fit or [c for c in self._sheet.columns if c.kind in kinds and not has_years(c)]
        if len(fit) == 1 or (fit and fit[0] in self.columns):
            ranked = ordered or given in {"max", "min"}
            if ranked and fit[0] not in self.columns and not self.cells and _has_both(fit[0]):
                raise PlanError("the most that came in, or that went out?")
            return fit[0]
        head = column_called(self._labels["column"], fit) if fit else None
        head = head or (product_of(fit) if self._labels["column"] in _MONEY else None)
        if head is not None:
            return head
        if ordered and self._labels["column"] == "-" and not fit:
            return None
        if fit and (said := self._likest(fit)) is not None:
            return said
        raise PlanError("it is not said what is measured")

    def _likest(self, columns: Sequence[Column]) -> Column | None:
        """Return the column that a word outside the marks has in its header, or is most like."""
        question = self._parsed.question
        if said := columns_spoken(question, self._marks, columns):
            return said[0] if len(said) == 1 else None
        if self._like is None:
            return None
        parts = (word for part in unmarked(question, self._marks) for word in words(part))
        column = self._like.column([w for w in parts if w not in STOP | LIGHT], columns)
        self.likeness = min(self.likeness, GUESSED) if column else self.likeness
        return column

    def _conditions(self, given: Given, measure: Column | None) -> Iterator[tuple[Condition, ...]]:
        parts = alternatives(
            self.cells,
            lambda last, cell: cell.mark.either and last.mark.denied == cell.mark.denied,
        )
        for part in parts:
            told = (Condition("is", p.column.name, p.cells, p.mark.denied) for p in part)
            tests = list(dict.fromkeys(told))
            if part[0].mark.denied:
                yield from ((test,) for test in tests)
            else:
                yield tuple(tests)
        yield from ((test,) for test in (*self._spoken, *self._paid))
        if measure is not None and (test := self._direction(given, measure)):
            yield (Condition(test, measure.name, ("0",)),)
        periods = [mark for mark in self._marks if mark.tag == "period"]
        paid = measure is None or self.has_money(measure.name)  # else nothing was before the first
        whole = given in _ADDED | _MEASURING and not self._told and paid
        yield from during(periods, self._sheet, self._day(), self._today, whole=whole)
        for mark in self._marks:
            if mark.tag == "empty":
                if not self.columns:
                    raise PlanError("it is not said what is missing")
                yield (Condition("missing", self.columns[0].name),)
        yield from ((test,) for test in self._compared(measure))
        if given in {"count", "exists"} and measure is None and not self._sides:
            yield from ((Condition("over", c.name, ("0",)),) for c in self.columns if c.is_numeric)

    def _compared(self, measure: Column | None) -> Iterator[Condition]:
        if self._sides:
            if len(self.columns) != 2 or any(not c.is_numeric for c in self.columns):
                raise PlanError("it is not said what is compared")
            yield Condition(self._sides, self.columns[0].name, (self.columns[1].name,))
            return
        tests = [m for m in self._marks if m.tag in COMPARED]
        numbers = figures(self._marks)
        if not tests and not numbers:
            return
        of = measure if measure is not None and measure.is_numeric else None
        if of is None:
            raise PlanError("it is not said what is compared")
        yield from comparisons(tests, numbers, of.name)


def _has_both(column: Column) -> bool:
    """Return whether a column has what came in and what went out."""
    signs = {v > 0 for v in column.values if isinstance(v, int | float) and v}
    return len(signs) == 2
