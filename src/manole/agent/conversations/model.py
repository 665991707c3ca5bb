"""Conversations and turns, their titles and ids.

A title is made by code from the first question: it costs nothing and uses the person's own words.
An id is random, so that it cannot be guessed, and consists of characters that need no escaping in a
URL or a shell and do not look alike (no 0 and o, no 1, i and l).
"""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic_core import to_jsonable_python

from manole.agent.events import EVENTS, Complete, Event, Token

Rating = Literal["up", "down"]

UNTITLED = "New conversation"
TITLE_CHARS = 60  # of a title made from a question: a line of the list
LONGEST_TITLE = 200  # of a title that a person gives
_ID_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
_ID_LENGTH = 14  # 69 bits
# Control characters but tab and newline, Unicode's line ends, and marks that reverse text.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_HALVES = re.compile("[\ud800-\udfff]")
_ID = re.compile(f"[{_ID_LETTERS}]{{{_ID_LENGTH}}}")


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation without its turns. `updated` is when its last turn began or was completed."""

    id: str
    title: str
    created: datetime
    updated: datetime
    turns: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and its events, in order."""

    n: int  # from 1
    question: str
    scope: str | None
    asked: datetime
    events: tuple[Event, ...]
    rating: Rating | None = None
    comment: str | None = None

    @property
    def answer(self) -> str | None:
        """The final answer; `None` when the turn was not finished."""
        end = self.end
        return end.answer if end else None

    @property
    def end(self) -> Complete | None:
        """The last event of a finished turn, else `None`."""
        return next((e for e in reversed(self.events) if isinstance(e, Complete)), None)

    @property
    def streamed(self) -> str:
        """The streamed text, whether the turn was finished or not."""
        return "".join(event.content for event in self.events if isinstance(event, Token))


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """A turn as a database stores it: each event is a line of JSON from `written`."""

    n: int
    question: str
    scope: str | None
    asked: datetime
    answer: str | None
    rating: Rating | None
    comment: str | None
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """A conversation as a database stores it; it has no title before its first question."""

    id: str
    title: str | None
    created: datetime
    updated: datetime
    turns: tuple[KeptTurn, ...]


def written(event: Event) -> str:
    """Return an event as one line of JSON, in ASCII.

    It is the JSON of `model_dump_json`, which cannot represent surrogates in a file's name and
    numbers that are not finite.
    """
    return json.dumps(event.model_dump(), separators=(",", ":"), default=to_jsonable_python)


def read(line: str) -> Event:
    """Read what `written` wrote. Raises `ValueError`."""
    return EVENTS.validate_python(json.loads(line))


def new_id() -> str:
    """Return a new id for a conversation."""
    return "".join(secrets.choice(_ID_LETTERS) for _ in range(_ID_LENGTH))


def is_id(text: str) -> bool:
    """Return whether `text` has the form of an id."""
    return _ID.fullmatch(text) is not None


def title_of(question: str) -> str:
    """Make a title from a question: one line, cut after a word at about `TITLE_CHARS`."""
    line = one_line(question)
    if len(line) <= TITLE_CHARS:
        return line or UNTITLED
    head = line[: TITLE_CHARS - 1]
    words = head if line[TITLE_CHARS - 1] == " " else head.rpartition(" ")[0]
    kept = words if len(words) > TITLE_CHARS // 2 else head
    return kept.rstrip(" ,;:.-–—") + "…"


def one_line(text: str) -> str:
    """Return `text` on one line, without control characters."""
    return " ".join(CONTROL.sub(" ", text).split())


def writable(text: str) -> str:
    """Return `text` as UTF-8 can encode it: undecodable bytes of a name become U+FFFD."""
    return _HALVES.sub("\ufffd", text)
