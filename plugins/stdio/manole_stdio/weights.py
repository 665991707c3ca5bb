"""Telling of models that are being fetched, which only happens on the first use of a machine."""

from __future__ import annotations

import asyncio
import contextlib
import time

from manole.models.weights.files import Progress
from manole_stdio.lines import LineWriter
from manole_stdio.protocol import event
from manole_stdio.shapes import weights_json
from manole_stdio.syncs import PAUSE


class WeightsEvents:
    """Called with the progress of a fetch, from any thread; writes an event now and then."""

    def __init__(self, writer: LineWriter) -> None:
        self._writer = writer
        self._loop = asyncio.get_running_loop()
        self._last = 0.0
        self._tasks: set[asyncio.Task[None]] = set()

    def __call__(self, progress: Progress) -> None:
        """Tell of it, unless that was done a moment ago."""
        now = time.monotonic()
        if now - self._last < PAUSE and progress.done_bytes != progress.total_bytes:
            return
        self._last = now
        line = event("progress", weights_json(progress) | {"request": None})
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._write, line)

    def _write(self, line: bytes) -> None:
        task = self._loop.create_task(self._writer.write(line))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
