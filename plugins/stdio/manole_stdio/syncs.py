"""Syncs as the protocol shows them: one at the start in the background, others on request.

There is one sync at a time. A request joins the running sync, unless it asks for `force`, which
begins a new one. When the last request that waits for a sync is cancelled, the sync is stopped,
whoever began it; what was read is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from manole.index.store.libraries import read_meta
from manole.serve.open_library import OpenLibrary
from manole.serve.shapes import report_json
from manole.serve.syncs import SyncJob
from manole_stdio.protocol import RequestError
from manole_stdio.shapes import job_json

Emit = Callable[[str, dict[str, Any]], Awaitable[None]]
PAUSE = 0.1  # seconds between two events of progress; set by hand


class Syncs:
    """The syncs of one library."""

    def __init__(self, opened: OpenLibrary) -> None:
        self._opened = opened
        self._forced = False
        self._waiting = 0  # index requests

    async def background(self, emit: Emit) -> None:
        """Run one sync and send events of its progress and its end."""
        await self._follow(self._opened.sync(), emit)

    async def index(self, force: bool, yes: bool, emit: Emit) -> dict[str, Any]:
        """Carry out a request for a sync; return its report. Raises what the sync raised."""
        job = await self._begun(force, yes)
        self._waiting += 1
        try:
            await self._follow(job, emit)
        except asyncio.CancelledError:
            if self._waiting == 1:
                await job.cancel()
            raise
        finally:
            self._waiting -= 1
        if job.error is not None:
            raise job.error
        if job.report is None:
            raise RequestError("cancelled", "The sync was stopped.", "What was read is kept.")
        statuses = job.report.statuses
        counts = {"files": sum(statuses.values()), "statuses": statuses}
        return {"library": self._opened.name, **counts, **report_json(job.report)}

    async def first(self, emit: Emit) -> None:
        """Wait for the first sync of a library, if it runs, until every text is read.

        Raises what the sync raised, if it left no index at all.
        """
        job = self._opened.syncing
        if job is None or job.state != "running" or await self._complete():
            return
        await emit("status", {"message": "The folder is being indexed first.", "debug": False})
        async for _ in job.watch():
            if job.texts_read:
                return
        if job.error is not None and not self._opened.library.indexed:
            raise job.error

    async def _begun(self, force: bool, yes: bool) -> SyncJob:
        job = self._opened.syncing
        running = job is not None and job.state == "running"
        if job is not None and running and force and not self._forced:
            await job.cancel()
            running = False
        if not running:
            self._forced = force
        return self._opened.sync(force=force, yes=yes)

    async def _follow(self, job: SyncJob, emit: Emit) -> None:
        async for _ in job.watch():
            if job.progress is not None or job.state != "running":
                await emit("progress", job_json(job))
            if job.state == "running":
                await asyncio.sleep(PAUSE)

    async def _complete(self) -> bool:
        """Whether any sync of this library has ever reached its end."""
        meta = await asyncio.to_thread(read_meta, self._opened.library.path)
        return "updated" in meta
