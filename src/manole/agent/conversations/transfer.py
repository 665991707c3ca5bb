"""The transfer of conversations from one machine to another, as a SQLite file.

A copy from elsewhere is not put in place: its rows are read as plain values, checked, and added to
the conversations that are here. Those that are here already stay as they are.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, cast, get_args

from manole.agent.conversations.database import VERSION
from manole.agent.conversations.model import Kept, KeptTurn, Rating, is_id, read
from manole.agent.conversations.sqlite import KEPT, TURNS, SqliteBackend
from manole.agent.conversations.store import Conversations
from manole.errors import ConversationError

_TABLES = {"conversations", "turns", "events"}
_EVENTS = "SELECT event FROM events WHERE turn = ? ORDER BY key"


def copy_out(store: Conversations, target: Path) -> bool:
    """Copy the conversations, as they are at one moment, into a new file; False for none.

    Raises `ConversationError`.
    """
    backend = store.backend
    if isinstance(backend, SqliteBackend):
        return _copied(backend, target)
    copy = SqliteBackend(target)
    try:
        with backend.everything() as kept, copy.database.failures():
            count = copy.add(kept)
        copy.database.erase()  # all of it into the one file
    finally:
        copy.close()
        backend.close()
    return count > 0


def _copied(backend: SqliteBackend, target: Path) -> bool:
    if not backend.path.exists():
        return False
    with backend.database.reading() as source:  # refuses a foreign file
        source.execute("SELECT 1").fetchone()
    backend.close()
    with (
        backend.database.failures(),
        contextlib.closing(sqlite3.connect(backend.path)) as source,
        contextlib.closing(sqlite3.connect(target)) as copy,
    ):
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
    return True


def bring_in(copy: Path, store: Conversations) -> int:
    """Add the conversations of `copy` to those in `store`; return how many were new.

    Either all of them are added or none. Raises `ConversationError` where the copy is damaged, of
    another version, or something else.
    """
    try:
        with _opened(copy) as source:
            return store.backend.add(_read(source))
    finally:
        store.close()


@contextlib.contextmanager
def _opened(copy: Path) -> Iterator[sqlite3.Connection]:
    """Open the copy, read only, after checking what it is."""
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


def _read(source: sqlite3.Connection) -> Iterator[Kept]:
    """Yield the conversations of a copy, each value checked."""
    for id, title, created, updated in source.execute(KEPT).fetchall():
        if not (is_id(id) and _texts(created, updated) and _texts(title or "")):
            raise _refused("one of them makes no sense")
        rows = source.execute(TURNS, (id,)).fetchall()
        turns = tuple(_turn(source, row) for row in rows)
        yield Kept(id, title, _moment(created), _moment(updated), turns)


def _turn(source: sqlite3.Connection, row: Sequence[Any]) -> KeptTurn:
    key, n, question, scope, asked, answer, rating, comment = row
    optional = [text for text in (scope, answer, rating, comment) if text is not None]
    if not isinstance(n, int) or not _texts(question, asked, *optional):
        raise _refused("a turn of them makes no sense")
    if rating not in {None, *get_args(Rating)}:
        raise _refused("a rating of them makes no sense")
    events = tuple(_event(line) for (line,) in source.execute(_EVENTS, (key,)))
    moment = _moment(asked)
    given = cast("Rating | None", rating)
    return KeptTurn(n, question, scope, moment, answer, given, comment, events)


def _texts(*values: object) -> bool:
    return all(isinstance(value, str) for value in values)


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise _refused("a time of them makes no sense") from None


def _event(line: object) -> str:
    try:
        if not isinstance(line, str):
            raise ValueError
        read(line)
    except ValueError:
        raise _refused("an event of them cannot be read") from None
    return line


def _refused(reason: str) -> ConversationError:
    return ConversationError(
        f"The conversations that came with the index were not taken in: {reason}.",
        "The index itself is in place. Export them again, or use `manole conversations export`.",
    )
