"""Taking conversations from one machine to another, as a copy of their database.

A copy that comes from elsewhere is not put in place: its rows are read as plain values, checked,
and added to the conversations that are here. Those that are here already stay as they are.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from manole.agent.conversations.database import VERSION, Database
from manole.agent.conversations.model import is_id, read
from manole.errors import ConversationError

_TABLES = {"conversations", "turns", "events"}
_CONVERSATIONS = "SELECT id, title, created, updated FROM conversations"
_TURNS = """SELECT key, n, question, scope, asked, answer, rating, comment FROM turns
    WHERE conversation = ? ORDER BY n"""
_EVENTS = "SELECT event FROM events WHERE turn = ? ORDER BY key"


def copy_out(path: Path, target: Path) -> bool:
    """Copy the conversations in `path`, one whole state, into a new file; False if there are none.

    Raises `ConversationError`.
    """
    if not path.exists():
        return False
    database = Database(path)
    with database.reading() as source:  # which refuses a file that is not ours
        source.execute("SELECT 1").fetchone()
    database.close()
    with (
        database.failures(),
        contextlib.closing(sqlite3.connect(path)) as source,
        contextlib.closing(sqlite3.connect(target)) as copy,
    ):
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
    return True


def bring_in(copy: Path, path: Path) -> int:
    """Add the conversations of `copy` to those in `path`; gives how many were new.

    Either all of them are added or none. Raises `ConversationError` where the copy is damaged, of
    another version, or not one.
    """
    database = Database(path)
    try:
        with _opened(copy) as source, database.writing() as into:
            known = {row[0] for row in into.execute("SELECT id FROM conversations")}
            fresh = [row for row in source.execute(_CONVERSATIONS) if row[0] not in known]
            for row in fresh:
                _add(source, into, row)
            return len(fresh)
    finally:
        database.close()


@contextlib.contextmanager
def _opened(copy: Path) -> Iterator[sqlite3.Connection]:
    """The copy, read only, once it is known to be what it should be."""
    try:
        with contextlib.closing(
            sqlite3.connect(f"{copy.absolute().as_uri()}?mode=ro", uri=True)
        ) as source:
            source.execute("PRAGMA trusted_schema = OFF")
            (version,) = source.execute("PRAGMA user_version").fetchone()
            tables = source.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            if version != VERSION or not {name for (name,) in tables} >= _TABLES:
                raise _refused(f"they are of version {version}; this one reads {VERSION}")
            if source.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
                raise _refused("their file is damaged")
            yield source
    except sqlite3.DatabaseError as error:
        raise _refused(str(error)) from error


def _add(source: sqlite3.Connection, into: sqlite3.Connection, row: Sequence[Any]) -> None:
    id, title, created, updated = row
    if not (is_id(id) and _texts(created, updated) and _texts(title or "")):
        raise _refused("one of them makes no sense")
    into.execute("INSERT INTO conversations VALUES (?, ?, ?, ?)", (id, title, created, updated))
    for key, n, *kept in source.execute(_TURNS, (id,)).fetchall():
        question, scope, asked, answer, rating, comment = kept
        optional = [text for text in (scope, answer, rating, comment) if text is not None]
        if not isinstance(n, int) or not _texts(question, asked, *optional):
            raise _refused("a turn of them makes no sense")
        _moment(asked)
        turn = into.execute(
            "INSERT INTO turns (conversation, n, question, scope, asked, answer, rating, comment) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (id, n, *kept),
        ).lastrowid
        for (event,) in source.execute(_EVENTS, (key,)):
            _check_event(event)
            into.execute("INSERT INTO events (turn, event) VALUES (?, ?)", (turn, event))
    _moment(created)
    _moment(updated)


def _texts(*values: object) -> bool:
    return all(isinstance(value, str) for value in values)


def _moment(text: str) -> None:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise _refused("a time of them makes no sense") from None


def _check_event(event: object) -> None:
    try:
        if not isinstance(event, str):
            raise ValueError
        read(event)
    except ValueError:
        raise _refused("an event of them cannot be read") from None


def _refused(reason: str) -> ConversationError:
    return ConversationError(
        f"The conversations that came with the index were not taken in: {reason}.",
        "The index itself is in place. Export them again, or use `manole conversations export`.",
    )
