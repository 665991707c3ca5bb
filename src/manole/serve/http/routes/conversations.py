"""Saved conversations: list, read, rename, delete, export and rate them."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from fastapi import Path as InPath
from pydantic import AfterValidator, Field

from manole.agent.events import Event
from manole.serve.base import Asked, Sent, translated
from manole.serve.http.depends import Offset, OpenLibraryDep, ServiceDep
from manole.serve.http.description import responses
from manole.serve.http.questions import ID, WORDS

router = APIRouter(
    prefix="/libraries/{name}/conversations", tags=["conversations"], responses=responses(404)
)

everywhere = APIRouter(tags=["conversations"])

Limit = Annotated[int, Query(ge=1, le=200, description="at most so many")]
Containing = Annotated[str | None, Query(max_length=200, description="words within")]
Id = Annotated[str, InPath(pattern=ID, description="the conversation's id")]
_TYPES = {"markdown": ("text/markdown; charset=utf-8", "md"), "json": ("application/json", "json")}


class NewConversation(Asked):
    """A conversation to begin; its title is made from the first question where none is given."""

    title: str | None = Field(None, max_length=200, json_schema_extra=WORDS)


class Renamed(Asked):
    """A conversation's new title."""

    title: str = Field(max_length=200, examples=["The deposit"], json_schema_extra=WORDS)


class ConversationItem(Sent):
    """A conversation without its turns."""

    id: str
    title: str
    created: datetime
    updated: datetime
    turns: int


class ConversationList(Sent):
    """Conversations, the latest first."""

    conversations: list[ConversationItem]


class KnownConversation(ConversationItem):
    """A conversation of one of the libraries."""

    library: str


class AllConversations(Sent):
    """Conversations about every library, the latest first."""

    conversations: list[KnownConversation]


class TurnItem(Sent):
    """A question and every event of its answer."""

    n: int
    question: str
    scope: str | None
    asked: datetime
    events: list[Annotated[Event, AfterValidator(translated)]]
    rating: Literal["up", "down"] | None = None
    comment: str | None = None


class WholeConversation(Sent):
    """A conversation with its turns."""

    conversation: ConversationItem
    turns: list[TurnItem]


class Feedback(Asked):
    """A person's rating of an answer; null takes an earlier one back."""

    rating: Literal["up", "down"] | None
    comment: str | None = Field(None, max_length=2000)


@everywhere.get("/conversations", summary="List the conversations about every library")
async def list_all_conversations(
    service: ServiceDep, limit: Limit = 50, offset: Offset = 0, containing: Containing = None
) -> AllConversations:
    """List the conversations about all libraries, the latest first."""
    found = await service.conversations(limit, offset, containing or None)
    return AllConversations(
        conversations=[
            KnownConversation(library=library, **asdict(item)) for library, item in found
        ]
    )


@router.get("", summary="List conversations")
async def list_conversations(
    opened: OpenLibraryDep, limit: Limit = 50, offset: Offset = 0, containing: Containing = None
) -> ConversationList:
    """List the conversations about a library, the latest first."""
    found = await asyncio.to_thread(
        opened.conversations.list, limit=limit, offset=offset, containing=containing or None
    )
    return ConversationList(conversations=[ConversationItem.model_validate(item) for item in found])


@router.post("", summary="Begin a conversation", status_code=201)
async def create_conversation(
    opened: OpenLibraryDep, wanted: NewConversation | None = None
) -> ConversationItem:
    """Begin an empty conversation; a question that names its id is kept there."""
    title = wanted.title if wanted else None
    made = await asyncio.to_thread(opened.conversations.create, title)
    return ConversationItem.model_validate(made)


@router.get("/{id}", summary="A conversation with its turns")
async def get_conversation(opened: OpenLibraryDep, id: Id) -> WholeConversation:
    """Return every question, and every event of its answer."""
    kept = await asyncio.to_thread(opened.conversations.get, id)
    turns = await asyncio.to_thread(opened.conversations.turns, id)
    return WholeConversation(
        conversation=ConversationItem.model_validate(kept),
        turns=[TurnItem.model_validate(turn) for turn in turns],
    )


@router.patch("/{id}", summary="Rename a conversation")
async def rename_conversation(opened: OpenLibraryDep, id: Id, wanted: Renamed) -> ConversationItem:
    """Give a conversation another title."""
    kept = await asyncio.to_thread(opened.conversations.rename, id, wanted.title)
    return ConversationItem.model_validate(kept)


@router.delete("/{id}", summary="Delete a conversation", status_code=204)
async def delete_conversation(opened: OpenLibraryDep, id: Id) -> None:
    """Delete a conversation with all its turns."""
    await asyncio.to_thread(opened.conversations.delete, id)


@router.get(
    "/{id}/export",
    summary="A conversation as a document",
    response_class=Response,
    responses={200: {"content": {"text/markdown": {}, "application/json": {}}}},
)
async def export_conversation(
    opened: OpenLibraryDep, id: Id, format: Literal["markdown", "json"] = "markdown"
) -> Response:
    """Return a conversation as Markdown for reading, or as JSON for programs."""
    text = await asyncio.to_thread(opened.conversations.export, id, format)
    kind, ending = _TYPES[format]
    named = {"Content-Disposition": f'attachment; filename="conversation-{id}.{ending}"'}
    return Response(text, media_type=kind, headers=named)


@router.post("/{id}/turns/{n}/feedback", summary="Rate an answer", status_code=204)
async def rate_turn(
    opened: OpenLibraryDep,
    id: Id,
    n: Annotated[int, InPath(ge=1, le=2**31, description="the turn, from 1")],
    feedback: Feedback,
) -> None:
    """Keep a rating and a comment with a turn; they stay on this machine."""
    await asyncio.to_thread(opened.conversations.rate, id, n, feedback.rating, feedback.comment)
