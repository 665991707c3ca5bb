"""Files read by this machine alone: what a cluster does, without one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

from manole.cluster.reader import Done, Work
from manole.cluster.work import Orders, make_reader
from manole.settings import Settings


class Here:
    """Reads `settings.extract.workers` files at once, and fetches as many more meanwhile."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def read(self, works: Iterable[Work]) -> AsyncIterator[Done]:
        """What each file gave, as it is ready."""
        reader = await make_reader(Orders.of(self._settings), self._settings)
        waiting = iter(works)
        running: set[asyncio.Task[Done]] = set()
        try:
            while True:
                while len(running) < 2 * self._settings.extract.workers:
                    if (work := next(waiting, None)) is None:
                        break
                    running.add(asyncio.create_task(reader.read(work)))
                if not running:
                    return
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
        finally:
            for task in running:
                task.cancel()
            await asyncio.to_thread(reader.close)
