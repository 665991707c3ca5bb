"""Rows for people: a table where the terminal is wide enough, else a block for each row.

No cell is cut, and no word is broken but behind a hyphen. A name is a path: it goes on a new line
behind a `/`, or stays whole. Where the longest words of all columns do not fit side by side, each
row becomes a block, its first cell on a line of its own, the others on as few lines as they fit on;
what is longer the terminal wraps by itself, so that a name can be copied.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

_NAME = re.compile(r"[^/]*(?:/+|$)")  # the parts of a path
# A word, or a part of one that a hyphen joins to letters: no date and no number is broken.
_WORD = re.compile(r"\S*?(?:(?<=[^\W\d])-(?=[^\W\d])|\s+|$)")
_INDENT, _BESIDE = "    ", " · "  # before the cells of a block, and between them
_GAPS = 2, 1  # characters between two columns, and where they are cramped


def print_rows(
    headers: Sequence[str],
    rows: Sequence[Sequence[Text | str]],
    *,
    console: Console | None = None,
    right: Collection[str] = (),
    names: Collection[str] = (),
) -> None:
    """Print the rows below their headers, of which those in `names` head columns of paths.

    Columns in `right` are aligned to the right, and hold numbers, which are not broken. Texts are
    printed as they are, without markup. A first column without a header numbers the rows.
    """
    console = console or Console()
    cells = [[Text(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    parts = [_NAME if header in {*names, *right} else _WORD for header in headers]
    columns = [[Text(header), *column] for header, *column in zip(headers, *cells, strict=True)]
    least = [
        max(cell_len(part) for cell in column for part in _parts(cell.plain, by))
        for column, by in zip(columns, parts, strict=True)
    ]
    most = [
        max(cell_len(line) for cell in column for line in cell.plain.split("\n"))
        for column in columns
    ]
    between = len(headers) - 1
    gap = next((gap for gap in _GAPS if sum(least) + gap * between <= console.width), None)
    if gap is None:
        _blocks(console, headers, cells)
        return
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold")
    widths = _shares(least, most, console.width - gap * between)
    for header, width in zip(headers, widths, strict=True):
        table.add_column(
            Text(header), width=width, no_wrap=True, justify="right" if header in right else "left"
        )
    for row in cells:
        table.add_row(*map(_wrapped, row, widths, parts))
    console.print(table)


def _shares(least: Sequence[int], most: Sequence[int], room: int) -> list[int]:
    """Return the widths of columns: what the texts take, the widest made narrower to fit."""
    widths = list(most)
    while sum(widths) > room:
        _, widest = max((width, at) for at, width in enumerate(widths) if width > least[at])
        widths[widest] -= 1
    return widths


def _parts(text: str, by: re.Pattern[str]) -> list[str]:
    return [found[0].rstrip() for line in text.split("\n") for found in by.finditer(line)]


def _wrapped(cell: Text, width: int, by: re.Pattern[str]) -> Text:
    """Return the cell with line breaks between its parts, no line longer than `width`."""
    lines: list[Text] = []
    for line in cell.split("\n", allow_blank=True):
        breaks, used = [], 0
        for part in by.finditer(line.plain):
            if used and used + cell_len(part[0].rstrip()) > width:
                breaks.append(part.start())
                used = 0
            used += cell_len(part[0])
        lines.extend(line.divide(breaks))
    for line in lines:
        line.rstrip()
    return Text("\n").join(lines)


def _blocks(console: Console, headers: Sequence[str], rows: Sequence[Sequence[Text]]) -> None:
    for row in rows:
        (_, first), *rest = zip(headers, row, strict=True)
        if not headers[0] and rest:  # a number stands before what it is the number of
            first, rest = Text(" ").join((first, rest[-1][1])), rest[:-1]
        console.print(first, soft_wrap=True)
        line = Text()
        for header, cell in rest:
            if not cell.plain:
                continue
            item = Text(f"{header}: ", "dim").append_text(Text(", ").join(cell.split("\n")))
            if line and cell_len(_INDENT + line.plain + _BESIDE + item.plain) > console.width:
                console.print(Text(_INDENT) + line, soft_wrap=True)
                line = Text()
            line = Text(_BESIDE).join((line, item)) if line else item
        if line:
            console.print(Text(_INDENT) + line, soft_wrap=True)
