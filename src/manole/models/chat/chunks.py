"""The chunks of one streamed answer (OpenAI's `chat.completion.chunk`), put together."""

from __future__ import annotations

import json
import time
from typing import Any

from manole.errors import ModelError
from manole.models.chat.protocol import Completion, ToolCall, Usage
from manole.models.chat.thinking import Unthought
from manole.models.endpoints import PASSING


class StreamedError(ModelError):
    """A failure of the model that the server reported in its stream."""

    def __init__(self, error: Any) -> None:
        super().__init__(f"The model failed: {error}.", "Ask again.")
        self.reason = error.get("message", error) if isinstance(error, dict) else error
        code = error.get("code") if isinstance(error, dict) else None
        self.passing = not isinstance(code, int) or code in PASSING  # else the request is wrong


class Reading:
    """Collects the chunks of one stream that began at `started` (`time.perf_counter`)."""

    def __init__(self, started: float) -> None:
        self._started = started
        self.parts: list[str] = []
        self.finish = ""  # how the answer ended; "" until then
        self.usage: dict[str, Any] = {}
        self.timings: dict[str, Any] = {}
        self.calls: dict[int, dict[str, str]] = {}
        self.first_token_s = 0.0
        self._answer = Unthought()

    @property
    def begun(self) -> bool:
        """Whether anything has come of the answer: words, a call or its end."""
        return bool(self.parts or self.calls or self.finish)

    def take(self, chunk: dict[str, Any]) -> str:
        """Take in one chunk and return its text. Raises `ModelError`."""
        if "error" in chunk:
            raise StreamedError(chunk["error"])
        self.usage = chunk.get("usage") or self.usage
        self.timings = chunk.get("timings") or self.timings
        text = ""
        for choice in chunk.get("choices") or []:
            delta = choice.get("delta") or {}
            if delta.get("reasoning_content") or delta.get("reasoning"):
                self._answer.thought = True
            text += self._answer.take(delta.get("content") or "")
            for call in delta.get("tool_calls") or []:
                kept = self.calls.setdefault(call.get("index", 0), {"name": "", "arguments": ""})
                function = call.get("function") or {}
                kept["name"] += function.get("name") or ""
                kept["arguments"] += function.get("arguments") or ""
            self.finish = choice.get("finish_reason") or self.finish
        return self._kept(text)

    def rest(self) -> str:
        """Return the text that was held back until the stream ended."""
        return self._kept(self._answer.end())

    def _kept(self, text: str) -> str:
        if text and not self.parts:
            self.first_token_s = time.perf_counter() - self._started
        if text:
            self.parts.append(text)
        return text

    @property
    def thought(self) -> bool:
        """Whether the model reasoned before it answered."""
        return self._answer.thought

    @property
    def only_thought(self) -> bool:
        """Whether the model reasoned until no room was left for its answer."""
        return self._answer.thought and self.finish == "length" and not self.parts

    def completion(self, elapsed: float) -> Completion:
        """Return the finished call."""
        details = self.usage.get("prompt_tokens_details") or {}
        cached = self.timings.get("cache_n", details.get("cached_tokens", 0))
        prompt = self.usage.get("prompt_tokens") or cached + self.timings.get("prompt_n", 0)
        return Completion(
            text="".join(self.parts),
            usage=Usage(
                prompt_tokens=prompt,
                cached_tokens=cached or 0,
                completion_tokens=self.usage.get("completion_tokens")
                or self.timings.get("predicted_n", 0),
                first_token_s=self.first_token_s,
                total_s=elapsed,
            ),
            finish="length" if self.finish == "length" else "stop",
            tool_calls=tuple(
                ToolCall(c["name"], decode(c["arguments"])) for c in self.calls.values()
            ),
        )


def decode(data: str) -> dict[str, Any]:
    """Return the object in JSON, or an empty one for anything else."""
    try:
        chunk = json.loads(data)
    except json.JSONDecodeError:
        return {}
    return chunk if isinstance(chunk, dict) else {}
