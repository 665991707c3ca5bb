"""llama.cpp's own server as a `ChatModel`.

The engine evaluates several sequences at once (`ModelSettings.parallel`), and each sequence keeps
its last prompt. A call gets the sequence that saves most work: the one of its own family of prompts
(`slot`), or one that has read the same prefix, or the least recently used one.

A system message and the worked examples after it are a prefix that many calls share. It is
evaluated once, by itself, and kept in memory or on disk (`prefixes.py`); any sequence then loads it
in milliseconds. So a new process does not read its prompts again, and several calls at once with
one prefix read it once.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from itertools import takewhile
from typing import Any

import httpx

from manole.models.chat.openai import OpenAIChat
from manole.models.chat.protocol import Call, Completion, Delta, Message
from manole.models.chat.thinking import QUIET
from manole.models.engine.prefixes import Prefixes
from manole.settings import ModelSettings

# The engine recognizes a template's control tokens anywhere in a prompt, and a document must not
# end a message or begin another.
_CONTROL = re.compile(r"<\|([^|>\n]{1,40})\|>")
# Keys of a body that are never sent.
_SLOT = "manole_slot"  # its family of prompts
_FIXED = "manole_fixed"  # the number of its first messages that are the same in every call
_USER = "\N{WHITE CIRCLE}\N{BLACK CIRCLE}"  # marks where the user's words begin
_MIN_CHARS = 100  # of its JSON: a shorter prefix is read faster than it is fetched; set by hand
_MAX_KEPT = 24  # prefixes that one process keeps, set by hand: more are no stable prompts


class LlamaServer(OpenAIChat):
    """A chat model behind llama.cpp's server at `address`, which asks for `key`."""

    def __init__(
        self,
        name: str,
        address: str,
        key: str,
        settings: ModelSettings,
        prefixes: Prefixes | None = None,
    ) -> None:
        super().__init__(name, f"{address}/v1", settings, api_key=key, attempts=1)
        self._address = address
        self._prefixes = prefixes
        self._sequences = _Sequences(settings.parallel)
        self._ready: dict[str, str | None] = {}  # file by prefix; `None`: not kept
        self._preparing: dict[str, asyncio.Lock] = {}

    def _body(self, messages: Sequence[Message], call: Call) -> dict[str, Any]:
        plain = [replace(m, content=_CONTROL.sub(r"<\1>", m.content)) for m in messages]
        body = super()._body(plain, call)
        return body | {
            "top_k": 50,
            "repeat_penalty": 1.05,
            "cache_prompt": True,
            "seed": 7,
            _SLOT: call.get("slot"),
            _FIXED: sum(1 for _ in takewhile(lambda m: m.fixed or m.role == "system", plain)),
        }

    async def _streamed(self, body: dict[str, Any]) -> AsyncGenerator[Delta | Completion, None]:
        family = body.pop(_SLOT)
        count = body.pop(_FIXED)
        fixed = json.dumps(body["messages"][:count]) if count else ""
        started = time.perf_counter()
        kept, read = await self._prefix(fixed)
        async with self._sequences.take(family, fixed) as (number, holds):
            if kept is not None and not holds:
                await self._slot(number, "restore", kept)
            before = time.perf_counter() - started
            async with aclosing(super()._streamed(body | {"id_slot": number})) as stream:
                async for item in stream:
                    yield _with(item, read, before) if isinstance(item, Completion) else item

    async def count_tokens(self, text: str) -> int:
        """Count the tokens of `text` by the model's own tokenizer."""
        try:
            return len(await self._tokens(text))
        except (httpx.HTTPError, KeyError, ValueError):
            return await super().count_tokens(text)

    async def likeliest(self, text: str, tokens: int) -> dict[str, Any]:
        """Return the model's continuation of bare `text`, with the engine's probabilities.

        Raises `httpx.HTTPError` or `ValueError`.
        """
        asked = {"prompt": text, "n_predict": tokens, "temperature": 0, "n_probs": 8}
        return await self._post("/completion", asked | {"cache_prompt": False, "ignore_eos": True})

    async def _prefix(self, fixed: str) -> tuple[str | None, int]:
        """Return the kept file of this prefix, made if need be, and the tokens read for it now.

        The file is `None` without one. `fixed` are the messages of the prefix as JSON.
        """
        store, read = self._prefixes, 0
        if store is None or len(fixed) < _MIN_CHARS:
            return None, 0
        async with self._preparing.setdefault(fixed, asyncio.Lock()):
            if fixed not in self._ready:
                name = store.name(fixed)
                good = await asyncio.to_thread(store.find, name)
                if not good and len(self._ready) < _MAX_KEPT:
                    if not self._sequences.any_free:
                        return None, 0
                    read = await self._evaluate(fixed, store, name)
                self._ready[fixed] = name if good or read else None
            return self._ready[fixed], read

    async def _evaluate(self, fixed: str, store: Prefixes, name: str) -> int:
        """Evaluate the prefix alone and keep it; return its tokens, 0 if the engine could not."""
        draft = store.draft(name)
        try:
            tokens = await self._rendered(fixed)
            async with self._sequences.take(None, fixed, alone=True) as (number, _):
                asked = {"prompt": tokens, "n_predict": 0, "cache_prompt": True, "id_slot": number}
                await self._post("/completion", asked)
                saved = await self._slot(number, "save", draft)
        except (httpx.HTTPError, KeyError, ValueError, TypeError):
            return 0
        if saved != len(tokens):  # nothing but the prefix may be kept
            await asyncio.to_thread(store.discard, name)
            return 0
        return len(tokens) if await asyncio.to_thread(store.keep, name) else 0

    async def _rendered(self, fixed: str) -> list[int]:
        """Return the tokens before the user's words, in the model's own template."""
        messages = [*json.loads(fixed), {"role": "user", "content": _USER}]
        answer = await self._post("/apply-template", {"messages": messages, **QUIET})
        head, found, _ = str(answer["prompt"]).rpartition(_USER)
        if not found:
            raise ValueError("the template leaves out what the user says")
        return await self._tokens(head, special=True)

    async def _tokens(self, text: str, *, special: bool = False) -> list[int]:
        asked = {"content": text, "add_special": special, "parse_special": special}
        return list((await self._post("/tokenize", asked))["tokens"])

    async def _slot(self, number: int, action: str, file: str) -> int:
        """Save or restore a sequence; return its number of tokens, 0 if the engine refuses."""
        try:
            done = await self._post(f"/slots/{number}?action={action}", {"filename": file})
            return int(done["n_saved" if action == "save" else "n_restored"])
        except (httpx.HTTPError, KeyError, ValueError):
            return 0

    async def _post(self, path: str, asked: dict[str, Any]) -> dict[str, Any]:
        response = await self._client.post(f"{self._address}{path}", json=asked)
        answer = response.raise_for_status().json()
        if not isinstance(answer, dict):
            raise ValueError(f"{path} answered with no object")
        return answer


