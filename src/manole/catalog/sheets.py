"""Tables of files as relations: columns with plain names and types, cells with values.

A sheet is named after its file. Headers become identifiers that need no quotes. A column in which
four cells of five are numbers has numbers, one of dates has ISO days, and the other cells stay
text. Whole numbers of more digits than a float represents (order numbers, mostly) are a kind of
their own, in which each digit counts. A last row that adds up the others is left out, as sums are
calculated anew.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import chain, count
from pathlib import PurePosixPath

from manole.catalog.relations import Relation, Type
from manole.documents.detect import extension
from manole.documents.formats import DELIMITED_EXTENSIONS, SHEETS
from manole.documents.tables import Table, TableRow
from manole.text.dates import find_dates
from manole.text.numbers import value as written
from manole.text.words import fold, stem, words

ROW = "row_id"  # the column with the number of the row, from 1
EMPTY = frozenset({"", "-", "–", "—", "--", "n/a", "na", "none", "null", "?", "…", "..."})

_EXTENSIONS = SHEETS.union(DELIMITED_EXTENSIONS) - {"xltx"}  # templates are left out
_EXACT = 2**53  # whole numbers up to here are exact as floats
_DIGITS = 300  # of a number; a longer one exceeds a float and is text
_ADDED = 5  # numbers whose sum is unlikely to follow them by chance
_ROUNDED = 0.01  # share of a sum that rounding may change, set by hand
_CENTS = 2  # decimals of an amount of money
_ROW = 4000  # characters of a row that is quoted, which may be pages of text
_MOSTLY = 0.8  # share of a column's filled cells that decide its kind, set by hand
_NUMBER = re.compile(
    r"(?P<sign>[-+−–]?)\s?[^\w\s.,()+−-]{0,3}\s?(?P<sign2>[-−]?)"
    r"(?P<digits>\d+(?:[.,'’\u00a0\u202f ]\d{3})*(?:[.,]\d+)?|[.,]\d+)"
    r"\s?(?:[^\W\d_]{1,10}\.?|[%°€$£¥²³/]+){0,3}"
)
_DECIMAL_COMMA = re.compile(r"\d,\d{1,2}(?!\d)|\d\.\d{3},\d")
_THOUSANDS_POINT = re.compile(r"\d\.\d{3}(?!\d)")
_NOTE = re.compile(r"\s*(?:\[\w{1,3}\]|\*+|†|‡)")  # footnotes
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(?:\d{2}|\d{4})")
_FRACTION = re.compile(r"\d[.,](\d+)\D*$")
_YEAR = re.compile(r"(?:FY\s?)?(?:19|20)\d\d\*?")
_FIRST = "item"  # a first column without a header, or with a unit for one, names its rows
_TOTALS = re.compile(r"(grand |sub|sub-)?totals?|sum|gesamt(summe)?|summe|total(e|es)?")
JOINTS = re.compile(r"[-_/:.'’]")  # in names such as `bank-transactions-2024`
_RESERVED_WORDS = """
add all alter and as asc autoincrement between by case check collate column commit constraint create
cross current_date current_time current_timestamp default deferrable delete desc distinct drop else
end escape except exists filter for foreign from full group having in index inner insert intersect
into is isnull join key left like limit natural not nothing notnull null offset on or order outer
over primary references right row rows select set table then to transaction union unique update
using values when where window with
"""
_RESERVED = frozenset(_RESERVED_WORDS.split())
NUMERIC = ("REAL", "LONG")  # types of numbers


Value = int | float | str | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its identifier, its header as written, its type, and its values by row."""

    name: str
    label: str
    kind: Type
    values: tuple[Value, ...]

    @property
    def is_numeric(self) -> bool:
        """Whether its values are numbers."""
        return self.kind in NUMERIC

    @property
    def words(self) -> str:
        """The words of its header."""
        return self.label.replace("_", " ")

    @property
    def stored(self) -> Iterator[Value]:
        """The values as the database stores them."""
        for value in self.values:
            if isinstance(value, int):  # beside a fraction, it may exceed the database's own
                yield str(value) if self.kind == "LONG" else float(value)
            else:
                yield value


