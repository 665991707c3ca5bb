"""Bounded concurrency over an iterable."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def as_ready(
    items: Iterable[T], do: Callable[[T], Coroutine[Any, Any, R]], at_once: int
) -> AsyncGenerator[R]:
    """Yield the result of `do` for each item as it is ready, `at_once` of them under way.

    Items are taken one by one as there is room. The first error ends it. Close the iterator
    (`contextlib.aclosing`) to cancel what is under way.
    """
    waiting = iter(items)
    running: set[asyncio.Task[R]] = set()
    missing = object()
    try:
        while True:
            while len(running) < at_once and (item := next(waiting, missing)) is not missing:
                running.add(asyncio.create_task(do(item)))  # type: ignore[arg-type]  # no sentinel
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in running:
            task.cancel()


def emptied(items: list[T]) -> Iterator[T]:
    """Yield the items in order and remove each from the list: a million take much room."""
    items.reverse()
    while items:
        yield items.pop()
