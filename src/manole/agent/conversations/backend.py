"""The storage of conversations: a SQLite file (`sqlite`), or a backend from a plug-in.

All backends share one suite of tests. Texts arrive checked and writable; a pattern is one of `LIKE`
over folded text (`caseless`), escaped with backslashes. What a method was given is safely stored
when it returns. Methods return `None` or `False` for an unknown id, and raise `ConversationError`
for any failure.
"""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Protocol

from manole.agent.conversations.model import Conversation, Kept, Rating

UNREADABLE = "If a newer Manole kept it, update; if not, it is damaged: put a copy back."


class Backend(Protocol):
    """The conversations of one library. Every method may be called from any thread."""

    library: str

    @property
    def place(self) -> str:
        """The place for people, without a password."""
        ...

    @property
    def path(self) -> Path | None:
        """The file, `None` for a server."""
        ...

    def check(self) -> None:
        """Raise `ConversationError` where a server cannot be used. A file is not opened."""
        ...

    def create(self, id: str, title: str | None) -> Conversation:
        """Create a conversation."""
        ...

    def list(self, limit: int, offset: int, pattern: str | None) -> builtins.list[Conversation]:
        """Return the last used first; with a pattern only matches in title, questions, answers."""
        ...

    def get(self, id: str) -> Conversation | None:
        """Return a conversation."""
        ...

    def rename(self, id: str, title: str) -> Conversation | None:
        """Change its title."""
        ...

    def delete(self, id: str) -> bool:
        """Delete it with its turns."""
        ...

    def begin(self, id: str, question: str, scope: str | None, title: str) -> int | None:
        """Begin a turn; return its number, from 1. `title` is for a conversation without one."""
        ...

    def append(self, id: str, n: int, line: str, answer: str | None) -> bool:
        """Store an event of a turn; the last one comes with the answer."""
        ...

    def whole(self, id: str) -> Kept | None:
        """Return a whole conversation, as it was at one moment."""
        ...

    def history(self, id: str, turns: int) -> builtins.list[tuple[str, str, str]] | None:
        """Return questions, answers and last events of the last finished turns, in order."""
        ...

    def rate(self, id: str, n: int, rating: Rating | None, comment: str | None) -> bool:
        """Store the person's rating of a turn."""
        ...

    def close(self) -> None:
        """Close the backend. It is opened again when needed."""
        ...


class ConversationsKind(Protocol):
    """A plug-in for conversations; its name is the scheme in `conversations.database`."""

    def backend(self, address: str, library: str) -> Backend:
        """Return a library's conversations. Raises `SettingsError` for a malformed address."""
        ...

    def libraries(self, address: str) -> list[str]:
        """Return the libraries that have any there. Raises `ConversationError`."""
        ...
