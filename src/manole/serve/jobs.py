"""Work that goes on when whoever asked for it leaves: a turn, a sync, the fetch of a model."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from typing import Any, Literal

from manole.errors import ManoleError

State = Literal["running", "done", "failed", "cancelled", "stopped"]
_LOG = logging.getLogger(__name__)


class Job:
    """A task that anybody may follow and cancel. `error` says why it failed.

    Whoever changes what can be seen of it calls `wake`.
    """

    def __init__(self, work: Coroutine[Any, Any, object]) -> None:
        self.state: State = "running"
        self.error: ManoleError | None = None
        self._changed = asyncio.Event()
        self._task = asyncio.create_task(work)
        self._task.add_done_callback(self._ended)

    def wake(self) -> None:
        """Let those who follow look again."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def changes(self) -> AsyncIterator[None]:
        """Yield at once and whenever something changed; the last time when it has ended."""
        while True:
            changed, last = self._changed, self.state != "running"
            yield
            if last:
                return
            await changed.wait()

    async def ended(self) -> None:
        """Wait for the end, whatever it is."""
        await asyncio.wait([self._task])

    async def cancel(self, why: str | None = None) -> None:
        """End the work where it is, and wait until it has cleaned up."""
        self._task.cancel(why)
        await self.ended()

    def fault(self, error: BaseException) -> ManoleError:
        """Return what to say of a fault of ours, so that nobody is left waiting."""
        return ManoleError("Something went wrong inside Manole.", "See its log.")

    def _ended(self, task: asyncio.Task[object]) -> None:
        if task.cancelled():
            self.state = "cancelled"
        elif error := task.exception():
            self.state = "failed"
            if not isinstance(error, ManoleError):
                _LOG.error("%s failed", type(self).__name__, exc_info=error)
                error = self.fault(error)
            self.error = error
        else:
            self.state = "done"
        self.closed()
        self.wake()

    def closed(self) -> None:
        """Note the end before those who follow see it; here: nothing."""
