"""Conversations in a PostgreSQL database, for several servers that share them.

Each method is one transaction on a connection of the process's pool (`pool`), and has the same
result when it is done twice. A turn gets its number under a lock on its conversation, so that two
servers never give the same one. Times are the database's: the clocks of servers differ.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from manole.agent.conversations.model import (
    UNTITLED,
    Conversation,
    Kept,
    KeptTurn,
    Rating,
)
from manole.text.words import caseless
from manole_postgres.pool import shared

if TYPE_CHECKING:
    from pg8000.native import Connection

_CONVERSATIONS = """SELECT id, title, created, updated,
    (SELECT count(*) FROM manole.turns WHERE conversation = c.key)
    FROM manole.conversations c WHERE library = :library """
_CONTAINING = """AND (folded LIKE :text OR EXISTS (
    SELECT 1 FROM manole.turns WHERE conversation = c.key
    AND (folded_question LIKE :text OR folded_answer LIKE :text))) """
_NEWEST_FIRST = "ORDER BY updated DESC, key DESC LIMIT :limit OFFSET :offset"
_KEPT = """SELECT key, id, title, created, updated FROM manole.conversations
    WHERE library = :library """
_TURNS = """SELECT key, n, question, scope, asked, answer, rating, comment FROM manole.turns
    WHERE conversation = :key ORDER BY n"""
_EVENTS = """SELECT e.turn, e.event FROM manole.turns t JOIN manole.events e ON e.turn = t.key
    WHERE t.conversation = :key ORDER BY e.turn, e.key"""
_TURN = """SELECT t.key FROM manole.turns t JOIN manole.conversations c ON t.conversation = c.key
    WHERE c.library = :library AND c.id = :id AND t.n = :n"""
_MOMENT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"  # one state for several statements


class PostgresBackend:
    """A `Backend` over the rows of one library."""

    path = None

    def __init__(self, address: str, library: str) -> None:
        """Connections are made when they are needed. Raises `SettingsError`."""
        self.library = library
        self._pool = shared(address)

    @property
    def place(self) -> str:
        """The database and its server."""
        return self._pool.address.place

    def check(self) -> None:
        """Raise `ConversationError` if the database cannot be used."""
        self._pool.run(lambda db: db.run("SELECT 1"))

    def create(self, id: str, title: str | None) -> Conversation:
        """Begin a conversation."""

        def work(db: Connection) -> Conversation:
            db.run(
                "INSERT INTO manole.conversations (library, id, title, folded, created, updated) "
                "SELECT :library, :id, :title, :folded, t, t FROM clock_timestamp() t "
                "ON CONFLICT (library, id) DO NOTHING",
                library=self.library,
                id=id,
                title=title,
                folded=None if title is None else caseless(title),
            )
            return _conversation(self._found(db, id)[0])

        return self._pool.run(work)

    def list(self, limit: int, offset: int, pattern: str | None) -> builtins.list[Conversation]:
        """List conversations, the last used first."""
        values: dict[str, Any] = {"library": self.library, "limit": limit, "offset": offset}
        where = ""
        if pattern is not None:
            where, values["text"] = _CONTAINING, pattern
        query = _CONVERSATIONS + where + _NEWEST_FIRST
        rows = self._pool.run(lambda db: db.run(query, **values))
        return [_conversation(row) for row in rows]

    def get(self, id: str) -> Conversation | None:
        """Return one conversation."""
        rows = self._pool.run(lambda db: self._found(db, id))
        return _conversation(rows[0]) if rows else None

    def rename(self, id: str, title: str) -> Conversation | None:
        """Give a conversation another title."""

        def work(db: Connection) -> Any:
            db.run(
                "UPDATE manole.conversations SET title = :title, folded = :folded "
                "WHERE library = :library AND id = :id",
                title=title,
                folded=caseless(title),
                library=self.library,
                id=id,
            )
            return self._found(db, id)

        rows = self._pool.run(work)
        return _conversation(rows[0]) if rows else None

    def delete(self, id: str) -> bool:
        """Remove a conversation. The server's log and copies are beyond our reach."""
        statement = (
            "DELETE FROM manole.conversations WHERE library = :library AND id = :id RETURNING key"
        )
        return bool(self._pool.run(lambda db: db.run(statement, library=self.library, id=id)))

    def begin(self, id: str, question: str, scope: str | None, title: str) -> int | None:
        """Begin a turn and return its number."""
        mark = str(uuid4())

        def work(db: Connection) -> int | None:
            locked = db.run(
                "UPDATE manole.conversations SET updated = clock_timestamp(), "
                "title = coalesce(title, :title), folded = coalesce(folded, :folded) "
                "WHERE library = :library AND id = :id RETURNING key",
                title=title,
                folded=caseless(title),
                library=self.library,
                id=id,
            )
            if not locked:
                return None
            begun = db.run("SELECT n FROM manole.turns WHERE mark = CAST(:mark AS uuid)", mark=mark)
            if not begun:
                begun = db.run(
                    "INSERT INTO manole.turns "
                    "(conversation, n, question, folded_question, scope, asked, mark) "
                    "SELECT CAST(:key AS bigint), coalesce(max(n), 0) + 1, :question, :folded, "
                    ":scope, clock_timestamp(), CAST(:mark AS uuid) "
                    "FROM manole.turns WHERE conversation = CAST(:key AS bigint) RETURNING n",
                    key=locked[0][0],
                    question=question,
                    folded=caseless(question),
                    scope=scope,
                    mark=mark,
                )
            return int(begun[0][0])

        return self._pool.run(work)

    def append(self, id: str, n: int, line: str, answer: str | None) -> bool:
        """Keep an event of a turn. When this returns, the server has it on its disk."""
        mark = str(uuid4())

        def work(db: Connection) -> bool:
            locked = _TURN + " FOR KEY SHARE OF t"  # nobody deletes it meanwhile
            found = db.run(locked, library=self.library, id=id, n=n)
            if not found:
                return False
            key = found[0][0]
            db.run(
                "INSERT INTO manole.events (turn, event, mark) "
                "VALUES (:key, :event, CAST(:mark AS uuid)) ON CONFLICT (mark) DO NOTHING",
                key=key,
                event=line,
                mark=mark,
            )
            if answer is not None:
                db.run(
                    "UPDATE manole.turns SET answer = :answer, folded_answer = :folded "
                    "WHERE key = :key",
                    answer=answer,
                    folded=caseless(answer),
                    key=key,
                )
                db.run(
                    "UPDATE manole.conversations SET updated = clock_timestamp() "
                    "WHERE library = :library AND id = :id",
                    library=self.library,
                    id=id,
                )
            return True

        return self._pool.run(work)

    def whole(self, id: str) -> Kept | None:
        """Return all of a conversation."""

        def work(db: Connection) -> Kept | None:
            db.run(_MOMENT)
            rows = db.run(_KEPT + "AND id = :id", library=self.library, id=id)
            return _kept(db, rows[0]) if rows else None

        return self._pool.run(work)

    def history(self, id: str, turns: int) -> builtins.list[tuple[str, str, str]] | None:
        """Return questions, answers and last events of the last finished turns, in order."""

        def work(db: Connection) -> builtins.list[tuple[str, str, str]] | None:
            rows = db.run(
                "SELECT question, answer, (SELECT event FROM manole.events e "
                "WHERE e.turn = t.key ORDER BY e.key DESC LIMIT 1) FROM manole.turns t "
                "JOIN manole.conversations c ON t.conversation = c.key "
                "WHERE c.library = :library AND c.id = :id AND answer IS NOT NULL "
                "ORDER BY n DESC LIMIT :turns",
                library=self.library,
                id=id,
                turns=turns,
            )
            if not rows and not self._found(db, id):
                return None
            return [(question, answer, last) for question, answer, last in reversed(rows)]

        return self._pool.run(work)

    def rate(self, id: str, n: int, rating: Rating | None, comment: str | None) -> bool:
        """Keep a person's rating of a turn."""

        def work(db: Connection) -> bool:
            found = db.run(_TURN, library=self.library, id=id, n=n)
            if found:
                db.run(
                    "UPDATE manole.turns SET rating = :rating, comment = :comment WHERE key = :key",
                    rating=rating,
                    comment=comment,
                    key=found[0][0],
                )
            return bool(found)

        return self._pool.run(work)

    def close(self) -> None:
        """Close connections that nobody uses now."""
        self._pool.close()

    def _found(self, db: Connection, id: str) -> Any:
        return db.run(_CONVERSATIONS + "AND id = :id", library=self.library, id=id)


def libraries(address: str) -> builtins.list[str]:
    """Return the names of the libraries with conversations there. Raises as `PostgresBackend`."""
    pool = shared(address)
    query = "SELECT DISTINCT library FROM manole.conversations"
    try:
        return sorted(name for (name,) in pool.run(lambda db: db.run(query)))
    finally:
        pool.close()


def _conversation(row: Any) -> Conversation:
    id, title, created, updated, turns = row
    return Conversation(id, title or UNTITLED, created, updated, turns)


def _kept(db: Connection, row: Any) -> Kept:
    key, id, title, created, updated = row
    events: dict[int, builtins.list[str]] = {}
    for turn, line in db.run(_EVENTS, key=key):
        events.setdefault(turn, []).append(line)
    turns = tuple(
        KeptTurn(n, question, scope, asked, answer, rating, comment, tuple(events.get(turn, ())))
        for turn, n, question, scope, asked, answer, rating, comment in db.run(_TURNS, key=key)
    )
    return Kept(id, title, created, updated, turns)
