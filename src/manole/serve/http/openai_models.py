"""Requests and responses of the OpenAI interface, as far as Manole has a use for them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from manole.models.chat.protocol import Message


class Part(BaseModel):
    """A part of a message; only text is read."""

    type: str = Field(max_length=50)
    text: str = Field("", max_length=100_000)


class Said(BaseModel):
    """A message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[Part] | None = None

    def text(self) -> str:
        """Its words."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""

    def message(self) -> Message:
        """Return the message as the agent reads it."""
        return Message("assistant" if self.role == "assistant" else "user", self.text())


class CompletionRequest(BaseModel):
    """A chat; what is not listed here is accepted and left aside."""

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
    messages: list[Said] = Field(min_length=1, max_length=1000)
    stream: bool | None = False


class Reply(BaseModel):
    """The answer, with its sources."""

    role: Literal["assistant"] = "assistant"
    content: str


class Choice(BaseModel):
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
    choices: list[Choice]
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
