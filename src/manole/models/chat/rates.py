"""A model's speed and context size, learned from its server and its answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from manole.models.chat.protocol import ChatModel, Usage

# Shorter calls tell little about speed, and shorter times are those of a stream that came in one
# piece. All set by hand.
_READ, _WRITTEN = 64, 12  # tokens
_LEAST_S = 0.05
# A text to measure with.
PROSE = (
    "The boiler in the cellar was put in by a firm from the next town. Its pressure should stay "
    "between one and two bar; the dial is on the front, below the window that shows the flame. "
    "When the pressure falls, open the small valve on the left until the needle stands at one and "
    "a half, and close it again. Once a year, in October, the chimney sweep measures the exhaust "
    "and leaves a paper with the figures."
)


@dataclass(slots=True)
class Rates:
    """Tokens per second, the best of all calls so far; 0 if not known yet."""

    read: float = 0.0
    write: float = 0.0

    def take(self, usage: Usage) -> None:
        """Learn from a call; the best counts, as a call may have waited for others."""
        tokens = usage.prompt_tokens - usage.cached_tokens
        if tokens >= _READ and usage.first_token_s > _LEAST_S:
            self.read = max(self.read, tokens / usage.first_token_s)
        spent = usage.total_s - usage.first_token_s
        if usage.completion_tokens >= _WRITTEN and spent > _LEAST_S:
            self.write = max(self.write, (usage.completion_tokens - 1) / spent)

    @property
    def known(self) -> bool:
        """Whether both rates are known."""
        return bool(self.read and self.write)


@dataclass(frozen=True, slots=True)
class Reach:
    """A model's context in tokens, its weights, and its tokens per second; 0 if not known."""

    context: int = 0
    weights: int = 0
    read: float = 0.0
    write: float = 0.0

    @classmethod
    def of(cls, listed: Any, name: str) -> Reach:
        """Read `GET /v1/models` of llama-server (`meta`) or vLLM (`max_model_len`)."""
        models = listed.get("data") if isinstance(listed, dict) else None
        rows = [row for row in models or () if isinstance(row, dict)]
        row = next(
            (row for row in rows if row.get("id") == name), rows[0] if len(rows) == 1 else {}
        )
        meta = row.get("meta") or {}
        return cls(_count(meta, "n_ctx") or _count(row, "max_model_len"), _count(meta, "n_params"))


async def reach_of(model: ChatModel) -> Reach:
    """Ask a model for its reach; an empty one if it has no such method."""
    ask: Callable[[], Awaitable[Reach]] | None = getattr(model, "reach", None)
    return await ask() if ask else Reach()


def _count(row: Any, key: str) -> int:
    value = row.get(key) if isinstance(row, dict) else None
    return value if isinstance(value, int) and value > 0 else 0
