"""Files of records as tables: calendars, contacts, and lists of JSON objects.

A record is a row, and each name in any of them is a column. Values nested deeper than a list of
words are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from manole.documents.components import THINGS
from manole.documents.fields.model import TextLine
from manole.documents.formats import COMPONENTS
from manole.documents.tables.model import Table, TableRow, collapsed

_COMPONENT = re.compile(rf"({'|'.join(THINGS.values())}):(?: (.*))?")
_CELL = re.compile(r"([A-Z][\w-]*): (.+)")
_MAX_COLUMNS = 40  # a table that is wider is not read by a person either; set by hand
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str)  # as they are written
Record = tuple[int, str, dict[str, str]]  # its first line, its text, its cells


def record_table(lines: Sequence[TextLine], format_: str) -> Table | None:
    """Return the table of a file's records; `None` if they have fewer than two names."""
    if format_ in COMPONENTS:
        records = list(components(lines))
    else:
        records = list(_objects(lines, every_line=format_ == "jsonl"))
    names = list(dict.fromkeys(name for _, _, cells in records for name in cells))[:_MAX_COLUMNS]
    if len(names) < 2:
        return None
    rows = tuple(
        TableRow(tuple(cells.get(name, "") for name in names), line, text)
        for line, text, cells in records
    )
    return Table(tuple(names), rows, lines[0].page, None, rows[0].line)


def components(lines: Sequence[TextLine], things: Collection[str] = ()) -> Iterator[Record]:
    """Yield the components of a calendar, or of contacts, as `documents/components.py` writes them.

    Given `things`, such as "Event", only these.
    """
    for _, block in groupby(lines, key=_Blocks()):
        first, *rest = block
        head = _COMPONENT.fullmatch(first.text)
        if head and (not things or head[1] in things):
            cells = {"name" if head[1] == "Contact" else "title": head[2] or ""}
            for line in rest:
                if cell := _CELL.fullmatch(line.text):
                    cells[cell[1].lower()] = cell[2]
            text = collapsed(" ".join(line.text for line in (first, *rest)))
            yield first.line, text, {name: value for name, value in cells.items() if value}


class _Blocks:
    """Numbers lines by the component that they belong to: the blank lines may be missing."""

    def __init__(self) -> None:
        self._number = 0

    def __call__(self, line: TextLine) -> int:
        if _COMPONENT.fullmatch(line.text) or not line.text.strip():
            self._number += 1
        return self._number


def _objects(lines: Sequence[TextLine], *, every_line: bool) -> Iterator[Record]:
    """Yield the objects of the first list of objects in a file, or the one on every line."""
    text = "\n".join(line.text for line in lines)
    opened = re.search(r"\{" if every_line else r"\[\s*\{", text)
    at = opened.end() - 1 if opened else -1
    while 0 <= at < len(text) and text[at] == "{":
        try:
            found, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        number = lines[text.count("\n", 0, at)].line
        yield number, collapsed(text[at:end]), _cells(found)
        at = end + len(re.match(r"[\s,]*", text[end:])[0])  # type: ignore[index]


def _cells(found: Mapping[str, Any]) -> dict[str, str]:
    texts = ((name, _text(value)) for name, value in found.items())
    return {collapsed(name): text for name, text in texts if text}


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, map(_text, value)))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return collapsed(str(value)) if isinstance(value, (str, int, float)) else ""
