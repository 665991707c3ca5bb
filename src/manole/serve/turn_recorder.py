"""Records the turn being answered; a failure to record never stops the answer.

A full disk or a database that is away is no reason to leave somebody without an answer. What could
not be kept is told once, in an event of the turn itself.
"""

from __future__ import annotations

import asyncio
import contextlib

from manole.agent.conversations import Conversations
from manole.agent.events import ErrorEvent, Event
from manole.errors import ConversationError, UnknownConversationError
from manole.models.chat.protocol import Message
from manole.settings import Settings


async def check_conversations(settings: Settings) -> None:
    """Raise `ConversationError` where the database that is set cannot be used."""
    if settings.conversations.database is not None:
        await asyncio.to_thread(Conversations.of(settings, "").check)


class TurnRecorder:
    """One turn of a conversation, while it is kept. Until `begin`, nothing is."""

    def __init__(self, store: Conversations, conversation: str) -> None:
        self._store = store
        self._id = conversation
        self._turn = 0  # 0: not kept, or no longer
        self._begun: asyncio.Future[tuple[list[Message], ErrorEvent | None]] | None = None

    async def begin(
        self, question: str, scope: str | None, turns: int
    ) -> tuple[list[Message], ErrorEvent | None]:
        """Return the history and a notice, if any. Raises `UnknownConversationError`."""
        self._begun = asyncio.ensure_future(self._begin(question, scope, turns))
        return await asyncio.shield(self._begun)  # whoever stops it, the question stands there

    async def _begin(
        self, question: str, scope: str | None, turns: int
    ) -> tuple[list[Message], ErrorEvent | None]:
        history: list[Message] = []
        text = "This turn is not saved, and what was said before it could not be read."
        try:
            history = await asyncio.to_thread(self._store.history, self._id, turns)
            text = "This turn is not saved."
            self._turn = await asyncio.to_thread(self._store.begin, self._id, question, scope)
        except UnknownConversationError:
            raise
        except ConversationError as error:
            return history, _told(text, error)
        return history, None

    async def ended(self, *events: Event) -> None:
        """Keep how a turn ended before its time, however early that was."""
        if self._begun is not None:
            with contextlib.suppress(ConversationError):
                await self._begun
        for event in events:
            await self.append(event)

    async def append(self, event: Event) -> ErrorEvent | None:
        """Keep an event; gives what is to be told. Nothing more is kept after a failure."""
        if not self._turn:
            return None
        try:
            await asyncio.to_thread(self._store.append, self._id, self._turn, event)
        except ConversationError as error:
            self._turn = 0
            return _told("The rest of this turn is not saved.", error)
        return None


def _told(text: str, error: ConversationError) -> ErrorEvent:
    return ErrorEvent(message=f"{text} {error.message}", suggestion=error.hint)
