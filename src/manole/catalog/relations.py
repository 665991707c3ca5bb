"""The relations of the catalog and their columns.

Days are ISO text (`2024-03-05`), sizes bytes. Text compares without regard to case and accents.
Whole numbers of more digits than SQLite's own are LONG: text that compares as numbers do. The
sheets of a library (`sheets.py`) are relations as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Type = Literal["TEXT", "INTEGER", "REAL", "DAY", "LONG"]


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation.

    `columns` are names and types; `where` names the columns with a row's place and its text there.
    """

    name: str
    columns: dict[str, Type]
    where: tuple[str, ...] = ("path",)

    @property
    def sql(self) -> str:
        """The statement that creates it."""
        types = {"TEXT": "TEXT COLLATE FOLD", "DAY": "TEXT", "LONG": "TEXT COLLATE LONG"}
        columns = ", ".join(f'"{n}" {types.get(t, t)}' for n, t in self.columns.items())
        return f'CREATE TABLE "{self.name}"({columns})'


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
        "path": "TEXT", "type": "TEXT", "issuer": "TEXT", "recipient": "TEXT", "number": "TEXT",
        "date": "DAY", "due": "DAY", "status": "TEXT", "ends": "DAY", "notice": "TEXT",
        "net": "REAL", "tax": "REAL", "total": "REAL", "currency": "TEXT", "page": "INTEGER",
        "line": "INTEGER", "quote": "TEXT",
    },
    ("path", "page", "line", "quote"),
)  # fmt: skip
FIELDS = {  # columns of `papers`, and their names in `documents.fields`
    "issuer": "issuer", "recipient": "recipient", "number": "number", "date": "date",
    "due": "due_date", "status": "status", "ends": "end_date", "notice": "notice", "net": "net",
    "tax": "tax", "total": "total",
}  # fmt: skip
MONEY = frozenset({"net", "tax", "total"})
NAMED = frozenset({  # columns of any relation whose values have many spellings
    "issuer", "recipient", "name", "path", "title", "number", "sender", "recipients", "subject",
})  # fmt: skip
ENTRIES = Relation(
    "entries",
    {
        "path": "TEXT", "line": "INTEGER", "date": "DAY", "written": "DAY", "weekday": "TEXT",
        "text": "TEXT",
    },
    ("path", "line", "text"),
)  # fmt: skip
PEOPLE = Relation(
    "people",
    {**ENTRIES.columns, "name": "TEXT", "entry": "INTEGER"},
    ENTRIES.where,
)
# `thread` is the path of its first message, `answers` that of the message which this one answers,
# `answered` the day on which somebody else first answered it.
MESSAGES = Relation(
    "messages",
    {
        "path": "TEXT", "sender": "TEXT", "recipients": "TEXT", "subject": "TEXT", "date": "DAY",
        "attachments": "TEXT", "thread": "TEXT", "answers": "TEXT", "answered": "DAY",
    },
)  # fmt: skip
TASKS = Relation(
    "tasks",
    {
        "path": "TEXT", "line": "INTEGER", "text": "TEXT", "status": "TEXT", "due": "DAY",
        "done": "DAY", "tag": "TEXT",
    },
    ("path", "line", "text"),
)  # fmt: skip
EVENTS = Relation(
    "events",
    {
        "path": "TEXT", "page": "INTEGER", "line": "INTEGER", "title": "TEXT", "date": "DAY",
        "ends": "DAY", "start": "TEXT", "place": "TEXT", "people": "TEXT", "notes": "TEXT",
    },
    ("path", "page", "line", "title AS quote"),
)  # fmt: skip
TAGS = Relation("tags", {"path": "TEXT", "tag": "TEXT"})
PROPERTIES = Relation("properties", {"path": "TEXT", "key": "TEXT", "value": "TEXT"})
_ALL = (FILES, FOLDERS, PAPERS, MESSAGES, ENTRIES, PEOPLE, TASKS, EVENTS, TAGS, PROPERTIES)
RELATIONS = {relation.name: relation for relation in _ALL}
DIARY = frozenset({"entries", "people"})
NOTES = frozenset({"tasks", "events", "tags", "properties"})  # filled in one go
SAYS = {
    "tasks": ("text", "tag", "path"),
    "events": ("title", "place", "people", "notes"),
}  # own texts
