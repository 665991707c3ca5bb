"""A sync in the background: one at a time, watched by any number of clients."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from typing import Any, Literal

from manole.errors import ManoleError
from manole.index.report import Progress, SyncReport
from manole.library import Library
from manole.serve.shapes import progress_json, report_json

_LOG = logging.getLogger(__name__)
_AFTER_TEXTS = frozenset({"recognize", "caption", "pages"})  # stages once every text is in


class SyncJob:
    """One sync of a library. `state` is running, done, failed or cancelled."""

    def __init__(self, library: Library, *, force: bool = False) -> None:
        self.library = library
        self.state: Literal["running", "done", "failed", "cancelled"] = "running"
        self.progress: Progress | None = None
        self.report: SyncReport | None = None
        self.error: ManoleError | None = None
        self.texts_read = False  # all can be searched but pictures, which take long
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._run(force))

    async def _run(self, force: bool) -> None:
        try:
            self.report = await self.library.sync(force, self._note)
            self.state = "done"
        except ManoleError as error:
            self.error, self.state = error, "failed"
        except asyncio.CancelledError:
            self.state = "cancelled"
        except Exception as error:  # ours; those who watch are not left waiting
            _LOG.exception("a sync failed")
            self.error = ManoleError(f"Indexing failed: {error or type(error).__name__}.")
            self.state = "failed"
        finally:
            self._wake()

    def _note(self, progress: Progress) -> None:
        self.progress = progress
        self.texts_read |= progress.stage in _AFTER_TEXTS
        self._loop.call_soon_threadsafe(self._wake)  # the scan tells of itself from its thread

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def watch(self) -> AsyncIterator[dict[str, Any]]:
        """What `describe` says, at once and whenever it changes, until the end."""
        while True:
            changed, told = self._changed, self.describe()
            yield told
            if told["state"] != "running":  # it may have ended since
                return
            await changed.wait()

    async def wait(self) -> SyncReport:
        """The report. Raises what the sync raised; a cancelled one raises `CancelledError`."""
        await asyncio.shield(self._task)
        if self.error is not None:
            raise self.error
        if self.report is None:
            raise asyncio.CancelledError
        return self.report

    async def cancel(self) -> None:
        """Stop; what was read is kept."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        if self.state == "running":  # it had not even begun
            self.state = "cancelled"
            self._wake()

    def describe(self) -> dict[str, Any]:
        """The state as JSON."""
        return {
            "library": self.library.name,
            "state": self.state,
            "progress": progress_json(self.progress) if self.progress else None,
            "report": report_json(self.report) if self.report else None,
            "error": str(self.error) if self.error else None,
        }
