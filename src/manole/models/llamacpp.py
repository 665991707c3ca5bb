"""llama.cpp inside the process, through `xllamacpp`.

The engine opens an HTTP port on loopback, guarded by a key made anew for each start, and
`OpenAIChat` talks to it: streaming, cancellation (closing the response) and JSON-schema grammars
come with that protocol. Each prompt family (`slot`) keeps its own sequence, so that the stable
prefix of a decision prompt survives the answers between two decisions.
"""

from __future__ import annotations

import asyncio
import os
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import psutil

# Read by OpenMP when the engine is loaded, so it comes first. Waiting threads sleep instead of
# spinning: on two cores with one other busy program that took a 290-token prompt from 30 s to
# 12 s, and cost nothing measurable on an idle machine.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
import xllamacpp

from manole.errors import ModelError
from manole.models.chat import JsonSchema, Message
from manole.models.openai import OpenAIChat
from manole.settings import ModelSettings

# What an engine needs beside the weights: context, compute buffers, prompt cache (bytes).
_OVERHEAD = 600 * 2**20
# The engine reads a template's control tokens anywhere in a prompt; a document must not end a
# message or begin another.
_CONTROL = re.compile(r"<\|([^|>\n]{1,40})\|>")
_PROMPT_CACHE_MIB = 512


def cores_at_hand() -> int:
    """Physical cores this process may use.

    llama.cpp slows down badly when its threads outnumber the free cores, so hyper-threads do
    not count and the process's CPU affinity does.
    """
    allowed = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return max(1, min(allowed, psutil.cpu_count(logical=False) or allowed))


class LlamaCpp(OpenAIChat):
    """A GGUF model in this process. Use `LlamaCpp.load`, which does not block the event loop."""

    def __init__(
        self, name: str, server: xllamacpp.Server, key: str, settings: ModelSettings
    ) -> None:
        self._address = server.listening_address
        super().__init__(name, f"{self._address}/v1", settings, api_key=key, attempts=1)
        self._server: xllamacpp.Server | None = server
        self._slots: dict[str, int] = {}

    @classmethod
    async def load(cls, name: str, path: Path, settings: ModelSettings) -> LlamaCpp:
        """Load the weights at `path`. Raises `ModelError` when they do not fit or are not GGUF."""
        _check(path)
        key = secrets.token_urlsafe(24)
        params = _parameters(path, key, settings)
        try:
            server = await asyncio.to_thread(xllamacpp.Server, params)
        except Exception as error:
            raise ModelError(
                f"The engine could not load {path.name}: {str(error).rstrip('.')}.",
                "`manole models verify` checks the file; `--model` names another.",
            ) from None
        return cls(name, server, key, settings)

    def _body(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: JsonSchema | None,
        tools: Sequence[JsonSchema],
        stop: Sequence[str],
        slot: str | None,
    ) -> dict[str, Any]:
        plain = [Message(m.role, _CONTROL.sub(r"<\1>", m.content)) for m in messages]
        body = super()._body(plain, max_tokens, schema, tools, stop, slot)
        body |= {
            "top_k": self._settings.top_k,
            "repeat_penalty": self._settings.repeat_penalty,
            "cache_prompt": True,
            "seed": 7,
        }
        if slot is not None:
            body["id_slot"] = self._slots.setdefault(
                slot, len(self._slots) % self._settings.parallel
            )
        return body

    async def count_tokens(self, text: str) -> int:
        """Tokens of `text`, by the model's own tokenizer."""
        try:
            response = await self._client.post(f"{self._address}/tokenize", json={"content": text})
            return len(response.raise_for_status().json()["tokens"])
        except (httpx.HTTPError, KeyError, ValueError):
            return await super().count_tokens(text)

    async def close(self) -> None:
        """Stop the engine and free its memory."""
        await super().close()
        server, self._server = self._server, None
        if server is not None:
            await asyncio.to_thread(_release, [server])


def _release(holder: list[xllamacpp.Server]) -> None:
    """Drop the last reference off the event loop: the engine joins its threads as it goes."""
    holder.clear()


def _check(path: Path) -> None:
    """Refuse what cannot work before the engine tries it."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from None
    if magic != b"GGUF":
        raise ModelError(f"{path} is not a GGUF file.", "Give a file that ends in .gguf.")
    free = psutil.virtual_memory().available
    if size + _OVERHEAD > free:
        raise ModelError(
            f"{path.name} needs about {(size + _OVERHEAD) / 2**30:.1f} GiB of memory, "
            f"{free / 2**30:.1f} GiB are free.",
            "Close other programs, or choose a smaller model with `--model`.",
        )


def _parameters(path: Path, key: str, settings: ModelSettings) -> xllamacpp.CommonParams:
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = settings.context
    params.n_parallel = settings.parallel
    params.kv_unified = True
    # Else the engine clears the other sequences, with the prefixes kept in them, at each call.
    params.cache_idle_slots = False
    threads = settings.threads or cores_at_hand()
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.n_gpu_layers = 0
    params.warmup = False
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    params.cors_origins = ""
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = 0
    return params
