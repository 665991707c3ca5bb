"""Syncs in the background: one at a time for each library, watched by any number of clients."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from manole.errors import IndexBusyError, ManoleError, PausedError, WouldDropError
from manole.index.sync.pace import Pace
from manole.index.sync.report import Progress, SyncReport
from manole.library import Library
from manole.serve.jobs import Job
from manole.serve.shapes import progress_json, report_json

PATIENCE = 5.0  # seconds, set by hand, that the first sync waits for the watch to be ready
_AFTER_TEXTS = frozenset({"recognize", "caption", "hear", "pages"})  # stages once every text is in


class SyncJob(Job):
    """One sync of a library; it begins when `after`, if given, has ended.

    It counts as running while it waits. `again` holds paths of files to read whether they changed
    or not, `only` the places to look at (`None`: everywhere); `force` and `yes` are as in
    `Library.sync`. All of them may change until the sync begins. `pace` slows it down.
    """

    def __init__(
        self,
        library: Library,
        only: frozenset[Path] | None,
        pace: Pace | None,
        after: Callable[[], Awaitable[object]] | None,
    ) -> None:
        self.library = library
        self.only = only
        self.pace = pace
        self.again: set[str] = set()
        self.force = self.yes = False
        self.progress: Progress | None = None
        self.report: SyncReport | None = None
        self.texts_read = False  # everything but pictures, which take long, can be searched
        self._loop = asyncio.get_running_loop()
        super().__init__(self._run(after))

    async def _run(self, after: Callable[[], Awaitable[object]] | None) -> None:
        from manole.care.languages import after_sync
        from manole.care.tidy import tidy

        if after is not None:
            await after()
        library, settings = self.library, self.library.settings
        self.report = report = await library.sync(
            self.force,
            self._note,
            again=frozenset(self.again),
            only=self.only,
            yes=self.yes,
            pace=self.pace,
        )
        if report.statuses:  # of the whole library
            advice = await after_sync(library.roots, await library.store(), report, settings)
            report.notice = " ".join(filter(None, (report.notice, advice))) or None
            await tidy(settings)

    def fault(self, error: BaseException) -> ManoleError:
        """Return what to say of a fault of ours."""
        return ManoleError(f"Indexing failed: {error or type(error).__name__}.")

    def _note(self, progress: Progress) -> None:
        self.progress = progress
        self.texts_read |= progress.stage in _AFTER_TEXTS
        self._loop.call_soon_threadsafe(self.wake)  # the scan calls this from its thread

    async def watch(self) -> AsyncIterator[dict[str, Any]]:
        """Yield what `describe` returns, at once and whenever it changes, until the end."""
        async for _ in self.changes():
            yield self.describe()

    async def wait(self) -> SyncReport:
        """Wait for the report. Raises what the sync raised; `CancelledError` if cancelled."""
        await self.ended()
        if self.error is not None:
            raise self.error
        if self.report is None:
            raise asyncio.CancelledError
        return self.report

    def describe(self) -> dict[str, Any]:
        """Return the state as JSON."""
        return {
            "library": self.library.name,
            "state": self.state,
            "progress": progress_json(self.progress) if self.progress else None,
            "report": report_json(self.report) if self.report else None,
            "error": str(self.error) if self.error else None,
            "would_drop": isinstance(self.error, WouldDropError),
        }


class SyncQueue:
    """The syncs of one library: the running one, and at most one that waits for its end.

    `pace` applies to syncs on request, `low` to those that changes of files begin. The first sync
    waits for `listening`, if set: from then on no change is missed.
    """

    def __init__(self, library: Library, pace: Pace | None = None, low: Pace | None = None) -> None:
        self.listening: asyncio.Event | None = None
        self._unwatched = False  # the running sync began before `listening`
        self._library = library
        self._pace = pace
        self._low = low
        self._last: SyncJob | None = None
        self._next: SyncJob | None = None

    @property
    def current(self) -> SyncJob | None:
        """The last sync that began, running or ended."""
        if self._next is not None and (self._last is None or self._last.state != "running"):
            self._last, self._next = self._next, None
        return self._last

    @property
    def running(self) -> SyncJob | None:
        """The running sync, if any."""
        job = self.current
        return job if job is not None and job.state == "running" else None

    def begin(self, *, force: bool = False, yes: bool = False) -> SyncJob:
        """Begin a sync of everything, or join the one that is running.

        A sync of a few places only is not joined: the new one waits for its end.
        """
        job = self.running
        if job is not None and job.only is None and (job.yes or not yes):
            return job
        after = partial(self._watch_ready, self.listening) if self.listening else None
        job = self._begun(None, self._pace, after)
        job.force, job.yes = job.force or force, job.yes or yes
        return job

    def reread(self, path: str) -> SyncJob:
        """Begin a sync that reads the file at `path` again, after the running one, if any."""
        job = self._begun(None, self._pace)
        job.again.add(path)
        return job

    async def changed(self, paths: frozenset[Path] | None) -> SyncReport | None:
        """Sync these places because files in them changed; return `None` if it was stopped.

        Raises what the sync raised. A sync that another process's writing or a pause prevents does
        not become the `current` one.
        """
        running, before = self.running, self._last
        if running is not None and paths is None and running.only is None and not self._unwatched:
            job = running
        else:
            job = self._begun(paths, self._low)
            self._unwatched = self._unwatched and running is None
        try:
            return await job.wait()
        except (IndexBusyError, PausedError):
            if self._last is job and job is not running:
                self._last = before
            raise
        except asyncio.CancelledError:
            if job.state != "cancelled":  # the caller was cancelled, not the sync
                await job.cancel()
                raise
            return None

    async def stop(self) -> None:
        """Stop the running sync, and the one that waits for it."""
        for job in (self._next, self.running):
            if job is not None and job.state == "running":
                await job.cancel()

    async def _watch_ready(self, listening: asyncio.Event) -> None:
        try:
            await asyncio.wait_for(listening.wait(), PATIENCE)
        except TimeoutError:  # a very large folder
            self._unwatched = True

    def _begun(
        self,
        only: frozenset[Path] | None,
        pace: Pace | None,
        after: Callable[[], Awaitable[object]] | None = None,
    ) -> SyncJob:
        """Begin a sync, or let one more wait for the end of the running one: add to its places."""
        running, job = self.running, self._next
        if running is None:
            job = self._last = SyncJob(self._library, only, pace, after)
        elif job is None:
            job = self._next = SyncJob(self._library, only, pace, running.ended)
        else:
            job.only = None if only is None or job.only is None else job.only | only
            job.pace = pace if pace is self._pace else job.pace
        return job
