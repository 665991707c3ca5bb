"""The conversations of one library, in a file of their own beside the index.

They lie under `conversations/` of the data folder, so that neither rebuilding nor removing the
index touches them. An event is one row, written and committed as it comes, as the JSON of
`manole.agent.events`: a program that is killed in the middle of an answer loses no event that it
has handed over. The final answer stands beside its question once more, for history and search.
"""

from __future__ import annotations

import builtins
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from manole.agent.conversations.database import Database, fold
from manole.agent.conversations.export import as_json, as_markdown
from manole.agent.conversations.model import (
    LONGEST_TITLE,
    UNTITLED,
    Conversation,
    Rating,
    Turn,
    is_id,
    new_id,
    one_line,
    read,
    title_of,
    writable,
    written,
)
from manole.agent.events import Complete, Event
from manole.errors import ConversationError, UnknownConversationError, UsageError
from manole.models.chat import Message
from manole.settings import Settings

LONGEST_SEARCH = 1000  # characters
_MOST = 2**31
_CONVERSATIONS = """SELECT id, title, created, updated,
    (SELECT count(*) FROM turns WHERE conversation = id) FROM conversations """
_CONTAINING = r"""WHERE fold(title) LIKE :text ESCAPE '\' OR EXISTS (
    SELECT 1 FROM turns WHERE conversation = id
    AND (fold(question) LIKE :text ESCAPE '\' OR fold(answer) LIKE :text ESCAPE '\')) """
_NEWEST_FIRST = "ORDER BY updated DESC, conversations.rowid DESC LIMIT :limit OFFSET :offset"
_TURNS = """SELECT n, question, scope, asked, rating, comment, event
    FROM turns LEFT JOIN events ON turn = turns.key
    WHERE conversation = ? ORDER BY n, events.key"""


