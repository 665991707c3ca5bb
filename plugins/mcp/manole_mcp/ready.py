"""The wait until a library can be asked: none if it has an index, else its first sync.

Programs give a server little time to begin, so the server answers them at once in either case, and
the first call waits for the first sync. A folder that has an index is brought up to date meanwhile.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from manole.errors import ManoleError
from manole.index.store.libraries import read_meta
from manole.index.sync.report import Progress
from manole.serve.open_library import OpenLibrary
from manole.serve.syncs import SyncJob

_EVERY = 2.0  # seconds between two lines about a sync; set by hand
_DOING = {
    "scan": "looking for files",
    "read": "reading files",
    "recognize": "reading pictures",
    "caption": "looking at photos",
    "hear": "listening",
    "pages": "embedding lines",
    "embed": "embedding passages",
    "finish": "tidying up",
}


class Ready:
    """The first sync of an open library, and the wait for it."""

    def __init__(
        self,
        opened: OpenLibrary,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        on_problem: Callable[[ManoleError], None] | None = None,
    ) -> None:
        """Prepare; `on_problem` is called with the error of a sync in the background."""
        self._opened = opened
        self._on_progress = on_progress
        self._on_problem = on_problem
        # `updated` is written at the end of a sync.
        self._first = "updated" not in read_meta(opened.library.path)
        self._watcher: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin a sync, or join the one that is running."""
        job = self._opened.sync()
        if self._watcher is None or self._watcher.done():
            self._watcher = asyncio.create_task(self._watch(job))

    async def wait(self, report: Callable[[str], Awaitable[None]]) -> None:
        """Wait until the library can be asked. Raises what the first sync raised."""
        if not self._first:
            return
        self.start()
        job = self._opened.sync()
        reported = 0.0
        async for _ in job.watch():
            if job.texts_read:  # only pictures are left, and nobody waits for them
                return
            if time.monotonic() - reported >= _EVERY:
                reported = time.monotonic()
                await report(words(job.progress))
        await job.wait()
        self._first = False

    async def close(self) -> None:
        """Stop watching. The sync itself belongs to the open library."""
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.wait([self._watcher])

    async def _watch(self, job: SyncJob) -> None:
        async for _ in job.watch():
            if self._on_progress and job.progress:
                self._on_progress(job.progress)
        if job.state == "done":
            self._first = False
        elif job.error and self._on_problem:
            self._on_problem(job.error)


def words(progress: Progress | None) -> str:
    """Return the progress of a sync as a line."""
    if progress is None:
        return "The files are being indexed for the first time."
    count = f", {progress.done} of {progress.total}" if progress.total else ""
    return f"The files are being indexed for the first time: {_DOING[progress.stage]}{count}."
