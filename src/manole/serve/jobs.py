"""Syncs in the background: one at a time for each library, watched by any number of clients."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Literal

from manole.errors import IndexBusyError, ManoleError, PausedError, WouldDropError
from manole.index.sync.pace import Pace
from manole.index.sync.report import Progress, SyncReport
from manole.library import Library
from manole.serve.shapes import progress_json, report_json

_LOG = logging.getLogger(__name__)
PATIENCE = 5.0  # seconds, set by hand, that the first sync waits for the watch to be ready
_AFTER_TEXTS = frozenset({"recognize", "caption", "hear", "pages"})  # stages once every text is in


class SyncJob:
    """One sync of a library; it begins when `after`, if given, has ended.

    `state` is running (also while it waits), done, failed or cancelled. `again` holds paths of
    files to read whether they changed or not, `only` the places to look at (`None`: everywhere);
    both may grow until the sync begins. `pace` slows it down.
    """

    def __init__(
        self,
        library: Library,
        *,
        force: bool = False,
        again: Iterable[str] = (),
        only: Iterable[Path] | None = None,
        yes: bool = False,
        pace: Pace | None = None,
        after: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        self.library = library
        self.force = force
        self.again = set(again)
        self.only = None if only is None else set(only)
        self.yes = yes
        self.pace = pace
        self.state: Literal["running", "done", "failed", "cancelled"] = "running"
        self.progress: Progress | None = None
        self.report: SyncReport | None = None
        self.error: ManoleError | None = None
        self.texts_read = False  # everything but pictures, which take long, can be searched
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._run(after))
        self._task.add_done_callback(self._ended)

    async def _run(self, after: Callable[[], Awaitable[object]] | None) -> None:
        from manole.care.tidy import tidy

        try:
            if after is not None:
                await after()
            self.report = await self.library.sync(
                self.force,
                self._note,
                again=frozenset(self.again),
                only=None if self.only is None else frozenset(self.only),
                yes=self.yes,
                pace=self.pace,
            )
            if self.report.statuses:  # of the whole library
                await self._advise(self.report)
                await tidy(self.library.settings)
            self.state = "done"
        except ManoleError as error:
            self.error, self.state = error, "failed"
        except asyncio.CancelledError:
            self.state = "cancelled"
        except Exception as error:  # a fault of ours, reported so that nobody is left waiting
            _LOG.exception("a sync failed")
            self.error = ManoleError(f"Indexing failed: {error or type(error).__name__}.")
            self.state = "failed"
        finally:
            self._wake()

    async def _advise(self, report: SyncReport) -> None:
        """Add to the report, once, what the library's languages ask for."""
        from manole.care.languages import after_sync

        store, settings = await self.library.store(), self.library.settings
        advice = await after_sync(self.library.roots, store, report, settings)
        report.notice = " ".join(filter(None, (report.notice, advice))) or None

    def _ended(self, _: asyncio.Task[None]) -> None:
        if self.state == "running":  # it was stopped before it could begin
            self.state = "cancelled"
            self._wake()

    def _note(self, progress: Progress) -> None:
        self.progress = progress
        self.texts_read |= progress.stage in _AFTER_TEXTS
        self._loop.call_soon_threadsafe(self._wake)  # the scan calls this from its thread

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def watch(self) -> AsyncIterator[dict[str, Any]]:
        """Yield what `describe` returns, at once and whenever it changes, until the end."""
        while True:
            changed, state = self._changed, self.describe()
            yield state
            if state["state"] != "running":  # it may have ended since
                return
            await changed.wait()

    async def wait(self) -> SyncReport:
        """Wait for the report. Raises what the sync raised; `CancelledError` if cancelled."""
        await asyncio.shield(self._task)
        if self.error is not None:
            raise self.error
        if self.report is None:
            raise asyncio.CancelledError
        return self.report

    async def ended(self) -> None:
        """Wait until the sync has ended, in whatever way."""
        await asyncio.wait([self._task])

    async def cancel(self) -> None:
        """Stop the sync; what was read is kept."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

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
        self._deaf = False  # the running sync began before `listening`
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
        if job is None:
            after = partial(self._watch_ready, self.listening) if self.listening else None
            job = self._last = SyncJob(
                self._library, force=force, yes=yes, pace=self._pace, after=after
            )
        elif job.only is not None or (yes and not job.yes):
            job = self._waiting(job)
            job.only, job.pace = None, self._pace
            job.force, job.yes = job.force or force, job.yes or yes
        return job

    def reread(self, path: str) -> SyncJob:
        """Begin a sync that reads the file at `path` again, after the running one, if any."""
        running = self.running
        if running is None:
            self._last = SyncJob(self._library, again=[path], pace=self._pace)
            return self._last
        job = self._waiting(running)
        job.only = None
        job.again.add(path)
        return job

    async def changed(self, paths: frozenset[Path] | None) -> SyncReport | None:
        """Sync these places because files in them changed; return `None` if it was stopped.

        Raises what the sync raised. A sync that another process's writing or a pause prevents does
        not become the `current` one.
        """
        running, before = self.running, self._last
        if running is None:
            job = self._last = SyncJob(self._library, only=paths, pace=self._low)
        elif paths is None and running.only is None and not self._deaf:
            job = running
        else:
            job, self._deaf = self._waiting(running, only=paths), False
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
            self._deaf = True

    def _waiting(self, running: SyncJob, *, only: frozenset[Path] | None = frozenset()) -> SyncJob:
        """Return the sync after the running one, these places added to its own."""
        job = self._next
        if job is None:
            job = self._next = SyncJob(self._library, only=(), pace=self._low, after=running.ended)
        if only is None:
            job.only = None
        elif job.only is not None:
            job.only |= only
        return job
