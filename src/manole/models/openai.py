"""A chat model behind an OpenAI-compatible endpoint (llama-server, Ollama, LM Studio, vLLM, ...).

`llamacpp.py` builds on the same client: the in-process engine speaks this protocol on loopback.
Requests that fail before the first byte are tried again with growing waits; a stream that has
begun is not, since its words have already been shown.
"""

from __future__ import annotations

import json
import math
import time
from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

import httpx
from tenacity import (
    AsyncRetrying,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential_jitter,
)

from manole.errors import ModelError
from manole.models.chat import Completion, Delta, Endpoint, JsonSchema, Message, ToolCall, Usage
from manole.settings import ModelSettings

# Answers that another try may change (RFC 9110: 408, 429 and the gateway errors).
_PASSING = frozenset({408, 429, 500, 502, 503, 504})
_CHOICES = 20  # likeliest tokens asked for where a yes or no is wanted
_RARE = 1e-6  # stands for the probability of a word that is not among them


class _PassingError(Exception):
    """A failure that another try may mend."""


class OpenAIChat:
    """`ChatModel` over `POST {base_url}/chat/completions`, streamed as server-sent events.

    `base_url` ends in `/v1`. `name` is the model as the endpoint knows it. `endpoint` is where
    other clients of the protocol reach the same model.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        settings: ModelSettings,
        *,
        api_key: str | None = None,
        attempts: int = 3,
    ) -> None:
        self._name = name
        self._base_url = base_url.rstrip("/")
        self._settings = settings
        self._attempts = attempts
        key = api_key or settings.api_key
        self.endpoint = Endpoint(self._base_url, key)
        self._client = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(settings.timeout_s, connect=5.0),
            trust_env=False,
        )

    @property
    def name(self) -> str:
        """The model's name."""
        return self._name

    def _body(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: JsonSchema | None,
        tools: Sequence[JsonSchema],
        stop: Sequence[str],
        slot: str | None,
    ) -> dict[str, Any]:
        """The request. Subclasses add what only their engine understands."""
        body: dict[str, Any] = {
            "model": self._name,
            "messages": [{"role": m.role, "content": _content(m)} for m in messages],
            "max_tokens": max_tokens,
            "temperature": self._settings.temperature,
            "top_p": self._settings.top_p,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": schema, "strict": True},
            }
        if tools:
            body["tools"] = list(tools)
        if stop:
            body["stop"] = list(stop)
        return body

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        schema: JsonSchema | None = None,
        tools: Sequence[JsonSchema] = (),
        stop: Sequence[str] = (),
        slot: str | None = None,
    ) -> AsyncIterator[Delta | Completion]:
        """Stream one completion. Raises `ModelError` when the endpoint cannot serve it."""
        body = self._body(messages, max_tokens, schema, tools, stop, slot)
        async with aclosing(self._streamed(body)) as stream:
            async for item in stream:
                yield item

    async def _streamed(self, body: dict[str, Any]) -> AsyncGenerator[Delta | Completion]:
        started = time.perf_counter()
        reading = _Reading()
        response = await self._open(body)
        try:
            async for line in response.aiter_lines():
                if not line.startswith("data:"):
                    continue
                data = line[5:].strip()
                if data == "[DONE]":
                    break
                text = reading.take(_decode(data), time.perf_counter() - started)
                if text:
                    yield Delta(text)
            else:
                if not reading.finish:
                    raise httpx.RemoteProtocolError("the stream ended before the answer did")
        except httpx.HTTPError as error:
            raise ModelError(
                f"{self._name} at {self._base_url} broke off in the middle of an answer "
                f"({type(error).__name__}).",
                "Ask again; if it happens again, look at the server's log.",
            ) from None
        finally:
            await response.aclose()
        yield reading.completion(time.perf_counter() - started)

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        schema: JsonSchema | None = None,
        tools: Sequence[JsonSchema] = (),
        stop: Sequence[str] = (),
        slot: str | None = None,
    ) -> Completion:
        """Run one completion to its end."""
        done: Completion | None = None
        async for item in self.stream(
            messages, max_tokens=max_tokens, schema=schema, tools=tools, stop=stop, slot=slot
        ):
            if isinstance(item, Completion):
                done = item
        assert done is not None
        return done

    async def odds(
        self, messages: Sequence[Message], *, slot: str | None = None
    ) -> tuple[float | None, Completion]:
        """Log odds of "yes" over "no" as the next word; `None` when it is not told."""
        body = self._body(messages, 1, None, (), (), slot)
        body |= {"logprobs": True, "top_logprobs": _CHOICES}
        async for item in self._streamed(body):
            if isinstance(item, Completion):
                done = item
        return log_odds(done.first), done

    async def count_tokens(self, text: str) -> int:
        """An estimate: endpoints do not tell their tokenizer, English has about 4 characters."""
        return math.ceil(len(text) / 3.5)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _open(self, body: dict[str, Any]) -> httpx.Response:
        """The response to `body`, its headers read and found good."""
        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._attempts),
            wait=wait_exponential_jitter(initial=0.3, max=5),
            retry=retry_if_exception_type(_PassingError),
            reraise=True,
        )
        try:
            return await retrying(self._try, body)
        except _PassingError as error:
            raise ModelError(
                f"{self._name} at {self._base_url} does not answer: {error}.",
                "Is the server running, and is the address right?",
            ) from None

    async def _try(self, body: dict[str, Any]) -> httpx.Response:
        request = self._client.build_request(
            "POST", f"{self._base_url}/chat/completions", json=body
        )
        try:
            response = await self._client.send(request, stream=True)
        except httpx.TransportError as error:
            raise _PassingError(str(error) or type(error).__name__) from None
        if response.status_code == httpx.codes.OK:
            return response
        detail = (await response.aread()).decode("utf-8", "replace")[:300]
        await response.aclose()
        if response.status_code in _PASSING:
            raise _PassingError(f"HTTP {response.status_code}: {detail}")
        raise ModelError(
            f"{self._name} at {self._base_url} refused the request "
            f"(HTTP {response.status_code}): {detail}",
            "Check the model's name, the key and the length of the question.",
        )


