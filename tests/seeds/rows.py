"""The rows of `docs/seeds.md`: `rows/*.toml`, and the tests that name a row in their docstring."""

from __future__ import annotations

import ast
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STATES = ("works", "replaced", "not run here")
AUDITED = ("missing", "differs", "not run", "an option")  # what an audit found, if it did not work
# In their order; each has a file of rows, and modules of tests that begin with its name.
DOCUMENTS = ("agent_loop", "pipeline", "journal", "manual", "how_manole_works")
_TEST = ast.FunctionDef | ast.AsyncFunctionDef
_ROWS = re.compile(r"Rows? (\d+(?:, \d+)*): ")


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence of a document: what it says, where that lives, how one gets it, what became of it.

    `where` are `module:name`s, or paths in the repository; `tests` are nodes beyond those in
    `tests/seeds`, which find their row by themselves. `was` is what the audit before version 1
    found, one of `AUDITED` and perhaps why; empty where it worked.
    """

    n: int
    says: str
    where: tuple[str, ...]
    by: str = "default"
    state: str = "works"
    note: str = ""
    tests: tuple[str, ...] = ()
    was: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A document: its title and rows."""

    name: str
    title: str
    rows: tuple[Row, ...]


def documents() -> list[Document]:
    """Read the rows of all documents."""
    read = []
    for name in DOCUMENTS:
        told = tomllib.loads((HERE / "rows" / f"{name}.toml").read_text("utf-8"))
        rows = [
            Row(**row | {key: tuple(row[key]) for key in ("where", "tests") if key in row})
            for row in told["row"]
        ]
        read.append(Document(name, told["document"], tuple(sorted(rows, key=lambda row: row.n))))
    return read


@cache
def nodes() -> dict[str, list[int]]:
    """Return the rows that each test of the suite names, by its node."""
    found = {}
    for file in sorted({*HERE.glob("test_*.py")} - {HERE / "test_table.py"}):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, _TEST) and node.name.startswith("test_"):
                told = _ROWS.match(ast.get_docstring(node) or "")
                rows = [int(n) for n in told[1].split(", ")] if told else []
                found[f"{file.relative_to(ROOT).as_posix()}::{node.name}"] = rows
    return found


def nodes_of(row: Row) -> list[str]:
    """Return the nodes that test a row."""
    return [*(node for node, rows in nodes().items() if row.n in rows), *row.tests]
