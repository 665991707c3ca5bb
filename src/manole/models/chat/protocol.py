"""The `ChatModel` protocol: one signature for the engine here and for any endpoint.

A turn is a list of `Message`s. `stream` yields text as it is generated and ends with a
`Completion` of the whole text, token counts and timings; `complete` is its short form. A JSON
schema constrains the output where the engine can; callers still validate it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, Required, TypedDict, Unpack

JsonSchema = dict[str, Any]
SAMPLING = {"temperature": 0.1, "top_p": 0.1}  # of every call: the likeliest words, nearly always


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. `images` are JPEG, for vision models only.

    They are bytes and not addresses, so that no server is ever asked to fetch one. `fixed` messages
    are the worked examples of a prompt: the same in every call, and free of a user's words. `files`
    are those that an answer cited.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    images: tuple[bytes, ...] = ()
    fixed: bool = False
    files: tuple[str, ...] = ()


class Call(TypedDict, total=False):
    """The options of a call, beside its messages.

    `slot` names a family of prompts whose common prefix the engine should keep in a cache of its
    own.
    """

    max_tokens: Required[int]
    schema: JsonSchema | None
    tools: Sequence[JsonSchema]
    stop: Sequence[str]
    slot: str | None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call in the model's own format, arguments decoded."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """The cost of a call. Token counts are the engine's; times are in seconds.

    `prompt_tokens` is the whole prompt, of which `cached_tokens` were not evaluated again.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    first_token_s: float = 0.0
    total_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Completion:
    """A finished call. `finish` is "stop", "length" or "cancelled"."""

    text: str
    usage: Usage
    finish: str = "stop"
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of text as it is generated."""

    text: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of an OpenAI-compatible model; `url` ends in `/v1`."""

    url: str
    key: str | None = field(default=None, repr=False)


class ChatModel(Protocol):
    """A chat model. Every method is safe to call from several tasks at once."""

    @property
    def name(self) -> str:
        """The model's name, such as `qwen2.5-coder-1.5b-instruct`."""
        ...

    def stream(
        self, messages: Sequence[Message], **call: Unpack[Call]
    ) -> AsyncIterator[Delta | Completion]:
        """Stream a completion; the last item is a `Completion`.

        Closing the iterator cancels the call. Raises `ModelError`.
        """
        ...

    async def complete(self, messages: Sequence[Message], **call: Unpack[Call]) -> Completion:
        """Run a call to its end. Raises `ModelError`."""
        ...

    async def count_tokens(self, text: str) -> int:
        """Count the tokens of `text` by the model's own tokenizer; some endpoints only estimate."""
        ...

    async def close(self) -> None:
        """Free the model."""
        ...
