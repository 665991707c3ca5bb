"""The record of the turns being answered; a failure to record never stops the answer.

A full disk or a database that is away is no reason to leave somebody without an answer. What could
not be kept is reported once, in an event of the turn itself.
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
    """The record of a conversation's turns, one after the other; `begin` starts each.

    Where `conversation` is `None`, the first turn creates one.
    """

    def __init__(self, store: Conversations, conversation: str | None) -> None:
        self.conversation = conversation
        self.saved: str | None = None  # the conversation of the last turn that was kept
        self._store = store
        self._turn = 0  # 0: not kept, or no longer
        self._begun: asyncio.Future[tuple[list[Message], ErrorEvent | None]] | None = None

    async def begin(
        self, question: str, scope: str | None = None, turns: int = 0
    ) -> tuple[list[Message], ErrorEvent | None]:
        """Record a question; return the history of `turns` turns before it, and a notice, if any.

        Raises `UnknownConversationError`.
        """
        self._begun = asyncio.ensure_future(self._begin(question, scope, turns))
        return await asyncio.shield(self._begun)  # a cancelled turn keeps its question

    async def _begin(
        self, question: str, scope: str | None, turns: int
    ) -> tuple[list[Message], ErrorEvent | None]:
        history: list[Message] = []
        text = "This turn is not saved."
        self._turn = 0
        try:
            if self.conversation is None:
                self.conversation = (await asyncio.to_thread(self._store.create)).id
            id = self.conversation
            if turns:
                text = "This turn is not saved, and what was said before it could not be read."
                history = await asyncio.to_thread(self._store.history, id, turns)
                text = "This turn is not saved."
            self._turn = await asyncio.to_thread(self._store.begin, id, question, scope)
            self.saved = id
        except UnknownConversationError:
            raise
        except ConversationError as error:
            return history, unsaved(error, text)
        return history, None

    def leave(self) -> None:
        """Let the next question begin another conversation."""
        self.conversation, self._turn = None, 0

    async def ended(self, *events: Event) -> None:
        """Record the events that end a turn early, even one that has hardly begun."""
        if self._begun is not None:
            with contextlib.suppress(ConversationError):
                await self._begun
        for event in events:
            await self.append(event)

    async def append(self, event: Event) -> ErrorEvent | None:
        """Record an event; return a notice where that fails. Nothing more is kept afterwards."""
        if not self._turn or self.conversation is None:
            return None
        try:
            await asyncio.to_thread(self._store.append, self.conversation, self._turn, event)
        except ConversationError as error:
            self._turn = 0
            return unsaved(error, "The rest of this turn is not saved.")
        return None


def unsaved(error: ConversationError, text: str = "This turn is not saved.") -> ErrorEvent:
    """Return the notice that a turn, or its rest, is not kept."""
    return ErrorEvent(message=f"{text} {error.message}", suggestion=error.hint)