class _Reading:
    """Collects the chunks of one stream (OpenAI's `chat.completion.chunk`)."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.finish = ""  # "" until the endpoint has said how the answer ended
        self.usage: dict[str, Any] = {}
        self.timings: dict[str, Any] = {}
        self.calls: dict[int, dict[str, str]] = {}
        self.first_token_s = 0.0
        self.first: tuple[tuple[str, float], ...] = ()

    def take(self, chunk: dict[str, Any], elapsed: float) -> str:
        """Take in one chunk and return its text."""
        if "error" in chunk:
            raise ModelError(f"The model failed: {chunk['error']}.", "Ask again.")
        self.usage = chunk.get("usage") or self.usage
        self.timings = chunk.get("timings") or self.timings
        text = ""
        for choice in chunk.get("choices") or []:
            delta = choice.get("delta") or {}
            text += delta.get("content") or ""
            for call in delta.get("tool_calls") or []:
                kept = self.calls.setdefault(call.get("index", 0), {"name": "", "arguments": ""})
                function = call.get("function") or {}
                kept["name"] += function.get("name") or ""
                kept["arguments"] += function.get("arguments") or ""
            self.finish = choice.get("finish_reason") or self.finish
            self.first = self.first or _likeliest(choice)
        if text and not self.parts:
            self.first_token_s = elapsed
        if text:
            self.parts.append(text)
        return text

    def completion(self, elapsed: float) -> Completion:
        """The finished call."""
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
                ToolCall(c["name"], _arguments(c["arguments"])) for c in self.calls.values()
            ),
            first=self.first,
        )


def log_odds(first: Sequence[tuple[str, float]]) -> float | None:
    """Log odds of yes over no among the likeliest first tokens; `None` when neither is there."""
    chances = {"yes": 0.0, "no": 0.0}
    for token, logarithm in first:
        word = token.strip().lower()
        if word in chances:
            chances[word] += math.exp(logarithm)
    if not any(chances.values()):
        return None
    return math.log((chances["yes"] + _RARE) / (chances["no"] + _RARE))


def _likeliest(choice: dict[str, Any]) -> tuple[tuple[str, float], ...]:
    """The likeliest tokens at a chunk's first place, if the endpoint tells them."""
    places = (choice.get("logprobs") or {}).get("content") or [{}]
    told = places[0].get("top_logprobs") or ()
    return tuple((str(item["token"]), float(item["logprob"])) for item in told)


def _content(message: Message) -> str | list[dict[str, Any]]:
    """A message's words, or its pictures and words as parts of the protocol."""
    if not message.images:
        return message.content
    urls = (f"data:image/jpeg;base64,{b64encode(i).decode('ascii')}" for i in message.images)
    pictures = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return [*pictures, {"type": "text", "text": message.content}]


def _decode(data: str) -> dict[str, Any]:
    try:
        chunk = json.loads(data)
    except json.JSONDecodeError:
        return {}
    return chunk if isinstance(chunk, dict) else {}


def _arguments(text: str) -> dict[str, Any]:
    return _decode(text or "{}")
