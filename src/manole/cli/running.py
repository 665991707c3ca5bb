"""Running what a command does: an event loop is imported only where one is needed."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(task: Coroutine[Any, Any, T]) -> T:
    """What `task` returns, after it has run to its end."""
    import asyncio

    return asyncio.run(task)
