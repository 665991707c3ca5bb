"""Finds the words of a question in a table: its columns by their headers, its cells, its name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from itertools import combinations

from manole.agent.plan.marks import unmarked
from manole.agent.plan.query import PlanError
from manole.agent.plan.values import bare, name_stems, parts_of, without_umlauts
from manole.catalog.families import Family
from manole.catalog.sheets import Column, Sheet
from manole.models.parser import Mark
from manole.text.numbers import UNITS
from manole.text.statuses import Payment, payment_called
from manole.text.words import STOP, fold, stem, stems

_LIKE = 0.8  # difflib ratio of another spelling: one letter of five
_LONGEST = 4  # words of a cell that is looked for in a question
_SPELT = 5  # letters from which a word may be spelt otherwise
_LONG = 3  # letters of a cell that is a word of a question
_CENT = 0.011  # how far a product may be rounded
_NO = re.compile(r"n|no|nee|nein|non|false|-")

Cells = tuple[Column, tuple[str, ...]]


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
    if unit := UNITS.get(text.lower()):  # "Kilo" of "kg"
        own_unit = [c for c in columns if unit in {UNITS.get(part) for part in parts_of(c.label)}]
        return own_unit[0] if len(own_unit) == 1 else None
    labels = {bare(column.label): column for column in columns}
    near = nearest(plain, labels)
    return labels[near] if near else None


def nearest(plain: str, names: Iterable[str]) -> str:
    """Return the name of another spelling, "" for none: three letters are too few for one."""
    near = difflib.get_close_matches(plain, names, 1, _LIKE) if len(plain) >= _SPELT else ()
    return near[0] if near else ""


def words_in(sheet: Sheet) -> list[Column]:
    """Return the columns of texts, without the names of its files."""
    named = sheet.of_file if isinstance(sheet, Family) else ""
    return [c for c in sheet.columns if c.kind == "TEXT" and c.name != named]


def cells_of(column: Column) -> list[str]:
    """Return the different texts of a column."""
    return list(dict.fromkeys(str(value) for value in column.values if value is not None))


def cells_called(text: str, columns: Sequence[Column]) -> Cells | None:
    """Return the column that has a value, and its cells: equal ones, else those that hold it."""
    plain, own = fold(text).strip(), cell_stems(text)
    texts = [(column, cells_of(column)) for column in columns]
    for exact in (True, False):
        for column, cells in texts:
            stemmed = ((cell, cell_stems(cell)) for cell in cells)
            found = [cell for cell, s in stemmed if (s == own if exact else own <= s)]
            if own and found:
                return column, tuple(found)
    for column, cells in texts:
        known = {fold(cell): cell for cell in cells}
        if near := nearest(plain, known):
            return column, (known[near],)
    return None


def cells_named(name: frozenset[str], columns: Sequence[Column]) -> Cells | None:
    """Return the first column of which cells have just these stems, and those cells."""
    for column in columns:
        if found := tuple(cell for cell in cells_of(column) if cell_stems(cell) == name):
            return column, found
    return None


def cells_told(mark: Mark, sheet: Sheet) -> Cells | None:
    """Return the column that says yes or no of what is named, and its cells that say so.

    What is paid, or owed, may be named in other words than its header, or than its cells.
    """
    text, denied = mark.text, mark.denied
    status = payment_called(text, denied)
    for column in words_in(sheet):
        cells = cells_of(column)
        if status and mark.tag == "status" and (found := _paid(cells, status)):
            return column, found
        no = {cell for cell in cells if _NO.fullmatch(fold(cell).strip())}
        if len(cells) != 2 or len(no) != 1:
            continue
        if status and payment_called(column.words) == "paid":
            return column, tuple(cell for cell in cells if (cell in no) == (status != "paid"))
        if column_called(text, [column]):
            return column, tuple(cell for cell in cells if (cell in no) == denied)
    return None


def _paid(cells: Sequence[str], status: Payment) -> tuple[str, ...]:
    """Return the cells of that status, none unless all say whether something is paid."""
    said = {cell: payment_called(cell) for cell in cells}
    if len(set(said.values())) < 2 or None in said.values():
        return ()
    open_ = {"open", "overdue"} if status == "open" else {status}
    return tuple(cell for cell, own in said.items() if own in open_)


def cells_spoken(question: str, marks: Sequence[Mark], sheet: Sheet) -> list[Cells]:
    """Return the cells that stand as they are in a question, outside its marks: "any month".

    Of cells that overlap the longest is meant. Raises `PlanError` where two columns have it.
    """
    said = [parts_of(fold(text)) for text in unmarked(question, marks)]
    found: list[tuple[int, tuple[int, int], Column, str]] = []
    for column in words_in(sheet):
        for cell in cells_of(column):
            own = parts_of(fold(cell))
            if len(own) > _LONGEST or STOP.issuperset(own) or len("".join(own)) < _LONG:
                continue
            for n, text in enumerate(said):
                starts = range(len(text) - len(own) + 1)
                at = next((i for i in starts if text[i : i + len(own)] == own), None)
                if at is not None:
                    found.append((len(own), (n, at), column, cell))
    taken: dict[tuple[int, int], str] = {}
    spoken: dict[str, tuple[Column, list[str]]] = {}
    for length, (n, at), column, cell in sorted(found, key=lambda f: -f[0]):
        own_places = {(n, at + i) for i in range(length)}
        if {taken[p] for p in own_places & taken.keys()} - {column.name} and (n, at) in taken:
            raise PlanError(f"two columns have {cell}")
        if not own_places & taken.keys():
            taken |= dict.fromkeys(own_places, column.name)
            spoken.setdefault(column.name, (column, []))[1].append(cell)
    return [(column, tuple(cells)) for column, cells in spoken.values()]


def columns_spoken(question: str, marks: Sequence[Mark], columns: Sequence[Column]) -> list[Column]:
    """Return the columns of whose headers a question has a word outside its marks.

    Words that several of the columns have tell none of them.
    """
    own = {column.name: stems(column.label) for column in columns}
    said = {s for part in unmarked(question, marks) for s in stems(part)}
    every = [s for of in own.values() for s in of]
    said -= {s for s in every if every.count(s) > 1 and len(columns) > 1}
    return [column for column in columns if own[column.name] & said]


def name_of(sheet: Sheet) -> frozenset[str]:
    """Return the stems of a table's name: those of its path, its title and what its rows are."""
    path = sheet.file.rpartition(".")[0]
    return name_stems(f"{path} {sheet.table.title or ''} {sheet.table.name or ''}")


def is_named(word: str, sheet: Sheet) -> bool:
    """Return whether a stem is one of a table's name, or a part of one: *Honig* of *Honigernte*.

    It may be spelt otherwise.
    """
    ends = (word,) if len(word) > _LONG else ()
    names = (own for name in name_of(sheet) for own in (name, without_umlauts(name)))
    said = any(word == own or own.startswith(ends) or own.endswith(ends) for own in names)
    return said or bool(nearest(word, name_of(sheet)))


def product_of(columns: Sequence[Column]) -> Column | None:
    """Return the column that has the product of two others in every row: a price times a count."""
    for column in columns:
        for two in combinations([other for other in columns if other is not column], 2):
            rows = zip(column.values, two[0].values, two[1].values, strict=True)
            full = [row for row in rows if all(isinstance(cell, int | float) for cell in row)]
            told = len({row[0] for row in full}) >= _LONG
            if told and all(abs(of - a * b) < _CENT for of, a, b in full):  # type: ignore[operator]
                return column
    return None


def cell_stems(text: str) -> frozenset[str]:
    """Return the stems of the parts of a cell."""
    return frozenset(stem(part) for part in parts_of(fold(text)))
