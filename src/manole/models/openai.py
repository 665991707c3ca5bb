"""A chat model behind an OpenAI-compatible endpoint (llama-server, Ollama, LM Studio, vLLM, ...).

`llamacpp.py` builds on the same client: the in-process engine speaks this protocol on loopback.
There may be several servers (`endpoints.py`). What fails before the first word is tried with the
next one, and with all of them again after growing waits; a stream that has begun is not, since its
words have already been shown, and no answer is put together from two models.
"""

from __future__ import annotations

import json
import math
import time
from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass
from typing import Any

import httpx
from tenacity import (
    AsyncRetrying,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential_jitter,
)

from manole.errors import ModelError
from manole.models.chat import Completion, Delta, Endpoint, JsonSchema, Message, ToolCall, Usage
from manole.models.endpoints import PASSING, Attempt, Endpoints, PassingError, Place
from manole.settings import ModelSettings

_CHOICES = 20  # likeliest tokens asked for where a yes or no is wanted
_LIMITS = httpx.Limits(max_keepalive_connections=20)  # calls wait at the servers, not here
_RARE = 1e-6  # stands for the probability of a word that is not among them


class OpenAIChat:
    """`ChatModel` over `POST {base_url}/chat/completions`, streamed as server-sent events.

    A `base_url` ends in `/v1`; several serve the same model. `name` is the model as they know it.
    `endpoint` is where other clients of the protocol reach it.
    """

    def __init__(
        self,
        name: str,
        base_url: str | Sequence[str],
        settings: ModelSettings,
        *,
        api_key: str | None = None,
        attempts: int = 3,
    ) -> None:
        self._name = name
        self._endpoints = Endpoints([base_url] if isinstance(base_url, str) else base_url)
        self._settings = settings
        self._attempts = attempts
        key = api_key or settings.api_key
        self.endpoint = Endpoint(self._endpoints.places[0].url, key)
        self._client = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(settings.timeout_s, connect=5.0),
            limits=_LIMITS,
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
        begun = await self._begin(body, started)
        try:
            if begun.text:
                yield Delta(begun.text)
            while not begun.ended:
                text = await begun.next()
                if text:
                    yield Delta(text)
        except httpx.HTTPError as error:
            self._endpoints.failed(begun.attempt)
            raise ModelError(
                f"{self._name} at {begun.attempt.place.url} broke off in the middle of an answer "
                f"({type(error).__name__}).",
                "Ask again; if it happens again, look at the server's log.",
            ) from None
        finally:
            await begun.open.aclose()
        yield begun.reading.completion(time.perf_counter() - started)

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

    async def _begin(self, body: dict[str, Any], started: float) -> _Stream:
        """A stream that has come to its first word, or its end. Raises `ModelError`."""
        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._attempts),
            wait=wait_exponential_jitter(initial=0.3, max=5),
            retry=retry_if_exception(lambda e: isinstance(e, PassingError) and e.again),
            reraise=True,
        )
        try:
            return await retrying(self._round, body, started)
        except PassingError as error:
            if self._endpoints.several:
                raise ModelError(
                    f"None of the servers of {self._name} answers. {error}.",
                    "Are they running, and are the addresses right?",
                ) from None
            raise ModelError(
                f"{self._name} at {self.endpoint.url} does not answer: {error}.",
                "Is the server running, and is the address right?",
            ) from None

    async def _round(self, body: dict[str, Any], started: float) -> _Stream:
        """Ask one server after the other. Raises `PassingError` where none of them can now."""
        failures: dict[str, PassingError] = {}
        while True:
            async with AsyncExitStack() as asking:
                attempt = asking.enter_context(self._endpoints.asking(failures))
                if attempt is None:
                    raise PassingError.of(failures)
                try:
                    stream = await self._try(attempt, body, started, asking)
                except PassingError as error:
                    failures[attempt.place.url] = error
                    self._endpoints.failed(attempt)
                    continue
                self._endpoints.worked(attempt)
                stream.open = asking.pop_all()
                return stream

    async def _try(
        self, attempt: Attempt, body: dict[str, Any], started: float, asking: AsyncExitStack
    ) -> _Stream:
        """Ask this server, and read up to the first word; `asking` closes the response."""
        place = attempt.place
        request = self._client.build_request("POST", f"{place.url}/chat/completions", json=body)
        try:
            response = await self._client.send(request, stream=True)
            asking.push_async_callback(response.aclose)
            if response.status_code != httpx.codes.OK:
                detail = (await response.aread()).decode("utf-8", "replace")[:300]
                raise self._refused(place, response.status_code, detail)
            stream = _Stream(attempt, response.aiter_lines(), _Reading(started), asking)
            while not stream.ended and not stream.reading.begun:
                stream.text = await stream.next()
            return stream
        except httpx.TransportError as error:
            # Who waited that long for one server does not wait for it once more.
            slow = isinstance(error, httpx.ReadTimeout)
            raise PassingError(str(error) or type(error).__name__, again=not slow) from None
        except _ToldError as error:
            if self._endpoints.several and error.passing:
                raise PassingError(f"the model failed: {error.said}") from None
            raise

    def _refused(self, place: Place, status: int, detail: str) -> Exception:
        if status in PASSING:
            return PassingError(f"HTTP {status}: {detail}")
        return ModelError(
            f"{self._name} at {place.url} refused the request (HTTP {status}): {detail}",
            "Check the model's name, the key and the length of the question.",
        )


class _ToldError(ModelError):
    """The server told in its stream that the model failed."""

    def __init__(self, told: Any) -> None:
        super().__init__(f"The model failed: {told}.", "Ask again.")
        self.said = told.get("message", told) if isinstance(told, dict) else told
        code = told.get("code") if isinstance(told, dict) else None
        self.passing = not isinstance(code, int) or code in PASSING  # not a wrong request


@dataclass(slots=True)
class _Stream:
    """A response that is being read; `text` is what its last chunk said."""

    attempt: Attempt
    lines: AsyncIterator[str]
    reading: _Reading
    open: AsyncExitStack  # closing it ends the request
    text: str = ""
    ended: bool = False

    async def next(self) -> str:
        """The next chunk's text. Raises `httpx.HTTPError`, `ModelError`."""
        async for line in self.lines:
            if not line.startswith("data:"):
                continue
            data = line[5:].strip()
            if data == "[DONE]":
                break
            return self.reading.take(_decode(data))
        else:
            if not self.reading.finish:
                raise httpx.RemoteProtocolError("the stream ended before the answer did")
        self.ended = True
        return ""


class _Reading:
    """Collects the chunks of one stream (OpenAI's `chat.completion.chunk`)."""

    def __init__(self, started: float) -> None:
        self._started = started
        self.parts: list[str] = []
        self.finish = ""  # "" until the endpoint has said how the answer ended
        self.usage: dict[str, Any] = {}
        self.timings: dict[str, Any] = {}
        self.calls: dict[int, dict[str, str]] = {}
        self.first_token_s = 0.0
        self.first: tuple[tuple[str, float], ...] = ()

    @property
    def begun(self) -> bool:
        """Whether the model has said anything, words or a call."""
        return bool(self.parts or self.calls or self.finish)

    def take(self, chunk: dict[str, Any]) -> str:
        """Take in one chunk and return its text. Raises `ModelError`."""
        if "error" in chunk:
            raise _ToldError(chunk["error"])
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
            self.first_token_s = time.perf_counter() - self._started
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
