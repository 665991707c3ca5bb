"""The conversations of one library, over any `backend`.

An event is stored as it comes, as the JSON of `manole.agent.events`: a program that is killed in
the middle of an answer loses no event that it has stored. The final answer is stored once more
beside its question, for history and search. Checks of what may be stored, and the errors for what
is missing, are here, so that they are the same for a file and for a server.
"""

from __future__ import annotations

import builtins
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeVar

from manole.agent.conversations.backend import UNREADABLE, Backend, ConversationsKind
from manole.agent.conversations.export import as_json, as_markdown
from manole.agent.conversations.model import (
    LONGEST_TITLE,
    UNTITLED,
    Conversation,
    Kept,
    KeptTurn,
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
from manole.agent.conversations.sqlite import SqliteBackend
from manole.agent.events import Complete, Event
from manole.errors import ConversationError, SettingsError, UnknownConversationError, UsageError
from manole.hooks import CONVERSATIONS
from manole.models.chat.protocol import Message
from manole.settings import Settings
from manole.text.words import caseless

LONGEST_SEARCH = 1000  # characters, far more than anybody searches for
_MOST = 2**31 - 1  # the largest integer that every backend stores
_T = TypeVar("_T")


class Conversations:
    """The conversations of a library. Thread-safe; every method is synchronous and quick.

    Every method raises `ConversationError` when conversations cannot be read or stored, and one
    that takes an id raises `UnknownConversationError` when there is no such conversation.
    """

    def __init__(self, backend: Backend) -> None:
        """Use `Conversations.of`."""
        self._backend = backend

    @classmethod
    def of(cls, settings: Settings, library: str) -> Conversations:
        """Return those of the library of that name. Nothing is opened before it is needed.

        Raises `SettingsError` for an invalid address of a database.
        """
        address = settings.conversations.database
        if address is None:
            return cls.in_file(_folder(settings) / f"{library}.sqlite")
        return cls(_kind(address).backend(address, library))

    @classmethod
    def in_file(cls, path: Path) -> Conversations:
        """Return those in a SQLite file, which is created with the first conversation."""
        return cls(SqliteBackend(path))

    @property
    def library(self) -> str:
        """The library's name."""
        return self._backend.library

    @property
    def place(self) -> str:
        """The place for people."""
        return self._backend.place

    @property
    def path(self) -> Path | None:
        """The file, `None` for a server."""
        return self._backend.path

    @property
    def backend(self) -> Backend:
        """The backend below."""
        return self._backend

    def check(self) -> None:
        """Raise `ConversationError` where a server cannot be used. A file is not opened."""
        self._backend.check()

    def create(self, title: str | None = None) -> Conversation:
        """Create a conversation; without a title, its first question becomes one."""
        return self._backend.create(new_id(), None if title is None else _given(title))

    def list(
        self, *, limit: int = 50, offset: int = 0, containing: str | None = None
    ) -> list[Conversation]:
        """Return conversations, the last used first.

        `containing` is looked for in titles, questions and answers, regardless of case.
        """
        pattern = _pattern(containing) if containing else None
        return self._backend.list(_bounded(limit), _bounded(offset), pattern)

    def get(self, id: str) -> Conversation:
        """Return the conversation of that id."""
        return self._known(id, self._backend.get(id) if is_id(id) else None)

    def latest(self) -> Conversation | None:
        """Return the last used one; `None` when there is none."""
        return next(iter(self.list(limit=1)), None)

    def rename(self, id: str, title: str) -> Conversation:
        """Change its title. Raises `UsageError` for an empty or overlong one."""
        named = _given(title)
        return self._known(id, self._backend.rename(id, named) if is_id(id) else None)

    def delete(self, id: str) -> None:
        """Delete it with all its turns; in a file its data is overwritten."""
        if not (is_id(id) and self._backend.delete(id)):
            raise self._unknown(id)

    def begin(self, id: str, question: str, scope: str | None = None) -> int:
        """Begin a turn; return its number, from 1. It is unfinished until its `complete` event."""
        text, within = _text(question), None if scope is None else _text(scope)
        title = title_of(text)
        return self._known(id, self._backend.begin(id, text, within, title) if is_id(id) else None)

    def append(self, id: str, n: int, event: Event) -> None:
        """Store an event of a turn. When this returns, it is safe."""
        answer = _text(event.answer) if isinstance(event, Complete) else None
        if not (_is_turn(id, n) and self._backend.append(id, n, written(event), answer)):
            raise self._no_turn(id, n)

    def turns(self, id: str) -> builtins.list[Turn]:
        """Return every turn with its events, in order."""
        return [self._turn(turn) for turn in self._whole(id).turns]

    def history(self, id: str, turns: int) -> builtins.list[Message]:
        """Return questions and answers of the last finished turns, at most `turns`, in order."""
        found = self._backend.history(id, _bounded(turns)) if is_id(id) else None
        messages = []
        for question, answer, last in self._known(id, found):
            files = event.cited if isinstance(event := self._event(last), Complete) else ()
            messages += [Message("user", question), Message("assistant", answer, files=files)]
        return messages

    def rate(self, id: str, n: int, rating: Rating | None, comment: str | None = None) -> None:
        """Store the person's rating of a turn; `None` removes it."""
        if rating not in {"up", "down", None}:
            raise UsageError(f"{rating} is no rating.", "Choose up or down.")
        text = None if comment is None else _text(comment)
        if not (_is_turn(id, n) and self._backend.rate(id, n, rating, text)):
            raise self._no_turn(id, n)

    def export(self, id: str, format: Literal["markdown", "json"]) -> str:
        """Return all of it as Markdown for people or JSON for programs."""
        kept = self._whole(id)
        turns = [self._turn(turn) for turn in kept.turns]
        conversation = Conversation(
            kept.id, kept.title or UNTITLED, kept.created, kept.updated, len(turns)
        )
        if format == "json":
            return as_json(self.library, conversation, turns)
        return as_markdown(conversation, turns)

    def set_aside(self) -> Path:
        """Rename the file, so that a new one can be created; return its new path.

        For a damaged file, and only when the person wants it. Nothing is deleted. Raises
        `UsageError` where there is no file.
        """
        backend = self._backend
        if not isinstance(backend, SqliteBackend):
            raise UsageError(
                f"The conversations of {self.library} are in {self.place}, not in a file.",
                "Its own tools make and restore copies. Nothing was done.",
            )
        if not backend.path.exists():
            raise UsageError(f"{self.library} has no conversations.", "Nothing was done.")
        self.close()
        path = backend.path
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
        aside = path.with_name(f"{path.name}.set-aside-{stamp}")
        with backend.database.failures():
            path.rename(aside)
            for more in ("-wal", "-shm"):  # the rest of the log belongs to the file
                part = path.with_name(path.name + more)
                if part.exists():
                    part.rename(aside.with_name(aside.name + more))
        return aside

    def close(self) -> None:
        """Close the backend. The conversations may be used again afterwards."""
        self._backend.close()

    def _whole(self, id: str) -> Kept:
        return self._known(id, self._backend.whole(id) if is_id(id) else None)

    def _known(self, id: str, found: _T | None) -> _T:
        if found is None:
            raise self._unknown(id)
        return found

    def _unknown(self, id: str) -> UnknownConversationError:
        return UnknownConversationError(
            f"There is no conversation {id} in {self.library}.",
            "`manole conversations list` shows what there is.",
        )

    def _no_turn(self, id: str, n: int) -> UnknownConversationError:
        self.get(id)  # raises where there is not even that
        return UnknownConversationError(f"Conversation {id} has no turn {n}.")

    def _turn(self, kept: KeptTurn) -> Turn:
        events = tuple(map(self._event, kept.events))
        return Turn(
            kept.n, kept.question, kept.scope, kept.asked, events, kept.rating, kept.comment
        )

    def _event(self, line: str) -> Event:
        try:
            return read(line)
        except ValueError as error:
            raise ConversationError(
                f"{self.place} holds an event that this version cannot read.", UNREADABLE
            ) from error


def kept_libraries(settings: Settings) -> builtins.list[str]:
    """Return the names of libraries with conversations, with or without an index."""
    address = settings.conversations.database
    if address is None:
        return sorted(path.stem for path in _folder(settings).glob("*.sqlite"))
    return _kind(address).libraries(address)


def _kind(address: str) -> ConversationsKind:
    """Return the plug-in that stores conversations at such an address."""
    if (kind := CONVERSATIONS.get(address.partition("://")[0])) is None:
        raise SettingsError("No plug-in keeps conversations at conversations.database.")
    return kind


def _folder(settings: Settings) -> Path:
    return settings.data_dir / "conversations"


def _given(title: str) -> str:
    """Check a title. Raises `UsageError` for an empty or overlong one."""
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
    """Return `text` as a database can store it."""
    return writable(text.replace("\x00", " "))


def _pattern(text: str) -> str:
    """Return a pattern of `LIKE` for what contains `text` literally."""
    if len(text) > LONGEST_SEARCH:
        raise UsageError(
            f"The words to look for have {len(text):,} characters; {LONGEST_SEARCH:,} at most.",
            "Shorten them.",
        )
    folded = caseless(_text(text))
    for special in ("\\", "%", "_"):
        folded = folded.replace(special, f"\\{special}")
    return f"%{folded}%"


def _bounded(number: int) -> int:
    return max(0, min(number, _MOST))


def _is_turn(id: str, n: int) -> bool:
    return is_id(id) and 0 < n <= _MOST