@dataclass(frozen=True)
class Sheet:
    """A table of one file, ready to be queried. Rows count from 1 in the order of the file."""

    file: str
    table: Table
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]

    @property
    def own(self) -> Sequence[Column]:
        """The columns that its file has."""
        return self.columns

    @classmethod
    def read(cls, file: str, table: Table) -> Sheet:
        """Return `table` of `file`, typed."""
        labels, rows = _headed(table)
        rows = rows if table.name else _without_totals(rows)  # named rows are things, not sums
        taken = {ROW}
        columns = []
        for at, label in enumerate(labels):
            cells = [row.cells[at] for row in rows]
            kind, values = _typed(cells)
            columns.append(Column(identifier(label, at, taken), label, kind, tuple(values)))
        return cls(file, table, tuple(columns), tuple(rows))

    @property
    def files(self) -> tuple[str, ...]:
        """The files that its rows are from."""
        return (self.file,)

    def column(self, name: str) -> Column | None:
        """Return the column with that identifier, in any case."""
        return self._by_name.get(name.lower())

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all its text: file name, title, headers, cells."""
        texts = chain(
            (self.file, self.table.title or "", *self.table.columns),
            (column.label for column in self.columns),  # headers of several rows, joined
            (cell for row in self.rows for cell in row.cells),
        )
        written = {word for text in texts for word in words(text)}
        return frozenset(stem(p) for word in written for p in (word, *JOINTS.split(word)) if p)

    def cell(self, row: int, column: Column) -> str:
        """Return the cell as it is written; `row` counts from 1."""
        return self.rows[row - 1].cells[self.columns.index(column)]

    def decimals(self, column: Column) -> int:
        """Return 2 where the fractions of a column are written so, as amounts of money, else 0."""
        at = self.columns.index(column)
        written = {len(m[1]) for row in self.rows if (m := _FRACTION.search(row.cells[at]))}
        return _CENTS if _CENTS in written and min(written) == _CENTS else 0

    def relation(self, name: str) -> Relation:
        """Return it as a relation of that name, whose rows have their numbers for places."""
        types = {column.name: column.kind for column in self.columns}
        return Relation(name, {ROW: "INTEGER", **types}, (ROW,))

    def stored(self) -> Iterator[tuple[Value, ...]]:
        """Yield the rows of that relation."""
        return zip(count(1), *(column.stored for column in self.columns), strict=False)

    def place(self, row: int) -> dict[str, Value]:
        """Return where a row stands, and its text there; for 0 those of the header."""
        page, line, text = self.table.page, self.table.line, " | ".join(self.table.columns)
        if row:
            of = self.rows[row - 1]
            page, line, text = of.page or page, of.line, of.text
        return {"path": self.file, "page": page, "line": line, "quote": text[:_ROW]}


def is_sheet(file: str) -> bool:
    """Return whether a file consists of tables."""
    return extension(file) in _EXTENSIONS


def named(sheets: Iterable[Sheet], taken: Collection[str]) -> dict[str, Sheet]:
    """Return sheets by their names in queries: `monthly_costs` for "reports/Monthly costs.xlsx".

    A name that is `taken` gets the folder before it; further tables of one file are counted.
    """
    found: dict[str, Sheet] = {}
    for sheet in sheets:
        path = PurePosixPath(sheet.file)
        own = sheet.table.name or path.stem
        name = _name(own)
        if name in taken or (name in found and found[name].file != sheet.file):
            name = _name(f"{path.parent.name}_{own}")
        numbered = (f"{name}_{n}" for n in count(2))
        found[next(n for n in chain((name,), numbered) if n not in {*taken, *found})] = sheet
    return found


def _name(text: str) -> str:
    name = re.sub(r"\W+", "_", text.lower()).strip("_") or "sheet"
    plain = not (name[0].isdigit() or name in _RESERVED or name.startswith("sqlite_"))
    return name if plain else f"t_{name}"


def number(cell: str, decimal_comma: bool = False) -> int | float | None:
    """Return the number that a whole cell is, without its unit; `None` for anything else."""
    text = _NOTE.sub("", cell).strip()
    negative = text.startswith("(") and text.endswith(")")
    match = _NUMBER.fullmatch(text[1:-1] if negative else text)
    if match is None:
        return None
    digits = match["digits"]
    if len(digits) > _DIGITS or (digits.count(".") > 1 and not decimal_comma):  # an address
        return None
    exact = written(digits, "," if decimal_comma else ".")
    value = float(exact) if exact.as_tuple().exponent else int(exact)
    return -value if negative or match["sign"] in {"-", "−", "–"} or match["sign2"] else value


def day(cell: str, us: bool = False) -> date | None:
    """Return the day that a whole cell is; `None` for anything else."""
    text = cell.strip()
    return next((d for a, b, d in find_dates(text, us) if (a, b) == (0, len(text))), None)


def _typed(cells: Sequence[str]) -> tuple[Type, list[Value]]:
    """Return the kind of a column and its values; a cell of another kind stays text."""
    filled = [cell for cell in cells if cell.lower() not in EMPTY]
    days, numbers = _days(cells), _numbers(cells)
    whole: Type = "LONG" if _long(numbers) else "REAL"
    read_as: list[tuple[Type, Sequence[Value]]] = [("DAY", days), (whole, numbers)]
    for kind, values in read_as:
        read = sum(value is not None for value in values)
        if filled and read >= _MOSTLY * len(filled):
            rest = [v if v is not None else _text(c) for v, c in zip(values, cells, strict=True)]
            return kind, rest
    return "TEXT", [_text(cell) for cell in cells]


def _long(values: Sequence[Value]) -> bool:
    whole = [value for value in values if value is not None]
    return all(isinstance(v, int) for v in whole) and any(abs(int(v)) > _EXACT for v in whole)


def _numbers(cells: Sequence[str]) -> list[int | float | None]:
    """Return the cells as numbers; the column as a whole decides what a comma means."""
    comma = any(_DECIMAL_COMMA.search(c) for c in cells) and not any(
        re.search(r",\d{3}(?!\d)", c) for c in cells if not _THOUSANDS_POINT.search(c)
    )
    return [None if cell.lower() in EMPTY else number(cell, comma) for cell in cells]


def _days(cells: Sequence[str]) -> list[str | None]:
    """Return the cells as ISO days; the column decides whether `03/04` begins with the month."""
    slashed = [match for cell in cells if (match := _SLASHED.match(cell))]
    us = any(int(m[2]) > 12 for m in slashed)
    days = (day(cell, us) for cell in cells)
    return [found.isoformat() if found else None for found in days]


def _text(cell: str) -> str | None:
    return None if cell.lower() in EMPTY else cell


def _headed(table: Table) -> tuple[list[str], Sequence[TableRow]]:
    """Return the labels of the columns and the rows below them.

    Reports print headers over several rows: a span of columns ("Year ended") above years. Their
    words are joined; a span counts for the columns to its right that have none, and one over all
    columns is dropped, as it distinguishes none.
    """
    labels = [label.strip(" :*") for label in table.columns]
    rows: Sequence[TableRow] = table.rows
    while len(rows) > 1 and _is_header(rows[0], labels):
        spans: list[str] = []
        for label in labels:
            spans.append(label or (spans[-1] if spans else ""))
        if len(set(spans[1:])) == 1:
            spans[1:] = [""] * len(spans[1:])
        below = [cell.strip(" :*") for cell in rows[0].cells]
        labels = [
            " ".join(filter(None, (span, cell))) if cell else label
            for span, cell, label in zip(spans, below, labels, strict=True)
        ]
        rows = rows[1:]
    if labels and (not labels[0] or labels[0].startswith("(")):
        labels[0] = _FIRST
    return labels, rows


def _is_header(row: TableRow, labels: Sequence[str]) -> bool:
    """Return whether a row continues a header that has gaps.

    Its first cell is empty and the others are words; or all the others are years, whatever the
    first says about units.
    """
    cells = [cell for cell in row.cells[1:] if cell]
    if not cells or all(labels[1:]):
        return False
    years = all(_YEAR.fullmatch(cell) for cell in cells)
    return years or (not row.cells[0] and all(number(cell) is None for cell in cells))


def _without_totals(rows: Sequence[TableRow]) -> Sequence[TableRow]:
    """Return `rows` without a last one that adds up the others."""
    if len(rows) < 3:
        return rows
    first = next((cell for cell in rows[-1].cells if cell), "")
    named = _TOTALS.fullmatch(fold(first).strip(" :*"))
    return (
        rows[:-1]
        if named or any(map(_adds_up, zip(*(r.cells for r in rows), strict=True)))
        else rows
    )


def _adds_up(cells: Sequence[str]) -> bool:
    """Return whether the last number of a column is the sum of at least `_ADDED` above it."""
    *above, last = _numbers(cells)
    added = [value for value in above if value]
    return (
        last is not None and len(added) >= _ADDED and abs(sum(added) - last) <= _ROUNDED * abs(last)
    )


def identifier(label: str, at: int, taken: set[str]) -> str:
    """Return a name for a column that needs no quotes and is not in `taken`, and add it there."""
    spelled = fold(label).replace("#", " number ").replace("%", " percent ")
    name = "_".join(re.findall(r"[a-z0-9]+", spelled))[:48].strip("_") or f"column_{at + 1}"
    if name[0].isdigit():
        name = f"y{name}" if re.match(r"(?:1[89]|20)\d\d(?!\d)", name) else f"c{name}"
    if name in _RESERVED:
        name += "_"
    unique, n = name, 2
    while unique in taken:
        unique, n = f"{name}_{n}", n + 1
    taken.add(unique)
    return unique
