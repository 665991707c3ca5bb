"""The table of an answer that lists rows, and its bars: on the terminal, and as a CSV file.

Cells come from documents, which are untrusted. A spreadsheet takes a cell that begins with `=`,
`+`, `-` or `@` for a formula, so such a cell gets a `'` before it, as OWASP's page on CSV injection
advises; numbers stay numbers.
"""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from manole.agent.events import ResultEvent, Source
from manole.agent.languages import words_of
from manole.cli.output import writing
from manole.cli.rows import print_rows
from manole.files import write_file
from manole.models.weights.files import human_size
from manole.sentences import spoken

if TYPE_CHECKING:
    from manole.agent.events import Event

_PLACE = ("file", "page", "line", "quote")
_FORMULA = re.compile(r"^\s*[=+\-@\t\r|%]")
_CELLS = re.compile(r"^[\s|]+|[\s|]+$|\s*\|\s*(?=\S)")  # of a row of a sheet that is quoted
_NUMBER = re.compile(r"^-?\d+(\.\d+)?$")
_DAY = re.compile(r"^\d{4}-\d\d-\d\d$")
# A table in Markdown, and what is between its cells.
_MARKDOWN = re.compile(r"^\|.*\|\n\|[ :|-]+\|\n(?:\|.*\|(?:\n|$))+", re.MULTILINE)
_BETWEEN = re.compile(r"(?<!\\)\|")
_CELL = 200  # characters of a cell on the terminal; set by hand
_BAR, _GAP = 40, "  "  # characters of the longest bar at most, and between it and its figure
_BLOCKS = " ▏▎▍▌▋▊▉█"  # eighths of a character


def pieces(text: str) -> Iterator[str | list[list[str]]]:
    """Yield the pieces of a text in Markdown: text, and tables as rows of as many cells each."""
    end = 0
    for table in _MARKDOWN.finditer(text):
        yield text[end : table.start()]
        head, _, *lines = table[0].strip().split("\n")
        rows = [[*map(str.strip, _BETWEEN.split(line)[1:-1])] for line in (head, *lines)]
        wide = len(rows[0])
        yield [(row + [""] * wide)[:wide] for row in rows]
        end = table.end()
    yield text[end:]


def is_table(event: Event) -> bool:
    """Whether the event holds rows of a table."""
    return isinstance(event, ResultEvent) and event.payload_type == "table"


def columns_of(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the names of the rows' columns, without their places."""
    return list(dict.fromkeys(name for row in rows for name in row.get("columns", ())))


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write the rows below a head line; an earlier file stays until everything is written.

    Raises `UsageError` when the file cannot be written.
    """
    text = io.StringIO("\ufeff", newline="")  # spreadsheets recognize UTF-8 by this mark
    text.seek(0, io.SEEK_END)
    writer = csv.writer(text)
    names = columns_of(rows)
    writer.writerow([*map(safe_cell, names), *_PLACE])
    for row in rows:
        place = {**row, "quote": _CELLS.sub(" ", row.get("quote") or "")}
        cells = [*(row["columns"].get(name) for name in names), *map(place.get, _PLACE)]
        writer.writerow(map(safe_cell, cells))
    with writing(path):
        if path.exists() and not path.is_file():  # /dev/stdout and the like
            path.write_text(text.getvalue(), "utf-8", newline="")
        else:
            write_file(path, text.getvalue())


def safe_cell(value: Any) -> str:
    """Return a cell that no spreadsheet takes for a formula; numbers stay numbers."""
    text = "" if value is None else " ".join(str(value).split())
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.match(text) else text


def print_table(
    console: Console,
    rows: Sequence[dict[str, Any]],
    link: Callable[[Source, str], Text],
    show: Callable[[str, int], str],
) -> None:
    """Print the rows; `link(source, name)` links a place, `show` cleans a text and shortens it.

    Files are shown by their names, or by their paths where two have the same name.
    """
    files = Counter(_base(row["file"]) for row in rows)
    names = columns_of(rows)
    heads = {name: show(words_of(spoken()).column(name), _CELL) for name in names}
    shown: list[tuple[Text | str, ...]] = []
    for row in rows:
        source = Source(n=row["n"], file=row["file"], page=row["page"], line=row["line"])
        shown.append(
            (
                Text(f"[{row['n']}]", "bold cyan"),
                *(show(_shown(name, row["columns"].get(name)), _CELL) for name in names),
                link(source, row["file"] if files[_base(row["file"])] > 1 else _base(row["file"])),
            )
        )
    print_rows(
        ("", *heads.values(), "where"),
        shown,
        console=console,
        right={heads[name] for name in names if _is_numeric(name, rows)},
        names={"where"},
    )


def print_bars(
    console: Console, groups: Sequence[Mapping[str, Any]], show: Callable[[str, int], str]
) -> None:
    """Print the figures of groups below each other, each with a bar where there is room for one."""
    names = [show(group["name"], _CELL) for group in groups]
    left, right = max(map(cell_len, names)), max(len(group["said"]) for group in groups)
    most = max(abs(group["value"]) for group in groups) or 1
    room = min(console.width - left - right - 2 * len(_GAP), _BAR)
    for name, group in zip(names, groups, strict=True):
        eighths = round(8 * max(room, 0) * abs(group["value"]) / most)
        bar = _BLOCKS[-1] * (eighths // 8) + _BLOCKS[eighths % 8]
        line = Text(
            name + " " * (left - cell_len(name)) + _GAP + f"{group['said']:>{right}}" + _GAP
        )
        console.print(line.append(bar.strip(), "cyan"), soft_wrap=True)


def _is_numeric(name: str, rows: Sequence[dict[str, Any]]) -> bool:
    return any(isinstance(row["columns"].get(name), (int, float)) for row in rows)


def _shown(name: str, value: Any) -> str:
    words = words_of(spoken())
    if name == "size" and isinstance(value, int):
        return words.notated(human_size(value))
    if isinstance(value, float):
        return words.number(value, 2)
    if isinstance(value, str) and _DAY.match(value):
        with contextlib.suppress(ValueError):
            return words.written(date.fromisoformat(value))
    return "" if value is None else str(value)


def _base(path: str) -> str:
    return path.rsplit("/", 1)[-1]