class Conversations:
    """Thread-safe; every method is synchronous and quick.

    All raise `ConversationError` when the file cannot be used, and those that take an id
    `UnknownConversationError` when there is none.
    """

    def __init__(self, path: Path) -> None:
        """Kept in `path`, which is made with the first conversation; use `Conversations.of`."""
        self.path = path
        self._database = Database(path)

    @classmethod
    def of(cls, settings: Settings, library: str) -> Conversations:
        """Those of the library of that name. Nothing is opened or made before it is needed."""
        return cls(_folder(settings) / f"{library}.sqlite")

    @property
    def library(self) -> str:
        """The library's name."""
        return self.path.stem

    def create(self, title: str | None = None) -> Conversation:
        """A new conversation; without a title, its first question gives it one."""
        id, now = new_id(), _now()
        named = None if title is None else _given(title)
        with self._database.writing() as db:
            db.execute("INSERT INTO conversations VALUES (?, ?, ?, ?)", (id, named, now, now))
            return self._get(db, id)

    def list(
        self, *, limit: int = 50, offset: int = 0, containing: str | None = None
    ) -> list[Conversation]:
        """Conversations, the last used first.

        `containing` is looked for in titles, questions and answers, in upper or lower case.
        """
        values: dict[str, int | str] = {"limit": _bounded(limit), "offset": _bounded(offset)}
        where = ""
        if containing:
            where, values["text"] = _CONTAINING, _pattern(containing)
        with self._database.reading() as db:
            rows = db.execute(_CONVERSATIONS + where + _NEWEST_FIRST, values)
            return [_conversation(row) for row in rows]

    def get(self, id: str) -> Conversation:
        """The conversation of that id."""
        with self._database.reading() as db:
            return self._get(db, id)

    def latest(self) -> Conversation | None:
        """The one that was last used; `None` when there is none."""
        return next(iter(self.list(limit=1)), None)

    def rename(self, id: str, title: str) -> Conversation:
        """Call it otherwise. Raises `UsageError` for an empty or overlong title."""
        named = _given(title)
        with self._database.writing() as db:
            self._get(db, id)
            db.execute("UPDATE conversations SET title = ? WHERE id = ?", (named, id))
            return self._get(db, id)

    def delete(self, id: str) -> None:
        """Delete it with all its turns; what it held is overwritten in the file."""
        with self._database.writing() as db:
            self._get(db, id)
            db.execute("DELETE FROM conversations WHERE id = ?", (id,))
        self._database.erase()

    def begin(self, id: str, question: str, scope: str | None = None) -> int:
        """Begin a turn; gives its number, from 1. Until its `complete` event it is unfinished."""
        now, text = _now(), _text(question)
        with self._database.writing() as db:
            self._get(db, id)
            db.execute(
                "UPDATE conversations SET updated = ?, title = coalesce(title, ?) WHERE id = ?",
                (now, title_of(text), id),
            )
            (n,) = db.execute(
                "INSERT INTO turns (conversation, n, question, scope, asked) SELECT ?, "
                "coalesce(max(n), 0) + 1, ?, ?, ? FROM turns WHERE conversation = ? RETURNING n",
                (id, text, None if scope is None else _text(scope), now, id),
            ).fetchone()
            return int(n)

    def append(self, id: str, n: int, event: Event) -> None:
        """Keep an event of a turn. When this returns, it is on the disk."""
        line = written(event)
        with self._database.writing() as db:
            key = self._turn(db, id, n)
            db.execute("INSERT INTO events (turn, event) VALUES (?, ?)", (key, line))
            if isinstance(event, Complete):
                answer = _text(event.answer)
                db.execute("UPDATE turns SET answer = ? WHERE key = ?", (answer, key))
                db.execute("UPDATE conversations SET updated = ? WHERE id = ?", (_now(), id))

    def turns(self, id: str) -> builtins.list[Turn]:
        """Every turn with its events, in order."""
        with self._database.reading() as db:
            self._get(db, id)
            return self._read(db.execute(_TURNS, (id,)))

    def history(self, id: str, turns: int) -> builtins.list[Message]:
        """Questions and answers of the last finished turns, `turns` at most, in order."""
        with self._database.reading() as db:
            self._get(db, id)
            rows = db.execute(
                "SELECT question, answer FROM turns WHERE conversation = ? "
                "AND answer IS NOT NULL ORDER BY n DESC LIMIT ?",
                (id, _bounded(turns)),
            ).fetchall()
        messages = []
        for question, answer in reversed(rows):
            messages += [Message("user", question), Message("assistant", answer)]
        return messages

    def rate(self, id: str, n: int, rating: Rating | None, comment: str | None = None) -> None:
        """Note what the person thinks of a turn; `None` takes it back."""
        if rating not in {"up", "down", None}:
            raise UsageError(f"{rating} is no rating.", "Choose up or down.")
        with self._database.writing() as db:
            db.execute(
                "UPDATE turns SET rating = ?, comment = ? WHERE key = ?",
                (rating, None if comment is None else _text(comment), self._turn(db, id, n)),
            )

    def export(self, id: str, format: Literal["markdown", "json"]) -> str:
        """All of it as text: Markdown to be read, JSON to be read again (`export.read_json`)."""
        with self._database.reading() as db:
            conversation = self._get(db, id)
            turns = self._read(db.execute(_TURNS, (id,)))
        if format == "json":
            return as_json(self.library, conversation, turns)
        return as_markdown(conversation, turns)

    def set_aside(self) -> Path:
        """Give the file another name, so that a new one can be begun; gives that name.

        For a file that is damaged, and only when the person wants it. Nothing is deleted.
        """
        self.close()
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
        aside = self.path.with_name(f"{self.path.name}.set-aside-{stamp}")
        with self._database.failures():
            self.path.rename(aside)
            for more in ("-wal", "-shm"):  # the rest of the log belongs to the file
                part = self.path.with_name(self.path.name + more)
                if part.exists():
                    part.rename(aside.with_name(aside.name + more))
        return aside

    def close(self) -> None:
        """Release the file. The conversations may be used again afterwards."""
        self._database.close()

    def _get(self, db: sqlite3.Connection, id: str) -> Conversation:
        query = _CONVERSATIONS + "WHERE id = ?"
        row = db.execute(query, (id,)).fetchone() if is_id(id) else None
        if row is None:
            raise UnknownConversationError(
                f"There is no conversation {id} in {self.library}.",
                "`manole conversations list` shows what there is.",
            )
        return _conversation(row)

    def _turn(self, db: sqlite3.Connection, id: str, n: int) -> int:
        """The key of a turn."""
        query = "SELECT key FROM turns WHERE conversation = ? AND n = ?"
        row = db.execute(query, (id, n)).fetchone() if is_id(id) and 0 < n < _MOST else None
        if row is None:
            self._get(db, id)
            raise UnknownConversationError(f"Conversation {id} has no turn {n}.")
        return int(row[0])

    def _read(self, rows: Iterable[tuple[Any, ...]]) -> builtins.list[Turn]:
        """Turns from rows of `_TURNS`."""
        heads: dict[int, tuple[Any, ...]] = {}
        events: dict[int, builtins.list[Event]] = {}
        for n, *head, line in rows:
            heads[n] = tuple(head)
            kept = events.setdefault(n, [])
            if line is not None:
                kept.append(self._event(line))
        return [
            Turn(n, question, scope, _moment(asked), tuple(events[n]), rating, comment)
            for n, (question, scope, asked, rating, comment) in heads.items()
        ]

    def _event(self, line: str) -> Event:
        try:
            return read(line)
        except ValueError as error:
            raise ConversationError(
                f"{self.path} holds an event that this version cannot read.",
                "If a newer Manole kept it, update; if not, the file is damaged: put a copy back.",
            ) from error


def kept_libraries(settings: Settings) -> builtins.list[str]:
    """Names of the libraries that have conversations, whether they still have an index or not."""
    return sorted(path.stem for path in _folder(settings).glob("*.sqlite"))


def _folder(settings: Settings) -> Path:
    return settings.data_dir / "conversations"


def _conversation(row: tuple[Any, ...]) -> Conversation:
    id, title, created, updated, turns = row
    return Conversation(id, title or UNTITLED, _moment(created), _moment(updated), turns)


def _given(title: str) -> str:
    """A title that a person gave. Raises `UsageError` for none, or too much."""
    named = one_line(_text(title))
    if not named:
        raise UsageError("The title is empty.", "Give it some words.")
    if len(named) > LONGEST_TITLE:
        raise UsageError(
            f"The title has {len(named):,} characters; {LONGEST_TITLE} are kept at most.",
            "Shorten it.",
        )
    return named


def _text(text: str) -> str:
    """`text` as a database can hold it."""
    return writable(text.replace("\x00", " "))


def _pattern(text: str) -> str:
    """A pattern of `LIKE` for what contains `text`, each of its characters meant as it stands."""
    if len(text) > LONGEST_SEARCH:
        raise UsageError(
            f"The words to look for have {len(text):,} characters; {LONGEST_SEARCH:,} at most.",
            "Shorten them.",
        )
    folded = fold(_text(text)) or ""
    for special in ("\\", "%", "_"):
        folded = folded.replace(special, f"\\{special}")
    return f"%{folded}%"


def _bounded(number: int) -> int:
    return max(0, min(number, _MOST))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _moment(written: str) -> datetime:
    return datetime.fromisoformat(written)
