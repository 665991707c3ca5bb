"""The conversations of a library in a SQLite file of their own (`database`).

The files are under `conversations/` of the data folder, so that neither rebuilding nor removing the
index touches them. An event is one row, written and committed as it comes.
"""

from __future__ import annotations

import builtins
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from manole.agent.conversations.database import Database
from manole.agent.conversations.model import UNTITLED, Conversation, Kept, KeptTurn, Rating

_CONVERSATIONS = """SELECT id, title, created, updated,
    (SELECT count(*) FROM turns WHERE conversation = id) FROM conversations """
_CONTAINING = r"""WHERE fold(title) LIKE :text ESCAPE '\' OR EXISTS (
    SELECT 1 FROM turns WHERE conversation = id
    AND (fold(question) LIKE :text ESCAPE '\' OR fold(answer) LIKE :text ESCAPE '\')) """
_NEWEST_FIRST = "ORDER BY updated DESC, conversations.rowid DESC LIMIT :limit OFFSET :offset"
_KEPT = "SELECT id, title, created, updated FROM conversations "
_TURNS = """SELECT key, n, question, scope, asked, answer, rating, comment FROM turns
    WHERE conversation = ? ORDER BY n"""
_EVENTS = """SELECT turn, event FROM turns JOIN events ON turn = turns.key
    WHERE conversation = ? ORDER BY turn, events.key"""
_HISTORY = """SELECT question, answer,
    (SELECT event FROM events WHERE turn = turns.key ORDER BY key DESC LIMIT 1)
    FROM turns WHERE conversation = ? AND answer IS NOT NULL ORDER BY n DESC LIMIT ?"""


class SqliteBackend:
    """A `Backend` over one file, which is created with the first conversation."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.library = path.stem
        self.database = Database(path)

    @property
    def place(self) -> str:
        """The file's path."""
        return str(self.path)

    def check(self) -> None:
        """Do nothing: a file that cannot be used raises when it is needed."""

    def create(self, id: str, title: str | None) -> Conversation:
        """Create a conversation."""
        now = _now()
        with self.database.writing() as db:
            db.execute("INSERT INTO conversations VALUES (?, ?, ?, ?)", (id, title, now, now))
            return _conversation(_found(db, id))

    def list(self, limit: int, offset: int, pattern: str | None) -> builtins.list[Conversation]:
        """Return the last used first."""
        values: dict[str, int | str] = {"limit": limit, "offset": offset}
        where = ""
        if pattern is not None:
            where, values["text"] = _CONTAINING, pattern
        with self.database.reading() as db:
            rows = db.execute(_CONVERSATIONS + where + _NEWEST_FIRST, values)
            return [_conversation(row) for row in rows]

    def get(self, id: str) -> Conversation | None:
        """Return a conversation."""
        with self.database.reading() as db:
            row = _found(db, id)
            return _conversation(row) if row else None

    def rename(self, id: str, title: str) -> Conversation | None:
        """Change its title."""
        with self.database.writing() as db:
            db.execute("UPDATE conversations SET title = ? WHERE id = ?", (title, id))
            row = _found(db, id)
            return _conversation(row) if row else None

    def delete(self, id: str) -> bool:
        """Delete it; its data is overwritten in the file."""
        with self.database.writing() as db:
            deleted = db.execute("DELETE FROM conversations WHERE id = ?", (id,)).rowcount
        if deleted:
            self.database.erase()
        return bool(deleted)

    def begin(self, id: str, question: str, scope: str | None, title: str) -> int | None:
        """Begin a turn; return its number."""
        now = _now()
        with self.database.writing() as db:
            known = db.execute(
                "UPDATE conversations SET updated = ?, title = coalesce(title, ?) WHERE id = ?",
                (now, title, id),
            ).rowcount
            if not known:
                return None
            (n,) = db.execute(
                "INSERT INTO turns (conversation, n, question, scope, asked) SELECT ?, "
                "coalesce(max(n), 0) + 1, ?, ?, ? FROM turns WHERE conversation = ? RETURNING n",
                (id, question, scope, now, id),
            ).fetchone()
            return int(n)

    def append(self, id: str, n: int, line: str, answer: str | None) -> bool:
        """Store an event of a turn. When this returns, it is on the disk."""
        with self.database.writing() as db:
            key = _turn(db, id, n)
            if key is None:
                return False
            db.execute("INSERT INTO events (turn, event) VALUES (?, ?)", (key, line))
            if answer is not None:
                db.execute("UPDATE turns SET answer = ? WHERE key = ?", (answer, key))
                db.execute("UPDATE conversations SET updated = ? WHERE id = ?", (_now(), id))
            return True

    def whole(self, id: str) -> Kept | None:
        """Return a whole conversation."""
        with self.database.reading() as db:
            row = db.execute(_KEPT + "WHERE id = ?", (id,)).fetchone()
            return _kept(db, row) if row else None

    def history(self, id: str, turns: int) -> builtins.list[tuple[str, str, str]] | None:
        """Return questions, answers and last events of the last finished turns, in order."""
        with self.database.reading() as db:
            rows = db.execute(_HISTORY, (id, turns)).fetchall()
            if not rows and _found(db, id) is None:
                return None
        return rows[::-1]

    def rate(self, id: str, n: int, rating: Rating | None, comment: str | None) -> bool:
        """Store the person's rating of a turn."""
        with self.database.writing() as db:
            statement = "UPDATE turns SET rating = ?, comment = ? WHERE conversation = ? AND n = ?"
            return db.execute(statement, (rating, comment, id, n)).rowcount > 0

    def close(self) -> None:
        """Close the file."""
        self.database.close()


def _found(db: sqlite3.Connection, id: str) -> Any:
    return db.execute(_CONVERSATIONS + "WHERE id = ?", (id,)).fetchone()


def _turn(db: sqlite3.Connection, id: str, n: int) -> int | None:
    """Return the key of a turn."""
    query = "SELECT key FROM turns WHERE conversation = ? AND n = ?"
    row = db.execute(query, (id, n)).fetchone()
    return int(row[0]) if row else None


def _conversation(row: Any) -> Conversation:
    id, title, created, updated, turns = row
    return Conversation(id, title or UNTITLED, _moment(created), _moment(updated), turns)


def _kept(db: sqlite3.Connection, row: Any) -> Kept:
    id, title, created, updated = row
    events: dict[int, builtins.list[str]] = {}
    for key, line in db.execute(_EVENTS, (id,)):
        events.setdefault(key, []).append(line)
    turns = tuple(
        KeptTurn(
            n, question, scope, _moment(asked), answer, rating, comment, tuple(events.get(key, ()))
        )
        for key, n, question, scope, asked, answer, rating, comment in db.execute(_TURNS, (id,))
    )
    return Kept(id, title, _moment(created), _moment(updated), turns)


def _now() -> str:
    return _written(datetime.now(UTC))


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _moment(written: str) -> datetime:
    return datetime.fromisoformat(written)
