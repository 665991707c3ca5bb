"""The relations of the catalog: their columns, and what a model is told about them.

Days are ISO text (`2024-03-05`), sizes bytes. Text compares without regard to case and accents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Type = Literal["TEXT", "INTEGER", "REAL", "DAY"]


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation. `columns` are names and types; `where` names the columns that say where a row
    stands: a path, and where there are any a page and a line.
    """  # noqa: D205

    name: str
    columns: dict[str, Type]
    where: tuple[str, ...] = ("path",)

    @property
    def sql(self) -> str:
        """The statement that makes it."""
        types = {"TEXT": "TEXT COLLATE FOLD", "DAY": "TEXT"}
        columns = ", ".join(f"{n} {types.get(t, t)}" for n, t in self.columns.items())
        return f"CREATE TABLE {self.name}({columns})"


FILES = Relation(
    "files",
    {
        "path": "TEXT", "name": "TEXT", "folder": "TEXT", "extension": "TEXT", "kind": "TEXT",
        "size": "INTEGER", "modified": "DAY", "date": "DAY", "title": "TEXT", "pages": "INTEGER",
        "words": "INTEGER", "copies": "INTEGER", "copy": "INTEGER", "status": "TEXT",
        "reason": "TEXT",
    },
)  # fmt: skip
FOLDERS = Relation(
    "folders",
    {
        "path": "TEXT", "name": "TEXT", "parent": "TEXT", "depth": "INTEGER", "files": "INTEGER",
        "size": "INTEGER",
    },
)  # fmt: skip
PAPERS = Relation(
    "papers",
    {
        "path": "TEXT", "type": "TEXT", "issuer": "TEXT", "number": "TEXT", "date": "DAY",
        "due": "DAY", "ends": "DAY", "net": "REAL", "tax": "REAL", "total": "REAL",
        "currency": "TEXT", "page": "INTEGER", "line": "INTEGER",
    },
    ("path", "page", "line"),
)  # fmt: skip
ENTRIES = Relation(
    "entries",
    {
        "path": "TEXT", "line": "INTEGER", "date": "DAY", "weekday": "TEXT", "title": "TEXT",
        "text": "TEXT",
    },
    ("path", "line"),
)  # fmt: skip
RELATIONS = {relation.name: relation for relation in (FILES, FOLDERS, PAPERS, ENTRIES)}
