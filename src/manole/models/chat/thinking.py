"""Suppression of reasoning: a request turns it off, and any that still comes is left out.

A template that knows the flag writes an empty `<think></think>` for `enable_thinking=false`
(Qwen3, SmolLM3, MiniCPM); others ignore it. llama-server, vLLM and SGLang take it as
`chat_template_kwargs`; Ollama takes OpenAI's `reasoning_effort`, "none". A server that refuses an
unknown field is asked again without it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

QUIET: dict[str, Any] = {"chat_template_kwargs": {"enable_thinking": False}}
_OLLAMA = {"reasoning_effort": "none"}
_OPEN, _CLOSE = "<think>", "</think>"


def quiet_for(endpoint: str) -> dict[str, Any]:
    """Return a request's fields that turn reasoning off at an `openai` or `ollama` endpoint."""
    return _OLLAMA if endpoint == "ollama" else QUIET


def speaks_of(fields: Iterable[str], refusal: str) -> bool:
    """Return whether a refusal of a request is about one of these fields."""
    return any(word in refusal for word in (*fields, "reasoning", "thinking"))


class Unthought:
    """A stream of text without a `<think>…</think>` at its beginning.

    Text is held back only while it may still be the beginning of one. `thought`: the model
    reasoned, there or in a separate field of the stream.
    """

    def __init__(self) -> None:
        self.thought = False
        self._held: str | None = ""  # None: the answer has begun

    def take(self, text: str) -> str:
        """Take in text and return the new part of the answer."""
        if self._held is None:
            return text
        self._held += text
        while True:
            start = self._held.lstrip()
            if _OPEN.startswith(start):
                return ""
            if not start.startswith(_OPEN):
                out, self._held = start if self.thought else self._held, None
                return out
            self.thought = True
            _, closed, rest = start.partition(_CLOSE)
            if not closed:
                return ""
            self._held = rest

    def end(self) -> str:
        """Return the text that was held back and is no reasoning."""
        held, self._held = self._held or "", None
        start = held.lstrip()
        return "" if start.startswith(_OPEN) else start if self.thought else held
