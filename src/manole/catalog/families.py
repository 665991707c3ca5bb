"""Tables of the same columns as one: budgets by year, statements by quarter, sheets of a workbook.

Its rows are those of all, each with its place in its own file. Two columns are added: the `file`,
and the `year` that each file's name or its table's title has, where no column has days.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import PurePosixPath

from manole.catalog.sheets import ROW, Column, Sheet, Value, identifier
from manole.documents.detect import extension
from manole.documents.formats import SHEETS
from manole.text.words import fold

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NAMED = re.compile(r"[^\W\d_]{3}")  # what begins a word that says something


@dataclass(frozen=True)
class Family(Sheet):
    """The rows of tables with the same columns, those of one file behind those of another.

    `years` and `of_file` are the names of the added columns; `years` is "" where there is none.
    """

    parts: tuple[Sheet, ...] = ()
    of_file: str = ""
    years: str = ""

    def place(self, row: int) -> dict[str, Value]:
        """Return where a row stands in its file, and its text there; for 0 the first header."""
        for part in self.parts:
            if row <= len(part.rows):
                return part.place(row)
            row -= len(part.rows)
        raise IndexError(row)

    @property
    def own(self) -> Sequence[Column]:
        """The columns that its files have."""
        return [c for c in self.columns if c.name not in {self.of_file, self.years}]

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the tables."""
        return tuple(part.file for part in self.parts)


def year_of(sheet: Sheet) -> int | None:
    """Return the only year in the name of a file or in the title of its table, if there is one."""
    for text in (PurePosixPath(sheet.file).stem, sheet.table.title or ""):
        if years := set(_YEAR.findall(text)):
            return int(years.pop()) if len(years) == 1 else None
    return None


def families(sheets: Iterable[Sheet]) -> Iterator[Family]:
    """Yield a table for all that have the same columns: of a workbook, or one in each file.

    Their files must have a part of their names in common: what else looks alike is by chance.
    """
    alike: dict[object, list[Sheet]] = defaultdict(list)
    for sheet in sheets:
        alike[tuple((fold(column.label), column.kind) for column in sheet.columns)].append(sheet)
    for parts in alike.values():
        parts.sort(key=lambda part: part.file)
        files = [part.file for part in parts]
        one = len(set(files)) == 1 and extension(files[0]) in SHEETS
        apart = one or len(set(files)) == len(files)
        if len(files) > 1 and apart and (name := files[0] if one else _common(files)):
            yield _joined(name, parts)


def _common(files: Sequence[str]) -> str:
    """Return what paths have in common: "finance/budget-*.xlsx"; "" for nothing that is a name."""
    head = _beginning(files).rstrip("0123456789")
    tail = _beginning([file[len(head) :][::-1] for file in files])[::-1].lstrip("0123456789")
    name = f"{head}*{tail}"
    return name if _NAMED.search(PurePosixPath(name).stem) else ""


def _beginning(texts: Sequence[str]) -> str:
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return "".join(letters[0] for letters in alike)


def _joined(name: str, parts: Sequence[Sheet]) -> Family:
    first = parts[0]
    years = [year_of(part) for part in parts]
    dated = None in years or any(column.kind == "DAY" for column in first.columns)
    taken = {ROW, *(column.name for column in first.columns)}
    added: dict[str, Sequence[Value]] = {"file": [PurePosixPath(part.file).name for part in parts]}
    if not dated:
        added["year"] = years
    columns = [
        replace(column, values=tuple(v for part in parts for v in part.columns[n].values))
        for n, column in enumerate(first.columns)
    ]
    names = []
    for label, of_part in added.items():
        names.append(identifier(label, len(columns), taken))
        each = zip(parts, of_part, strict=True)
        values = tuple(value for part, value in each for _ in part.rows)
        kind = "REAL" if label == "year" else "TEXT"
        columns.append(Column(names[-1], label, kind, values))  # type: ignore[arg-type]
    rows = tuple(
        replace(
            row, cells=(*row.cells[: len(first.columns)], *(str(of[n]) for of in added.values()))
        )
        for n, part in enumerate(parts)
        for row in part.rows
    )
    table = replace(first.table, rows=rows, title=None)
    return Family(name, table, tuple(columns), rows, tuple(parts), names[0], "".join(names[1:]))
