"""A chat model behind an OpenAI-compatible endpoint (llama-server, Ollama, LM Studio, vLLM, ...).

`engine/llamaserver.py` builds on the same client, as the engine here speaks this protocol on
loopback. There may be several servers (`endpoints.py`). A request that fails before the first word
is tried with the next server, and with all of them again after growing waits. A stream that has
begun is not tried again: its words were already shown, and no answer is joined from two models.
"""

from __future__ import annotations

import contextlib
import math
import time
from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, replace
from typing import Any, Unpack

import httpx
from tenacity import (
    AsyncRetrying,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential_jitter,
)

from manole.errors import ModelError
from manole.models.chat.chunks import Reading, StreamedError, decode
from manole.models.chat.protocol import SAMPLING, Call, Completion, Delta, Endpoint, Message
from manole.models.chat.rates import Rates, Reach
from manole.models.chat.thinking import QUIET, speaks_of
from manole.models.endpoints import CONNECT_S, PASSING, Attempt, Endpoints, PassingError, Place
from manole.settings import ModelSettings

_LIMITS = httpx.Limits(max_keepalive_connections=20)  # calls wait at the servers, not here
_ASKING_S = 3.0  # seconds a server may take to list its models; set by hand
_UNKNOWN = (400, 422)  # the answers of servers to an unknown field


class OpenAIChat:
    """`ChatModel` over `POST {base_url}/chat/completions`, streamed as server-sent events.

    A `base_url` ends in `/v1`; several ones serve the same model, by the same `name`. `endpoint` is
    the address for other clients of the protocol.
    """

    def __init__(
        self,
        name: str,
        base_url: str | Sequence[str],
        settings: ModelSettings,
        *,
        api_key: str | None = None,
        attempts: int = 3,
        quiet: Mapping[str, Any] = QUIET,
    ) -> None:
        """Set `quiet` to the fields of a request that keep the model from reasoning first."""
        self._name = name
        self._endpoints = Endpoints([base_url] if isinstance(base_url, str) else base_url)
        self._settings = settings
        self._attempts = attempts
        self._quiet = dict(quiet)
        self._fields = frozenset(quiet)
        self.rates = Rates()
        self._reach: Reach | None = None
        key = api_key or settings.api_key
        self.endpoint = Endpoint(self._endpoints.places[0].url, key)
        self._client = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(settings.timeout_s, connect=CONNECT_S),
            limits=_LIMITS,
            trust_env=False,
        )

    @property
    def name(self) -> str:
        """The model's name."""
        return self._name

    def _body(self, messages: Sequence[Message], call: Call) -> dict[str, Any]:
        """Return the request. Subclasses add the fields that only their engine understands."""
        body: dict[str, Any] = {
            "model": self._name,
            "messages": [{"role": m.role, "content": _content(m)} for m in messages],
            "max_tokens": call["max_tokens"],
            **SAMPLING,
            "stream": True,
            "stream_options": {"include_usage": True},
            **self._quiet,
        }
        if (schema := call.get("schema")) is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": schema, "strict": True},
            }
        if tools := call.get("tools"):
            body["tools"] = list(tools)
        if stop := call.get("stop"):
            body["stop"] = list(stop)
        return body

    async def stream(
        self, messages: Sequence[Message], **call: Unpack[Call]
    ) -> AsyncIterator[Delta | Completion]:
        """Stream one completion. Raises `ModelError` when the endpoint cannot serve it."""
        body = self._body(messages, call)
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
        done = begun.reading.completion(time.perf_counter() - started)
        if begun.reading.only_thought:
            raise ModelError(
                f"{self._name} used up its answer to reason, and did not come to answer.",
                "Turn its reasoning off where it is served, or choose one that answers at once.",
            )
        if not begun.reading.thought:  # for an unknown part of the time
            self.rates.take(done.usage)
        yield done

    async def complete(self, messages: Sequence[Message], **call: Unpack[Call]) -> Completion:
        """Run one completion to its end. Raises `ModelError`."""
        return await self._completed(self._body(messages, call))

    async def _completed(self, body: dict[str, Any]) -> Completion:
        async with aclosing(self._streamed(body)) as stream:
            *_, done = [item async for item in stream]
        assert isinstance(done, Completion)
        return done

    async def count_tokens(self, text: str) -> int:
        """Estimate the tokens: endpoints do not tell them, and English has 4 characters a token."""
        return math.ceil(len(text) / 3.5)  # rather too many; set by hand

    async def reach(self) -> Reach:
        """Return context size and speed; 0 where the server does not state it."""
        if self._reach is None:
            self._reach = Reach()
            with contextlib.suppress(httpx.HTTPError, ValueError):
                answer = await self._client.get(f"{self.endpoint.url}/models", timeout=_ASKING_S)
                self._reach = Reach.of(answer.raise_for_status().json(), self._name)
        return replace(self._reach, read=self.rates.read, write=self.rates.write)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _begin(self, body: dict[str, Any], started: float) -> _Stream:
        """Return a stream that has come to its first word, or its end. Raises `ModelError`."""
        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._attempts),
            wait=wait_exponential_jitter(initial=0.3, max=5),  # seconds, set by hand
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
        """Ask one server after another. Raises `PassingError` if none of them can answer now."""
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
                detail = (await response.aread()).decode("utf-8", "replace")
                sent = self._fields & body.keys()
                if sent and response.status_code in _UNKNOWN and speaks_of(sent, detail):
                    plain = {key: body[key] for key in body.keys() - self._fields}
                    stream = await self._try(attempt, plain, started, asking)
                    self._quiet = {}  # the server knows no such field, and will not tomorrow
                    return stream
                raise self._refused(place, response.status_code, detail[:300])
            stream = _Stream(attempt, response.aiter_lines(), Reading(started), asking)
            while not stream.ended and not stream.reading.begun:
                stream.text = await stream.next()
            return stream
        except httpx.TransportError as error:
            # After such a wait for one server, it is not worth another.
            slow = isinstance(error, httpx.ReadTimeout)
            raise PassingError(str(error) or type(error).__name__, again=not slow) from None
        except StreamedError as error:
            if self._endpoints.several and error.passing:
                raise PassingError(f"the model failed: {error.reason}") from None
            raise

    def _refused(self, place: Place, status: int, detail: str) -> Exception:
        if status in PASSING:
            return PassingError(f"HTTP {status}: {detail}")
        return ModelError(
            f"{self._name} at {place.url} refused the request (HTTP {status}): {detail}",
            "Check the model's name, the key and the length of the question.",
        )


@dataclass(slots=True)
class _Stream:
    """A response that is being read; `text` is the text of its last chunk."""

    attempt: Attempt
    lines: AsyncIterator[str]
    reading: Reading
    open: AsyncExitStack  # closing it ends the request
    text: str = ""
    ended: bool = False

    async def next(self) -> str:
        """Return the next chunk's text. Raises `httpx.HTTPError`, `ModelError`."""
        async for line in self.lines:
            if not line.startswith("data:"):
                continue
            data = line[5:].strip()
            if data == "[DONE]":
                break
            return self.reading.take(decode(data))
        else:
            if not self.reading.finish:
                raise httpx.RemoteProtocolError("the stream ended before the answer did")
        self.ended = True
        return self.reading.rest()


def _content(message: Message) -> str | list[dict[str, Any]]:
    """Return a message's text, or its pictures and text as parts of the protocol."""
    if not message.images:
        return message.content
    urls = (f"data:image/jpeg;base64,{b64encode(i).decode('ascii')}" for i in message.images)
    pictures = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return [*pictures, {"type": "text", "text": message.content}]
