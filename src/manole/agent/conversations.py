"""Conversations that last (interface; the store follows)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from manole.agent.events import Event
from manole.models.chat import Message
from manole.settings import Settings


@dataclass(frozen=True, slots=True)
class Conversation:
    id: str
    title: str
    created: datetime
    updated: datetime
    turns: int


@dataclass(frozen=True, slots=True)
class Turn:
    n: int  # from 1
    question: str
    scope: str | None
    asked: datetime
    events: tuple[Event, ...]
    rating: Literal["up", "down"] | None = None
    comment: str | None = None

    @property
    def answer(self) -> str | None: ...


class Conversations:
    """Thread-safe; every method is synchronous and quick."""

    @classmethod
    def of(cls, settings: Settings, library: str) -> Conversations: ...
    def create(self, title: str | None = None) -> Conversation: ...
    def list(
        self, *, limit: int = 50, offset: int = 0, containing: str | None = None
    ) -> list[Conversation]: ...
    def get(self, id: str) -> Conversation: ...
    def latest(self) -> Conversation | None: ...
    def rename(self, id: str, title: str) -> Conversation: ...
    def delete(self, id: str) -> None: ...
    def begin(self, id: str, question: str, scope: str | None = None) -> int: ...
    def append(self, id: str, n: int, event: Event) -> None: ...
    def turns(self, id: str) -> list[Turn]: ...
    def history(self, id: str, turns: int) -> list[Message]: ...
    def rate(
        self, id: str, n: int, rating: Literal["up", "down"] | None, comment: str | None = None
    ) -> None: ...
    def export(self, id: str, format: Literal["markdown", "json"]) -> str: ...
    def close(self) -> None: ...
