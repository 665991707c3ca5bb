"""Keeping an index up to date beside a talk at the terminal.

The talk's event loop stands still while it waits for a question, so files are followed in a thread
with a loop, a library and a store of its own, as another process would do it.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from manole.care.tidy import tidy
from manole.errors import ManoleError
from manole.index.sync.pace import background
from manole.index.sync.report import SyncReport
from manole.library import Library
from manole.settings import Settings

PATIENCE = 10.0  # seconds that the end waits for the thread


@contextlib.contextmanager
def following(
    roots: Sequence[Path],
    settings: Settings,
    *,
    busy: Callable[[], bool],
    say: Callable[[str], None],
) -> Iterator[None]:
    """Follow the files below `roots` meanwhile; `busy` says whether a question is answered.

    `say` is called from another thread.
    """
    loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[None]]] = []
    begun = threading.Event()

    async def follow() -> None:
        loops.append((asyncio.get_running_loop(), asyncio.current_task()))  # type: ignore[arg-type]
        begun.set()
        pace = background(settings, busy)
        async with await Library.open(list(roots), settings) as library:

            async def sync(paths: frozenset[Path] | None) -> SyncReport:
                report = await library.sync(only=paths, pace=pace)
                if report.statuses:  # of the whole library
                    await tidy(settings)
                return report

            await library.watch(sync, say, pace).run(first=False)

    def work() -> None:
        try:
            with contextlib.suppress(asyncio.CancelledError):
                asyncio.run(follow())
        except ManoleError as error:
            say(str(error))
        finally:
            begun.set()

    thread = threading.Thread(target=work, name="following", daemon=True)
    thread.start()
    begun.wait()
    try:
        yield
    finally:
        for loop, task in loops:
            with contextlib.suppress(RuntimeError):  # it has ended by itself
                loop.call_soon_threadsafe(task.cancel)
        thread.join(PATIENCE)
