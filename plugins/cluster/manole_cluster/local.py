"""Files read by this machine alone: what a cluster does, without one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing

from manole.index.sync.apply import as_ready
from manole.settings import Settings
from manole_cluster.reader import Done, Work
from manole_cluster.work import Orders, make_reader


class Here:
    """Reads `settings.extract.workers` files at once, and fetches as many more meanwhile."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def read(self, works: Iterable[Work]) -> AsyncIterator[Done]:
        """Yield what each file gave, as it is ready."""
        reader = await make_reader(Orders.of(self._settings), self._settings)
        try:
            at_once = 2 * self._settings.extract.workers
            async with aclosing(as_ready(works, reader.read, at_once)) as reads:
                async for done in reads:
                    yield done
        finally:
            await asyncio.to_thread(reader.close)
