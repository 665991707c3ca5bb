"""The storage of conversations: a SQLite file (`sqlite`), or a backend from a plug-in.

One protocol, and one suite of tests for all. Texts arrive checked and writable; a pattern is one
of `LIKE` over folded text (`caseless`), escaped with backslashes. What a method hands over is
safely stored when it returns. An id that is not there gives `None` or `False`, and whatever stands
in the way raises `ConversationError`.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from manole.agent.conversations.model import Conversation, Kept, Rating

UNREADABLE = "If a newer Manole kept it, update; if not, it is damaged: put a copy back."


class Backend(Protocol):
    """The conversations of one library. Every method may be called from any thread."""

    library: str

    @property
    def place(self) -> str:
        """Where they are, for people; never a password."""
        ...

    @property
    def path(self) -> Path | None:
        """The file that holds them; `None` for a server."""
        ...

    def check(self) -> None:
        """Raises `ConversationError` where a server cannot be used. A file is not looked at."""
        ...

    def create(self, id: str, title: str | None) -> Conversation:
        """A new conversation."""
        ...

    def list(self, limit: int, offset: int, pattern: str | None) -> builtins.list[Conversation]:
        """The last used first; with a pattern, those whose title, questions or answers fit."""
        ...

    def get(self, id: str) -> Conversation | None:
        """One of them."""
        ...

    def rename(self, id: str, title: str) -> Conversation | None:
        """Give it another title."""
        ...

    def delete(self, id: str) -> bool:
        """Remove it with all it holds."""
        ...

    def begin(self, id: str, question: str, scope: str | None, title: str) -> int | None:
        """A new turn's number, from 1; `title` is for a conversation that has none."""
        ...

    def append(self, id: str, n: int, line: str, answer: str | None) -> bool:
        """Keep an event of a turn; the last one comes with the answer."""
        ...

    def whole(self, id: str) -> Kept | None:
        """All of a conversation, as it was at one moment."""
        ...

    def history(self, id: str, turns: int) -> builtins.list[tuple[str, str]] | None:
        """Questions and answers of the last finished turns, in order."""
        ...

    def rate(self, id: str, n: int, rating: Rating | None, comment: str | None) -> bool:
        """Note what the person thinks of a turn."""
        ...

    def everything(self) -> AbstractContextManager[Iterable[Kept]]:
        """All conversations as they were at one moment."""
        ...

    def add(self, kept: Iterable[Kept]) -> int:
        """Take in those whose id is not known yet; all of them, or none. Gives how many."""
        ...

    def close(self) -> None:
        """Release what is open. It is opened again when it is needed."""
        ...


class ConversationsKind(Protocol):
    """A plug-in for conversations; its name is the scheme in `conversations.database`."""

    def backend(self, address: str, library: str) -> Backend:
        """Return a library's conversations. Raises `SettingsError` for a malformed address."""
        ...

    def libraries(self, address: str) -> list[str]:
        """Return the libraries that have any there. Raises `ConversationError`."""
        ...
