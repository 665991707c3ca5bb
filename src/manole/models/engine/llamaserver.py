"""llama.cpp's own server as a `ChatModel`, in this process or in a child.

The engine evaluates several sequences at once (`model.parallel`), and each sequence keeps its last
prompt. A call gets the sequence that saves most work: the one of its own family of prompts
(`slot`), or one that has read the same system message, or the least recently used one.

A system message is a prefix that many calls share. It is evaluated once, by itself, and kept in
memory or on disk (`prefixes.py`); any sequence then loads it in milliseconds. So a new process does
not read its prompts again, and several calls at once with one prefix read it once.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
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
_SLOT = "manole_slot"  # a body's key for its family of prompts; never sent
_USER = "\N{WHITE CIRCLE}\N{BLACK CIRCLE}"  # marks where the user's words begin
_MIN_CHARS = 60  # a shorter system message is read faster than loaded; set by hand
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
        self._ready: dict[str, str | None] = {}  # file by system message; `None`: not kept
        self._preparing: dict[str, asyncio.Lock] = {}

    def _body(self, messages: Sequence[Message], call: Call) -> dict[str, Any]:
        plain = [replace(m, content=_CONTROL.sub(r"<\1>", m.content)) for m in messages]
        body = super()._body(plain, call)
        return body | {
            "top_k": self._settings.top_k,
            "repeat_penalty": self._settings.repeat_penalty,
            "cache_prompt": True,
            "seed": 7,
            _SLOT: call.get("slot"),
        }

    async def _streamed(self, body: dict[str, Any]) -> AsyncGenerator[Delta | Completion, None]:
        family = body.pop(_SLOT)
        system = _system(body["messages"])
        kept = await self._prefix(system) if system else None
        async with self._sequences.take(family, system) as (number, holds):
            if kept is not None and not holds:
                await self._slot(number, "restore", kept)
            async with aclosing(super()._streamed(body | {"id_slot": number})) as stream:
                async for item in stream:
                    yield item

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

    async def _prefix(self, system: str) -> str | None:
        """Return the kept file of this system message, made if need be; `None` without one."""
        store = self._prefixes
        if store is None or len(system) < _MIN_CHARS:
            return None
        async with self._preparing.setdefault(system, asyncio.Lock()):
            if system not in self._ready:
                name = store.name(system)
                good = await asyncio.to_thread(store.find, name)
                if not good and len(self._ready) < _MAX_KEPT:
                    if not self._sequences.any_free:
                        return None
                    good = await self._evaluate(system, store, name)
                self._ready[system] = name if good else None
            return self._ready[system]

    async def _evaluate(self, system: str, store: Prefixes, name: str) -> bool:
        """Evaluate the prefix alone and keep it; return whether the engine could."""
        draft = store.draft(name)
        try:
            tokens = await self._rendered(system)
            async with self._sequences.take(None, system, alone=True) as (number, _):
                asked = {"prompt": tokens, "n_predict": 0, "cache_prompt": True, "id_slot": number}
                await self._post("/completion", asked)
                saved = await self._slot(number, "save", draft)
        except (httpx.HTTPError, KeyError, ValueError, TypeError):
            return False
        if saved != len(tokens):  # nothing but the prefix may be kept
            await asyncio.to_thread(store.discard, name)
            return False
        return await asyncio.to_thread(store.keep, name)

    async def _rendered(self, system: str) -> list[int]:
        """Return the tokens before the user's words, in the model's own template."""
        messages = [{"role": "system", "content": system}, {"role": "user", "content": _USER}]
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
        self._system: list[str | None] = [None] * count
        self._used = [0] * count
        self._clock = 0

    @property
    def any_free(self) -> bool:
        """Whether a call would have a sequence to itself."""
        return 0 in self._calls

    @asynccontextmanager
    async def take(
        self, family: str | None, system: str | None, *, alone: bool = False
    ) -> AsyncIterator[tuple[int, bool]]:
        """Yield the sequence for a call, and whether it has read `system` already."""
        while all(self._alone):
            self._open.clear()
            await self._open.wait()
        number = self._choose(family, system)
        holds = self._system[number] == system or self._calls[number] > 0
        self._clock += 1
        self._used[number] = self._clock
        self._system[number] = system
        self._calls[number] += 1
        self._alone[number] = alone
        try:
            yield number, holds
        finally:
            self._calls[number] -= 1
            self._alone[number] = False
            self._open.set()

    def _choose(self, family: str | None, system: str | None) -> int:
        def rank(number: int) -> tuple[int, bool, bool, bool, int]:
            owner = self._owner[number]
            return (
                self._calls[number],
                owner is None or owner != family,
                system is None or self._system[number] != system,
                owner is not None,
                self._used[number],
            )

        number = min((n for n, alone in enumerate(self._alone) if not alone), key=rank)
        if family is not None and family not in self._owner:
            self._owner[number] = family
        return number


def _system(messages: Sequence[dict[str, Any]]) -> str | None:
    """Return the system message that a prompt begins with, or `None`."""
    first = messages[0] if messages else {}
    return str(first["content"]) if first.get("role") == "system" else None
