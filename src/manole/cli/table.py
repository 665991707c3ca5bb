"""The table of a field over many papers: on the terminal, and as a CSV file.

Cells come from documents, which are untrusted. A spreadsheet takes a cell that begins with `=`,
`+`, `-` or `@` for a formula, so such a cell gets a `'` before it, as OWASP's page on CSV injection
advises; amounts are written as plain numbers and stay numbers.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from manole.agent.events import ResultEvent, Source
from manole.errors import UsageError
from manole.index.durability import write_file

if TYPE_CHECKING:
    from manole.agent.events import Event

COLUMNS = (
    "file", "page", "line", "issuer", "date", "number", "field", "value", "amount", "currency",
    "by", "confidence", "quote", "reason",
)  # fmt: skip
_FORMULA = re.compile(r"^\s*[=+\-@\t\r|%]")
_NUMBER = re.compile(r"^-?\d+(\.\d+)?$")
_ISSUER, _QUOTE = 40, 60


def is_table(event: Event) -> bool:
    """Whether the event holds rows of fields."""
    return isinstance(event, ResultEvent) and event.payload_type == "table"


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write the rows, a head line first; what was there before stays until all is written.

    Raises `UsageError` when the file cannot be written.
    """
    text = io.StringIO("\ufeff", newline="")  # the mark by which spreadsheets know UTF-8
    text.seek(0, io.SEEK_END)
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows([[safe_cell(row.get(name)) for name in COLUMNS] for row in rows])
    try:
        if path.exists() and not path.is_file():  # /dev/stdout and the like
            path.write_text(text.getvalue(), "utf-8", newline="")
        else:
            write_file(path, text.getvalue())
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{path} cannot be written: {reason}.", "Name another file.") from None


def safe_cell(value: Any) -> str:
    """A cell that no spreadsheet takes for a formula; numbers stay numbers."""
    text = "" if value is None else " ".join(str(value).split())
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.match(text) else text


def rich_table(
    rows: Sequence[dict[str, Any]],
    link: Callable[[Source, str], Text],
    show: Callable[[str, int], str],
) -> Table:
    """The rows for the terminal: `link(source, name)` makes a linked place, `show` cleans and cuts.

    Files are called by their own names, by their paths where two have the same.
    """
    from manole.documents.fields.model import SURE  # compiles its patterns; others need no table

    names = Counter(_base(row["file"]) for row in rows)
    field = str(rows[0]["field"]).replace("_", " ") if rows else "value"
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", "date", "issuer", "number"):
        table.add_column(name, no_wrap=name in {"", "date"})
    money = any(row["amount"] is not None for row in rows)
    table.add_column(field, justify="right" if money else "left", no_wrap=money)
    table.add_column("where", overflow="fold")
    for row in rows:
        missing = row["value"] is None
        source = Source(n=row["n"], file=row["file"], page=row["page"], line=row["line"])
        table.add_row(
            Text(f"[{row['n']}]", "bold cyan"),
            Text(row["date"] or ""),
            Text(show(row["issuer"] or "", _ISSUER)),
            Text(show(row["number"] or "", _ISSUER)),
            Text(show(row["reason"] or "none", _QUOTE), "yellow")
            if missing
            else Text(
                show(row["value"], _QUOTE), "bold" if row["confidence"] >= SURE else "bold yellow"
            ),
            link(source, row["file"] if names[_base(row["file"])] > 1 else _base(row["file"])),
        )
    return table


def _base(path: str) -> str:
    return path.rsplit("/", 1)[-1]
