"""Models that reason before they answer are told not to, and what slips through is left out.

A template that knows the flag writes an empty `<think></think>` for `enable_thinking=false`
(Qwen3, SmolLM3, MiniCPM); the others never look at it. llama-server, vLLM and SGLang take it as
`chat_template_kwargs`; Ollama takes OpenAI's `reasoning_effort`, "none". A server that refuses what
it does not know is asked again without.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

QUIET: dict[str, Any] = {"chat_template_kwargs": {"enable_thinking": False}}
_OLLAMA = {"reasoning_effort": "none"}
_OPEN, _CLOSE = "<think>", "</think>"


def quiet_for(endpoint: str) -> dict[str, Any]:
    """The fields of a request by which a kind of endpoint (`openai`, `ollama`) is told."""
    return _OLLAMA if endpoint == "ollama" else QUIET


def speaks_of(fields: Iterable[str], refusal: str) -> bool:
    """Whether a server that refuses a request has one of these fields against it."""
    return any(word in refusal for word in (*fields, "reasoning", "thinking"))


class Unthought:
    """A stream of text without a `<think>…</think>` at its beginning.

    Text is held back only while it may still be the beginning of one. `thought`: there was one, or
    the server told of its reasoning apart.
    """

    def __init__(self) -> None:
        self.thought = False
        self._held: str | None = ""  # None: the answer has begun

    def take(self, text: str) -> str:
        """Take in text and return what of it is new and part of the answer."""
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
        """Return what was held back and is no reasoning."""
        held, self._held = self._held or "", None
        start = held.lstrip()
        return "" if start.startswith(_OPEN) else start if self.thought else held