def _with(done: Completion, read: int, before: float) -> Completion:
    """Return a call with the tokens of its prefix that were read for it, and the time before it."""
    usage = done.usage
    counted = replace(
        usage,
        cached_tokens=max(0, usage.cached_tokens - read),
        first_token_s=usage.first_token_s + before,
        total_s=usage.total_s + before,
    )
    return replace(done, usage=counted)


class _Sequences:
    """Keeps track of the engine's sequences: their users, and the prompts they have read.

    If no sequence is free, calls queue for one in the engine. No call waits here for another to
    end, whose consumer may itself be waiting for this one. A sequence belongs to a single call only
    while that keeps a prefix, which waits for nobody; another call's words would be kept with it.
    """

    def __init__(self, count: int) -> None:
        self._calls = [0] * count
        self._alone = [False] * count
        self._open = asyncio.Event()  # set when a sequence no longer belongs to a single call
        self._owner: list[str | None] = [None] * count
        self._prefix: list[str | None] = [None] * count
        self._used = [0] * count
        self._clock = 0

    @property
    def any_free(self) -> bool:
        """Whether a call would have a sequence to itself."""
        return 0 in self._calls

    @asynccontextmanager
    async def take(
        self, family: str | None, prefix: str, *, alone: bool = False
    ) -> AsyncIterator[tuple[int, bool]]:
        """Yield the sequence for a call, and whether it has read `prefix` already."""
        while all(self._alone):
            self._open.clear()
            await self._open.wait()
        number = self._choose(family, prefix)
        holds = self._prefix[number] == prefix or self._calls[number] > 0
        self._clock += 1
        self._used[number] = self._clock
        self._prefix[number] = prefix
        self._calls[number] += 1
        self._alone[number] = alone
        try:
            yield number, holds
        finally:
            self._calls[number] -= 1
            self._alone[number] = False
            self._open.set()

    def _choose(self, family: str | None, prefix: str) -> int:
        def rank(number: int) -> tuple[int, bool, bool, bool, int]:
            owner = self._owner[number]
            return (
                self._calls[number],
                owner is None or owner != family,
                not prefix or self._prefix[number] != prefix,
                owner is not None,
                self._used[number],
            )

        number = min((n for n, alone in enumerate(self._alone) if not alone), key=rank)
        if family is not None and family not in self._owner:
            self._owner[number] = family
        return number
