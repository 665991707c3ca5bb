"""A library as a model of the OpenAI interface, so that any chat program can ask it.

The last user message is the question, the messages before it are the history; system messages,
sampling and tools have no meaning here and are ignored. Sources follow the answer as a list.

Chat programs show Markdown, and fetch the pictures in it. So answers here have no pictures,
links or HTML (`markdown.py`); the events of the other routes are data, and stay as they are.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from manole.agent.conversations.markdown import HarmlessPieces, harmless
from manole.agent.conversations.model import one_line
from manole.agent.events import Complete, Event, Token
from manole.documents.formats import place_words
from manole.errors import ManoleError, UsageError
from manole.models.chat.protocol import Message
from manole.serve.http.depends import ServiceDep, client_of, indexed_library
from manole.serve.http.description import responses
from manole.serve.http.live import Lines, LiveResponse, unless_gone

router = APIRouter(prefix="/v1", tags=["openai"], responses=responses(400, 404, 409, 503))
DEFAULT = "manole"


class Part(BaseModel):
    """A part of a message; only text is read."""

    type: str = Field(max_length=50)
    text: str = Field("", max_length=100_000)


class ChatMessage(BaseModel):
    """A message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[Part] | None = None

    def text(self) -> str:
        """Return the message's text, of all its parts."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""

    def message(self) -> Message:
        """Return the message as the agent reads it."""
        return Message("assistant" if self.role == "assistant" else "user", self.text())


class CompletionRequest(BaseModel):
    """A chat; fields that are not listed here are accepted and ignored."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "model": "manole",
                    "messages": [{"role": "user", "content": "How many PDF files do I have?"}],
                }
            ]
        },
    )

    model: str = Field("manole", pattern=r"^[\w-]+$", description="`manole`, or a library's name")
    messages: list[ChatMessage] = Field(min_length=1, max_length=1000)
    stream: bool | None = False


class Reply(BaseModel):
    """The answer, with its sources."""

    role: Literal["assistant"] = "assistant"
    content: str


class CompletionChoice(BaseModel):
    """The only choice."""

    index: int = 0
    message: Reply
    finish_reason: Literal["stop"] = "stop"


class Usage(BaseModel):
    """Tokens over all calls of the model."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Completion(BaseModel):
    """An answer."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: Usage


class ModelItem(BaseModel):
    """A library as a model."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "manole"


class ModelList(BaseModel):
    """The libraries."""

    object: Literal["list"] = "list"
    data: list[ModelItem]


class EventStream(LiveResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


_EITHER: dict[int | str, dict[str, Any]] = {
    200: {"description": "The answer; with `stream`, its pieces as server-sent events",
          "content": {"text/event-stream": {}}}
}  # fmt: skip


@router.get("/models", summary="The libraries as models", response_model_exclude_none=True)
async def list_models(service: ServiceDep) -> ModelList:
    """List the libraries; `manole` is the one that the server was started with."""
    names = [DEFAULT, *(info.name for info in await service.libraries())]
    return ModelList(data=[ModelItem(id=name) for name in names])


@router.post(
    "/chat/completions",
    summary="Ask a library as if it were a model",
    response_model=Completion,
    responses=_EITHER,
)
async def chat_completions(
    asked: CompletionRequest, request: Request, service: ServiceDep
) -> Completion | LiveResponse:
    """Answer the last user message from the library that `model` names."""
    name = None if asked.model == DEFAULT else asked.model
    opened = await indexed_library(service, name)
    talk = [message for message in asked.messages if message.role in ("user", "assistant")]
    while talk and talk[-1].role != "user":  # such as the beginning of an answer
        talk.pop()
    if not talk:
        raise UsageError("No message is the user's.", "End with a question.")
    service.queue.check()
    question, history = talk[-1].text(), [message.message() for message in talk[:-1]]
    client = client_of(request)
    head = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time())}
    head["model"] = asked.model
    if asked.stream:
        events = opened.ask(question, client=client, history=history)
        return EventStream(_pieces(events, head), _failed, request.app.state.closing)
    end = await unless_gone(request, opened.answer(question, client=client, history=history))
    usage = Usage(
        prompt_tokens=end.tokens.prompt,
        completion_tokens=end.tokens.completion,
        total_tokens=end.tokens.prompt + end.tokens.completion,
    )
    reply = CompletionChoice(message=Reply(content=harmless(end.answer + sources_of(end))))
    return Completion(**head, choices=[reply], usage=usage)


def sources_of(end: Complete) -> str:
    """Return the cited sources as the lines that follow an answer."""
    lines = [
        f"[{source.n}] {place_words(one_line(source.file), source.page, None)}"
        for source in end.sources
        if source.cited
    ]
    return "\n\nSources:\n" + "\n".join(lines) if lines else ""


async def _pieces(events: AsyncIterator[Event], head: dict[str, Any]) -> Lines:
    yield _chunk(head, {"role": "assistant", "content": ""})
    sent, shown = "", HarmlessPieces()
    async with aclosing(events) as stream:  # type: ignore[type-var]  # a generator
        async for event in stream:
            piece = ""
            if isinstance(event, Token):
                sent += event.content
                piece = shown.feed(event.content)
            elif isinstance(event, Complete):
                rest = _correction(sent, event.answer) + sources_of(event)
                piece = shown.feed(rest) + shown.end()
            if piece:
                yield _chunk(head, {"content": piece})
    yield _chunk(head, {}, finish="stop")
    yield b"data: [DONE]\n\n"


def _correction(sent: str, answer: str) -> str:
    """Return what to append to the sent text, which cannot be taken back, for the final answer."""
    if sent.strip() == answer.strip():
        return ""
    if answer.startswith(sent):
        return answer[len(sent) :]
    return f"\n\nCorrected: {answer}"


def _chunk(head: dict[str, Any], delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _data(head | {"object": "chat.completion.chunk", "choices": [choice]})


def _failed(error: ManoleError) -> bytes:
    body = {"message": error.message, "hint": error.hint, "code": "failed"}
    return _data({"error": body}) + b"data: [DONE]\n\n"


def _data(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"
