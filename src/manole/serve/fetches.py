"""Fetches of models in the background, at most one for each model.

A fetch goes on when the client that asked for it leaves; it ends when it is done, fails or is
stopped, and with the service. It runs in a thread of its own, because the event loop has few
threads to lend and a fetch takes minutes. Fetches that questions and syncs begin by themselves are
noted here too, so that they can be shown.
"""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from itertools import takewhile

from manole.errors import ManoleError
from manole.models.catalog.table import ModelSpec
from manole.models.weights.cache import Weights
from manole.models.weights.files import Progress
from manole.models.weights.sources import bytes_to_fetch
from manole.serve.base import Sent
from manole.serve.jobs import Job

_AT_ONCE = 2  # fetches, set by hand; further ones wait, since all share one line
_FRESH = 10.0  # seconds, set by hand: progress of others that is older counts as ended


class FetchState(Sent):
    """The progress of fetching a model."""

    done_bytes: int
    total_bytes: int


class _Meter:
    """The progress of a model's files added up; they are fetched one after the other."""

    def __init__(self, spec: ModelSpec) -> None:
        self.seen = time.monotonic()
        self._total = {file.name: bytes_to_fetch(file) for file in spec.files}
        self._done = 0

    def note(self, progress: Progress) -> None:
        self.seen = time.monotonic()
        name = progress.file
        if name not in self._total:
            return
        if progress.stage == "download":
            self._total[name] = progress.total_bytes or self._total[name]
        before = takewhile(lambda other: other != name, self._total)
        here = progress.done_bytes if progress.stage == "download" else self._total[name]
        self._done = sum(self._total[other] for other in before) + here

    @property
    def fetched(self) -> FetchState:
        return FetchState(done_bytes=self._done, total_bytes=sum(self._total.values()))


class _Fetch(Job):
    """The fetch of a model, one of `all`, in a thread of theirs."""

    def __init__(self, name: str, all: Fetches) -> None:
        self._name = name
        self._all = all
        self._stop = threading.Event()
        self._future = all.threads.submit(all.weights.ensure, name, self._noted)
        super().__init__(self._run())

    async def cancel(self, why: str | None = None) -> None:
        """Stop it: at once where it waits for a thread, else where it next tells its progress."""
        self._stop.set()
        self._future.cancel()
        await self.ended()

    def fault(self, error: BaseException) -> ManoleError:
        """Return what to say of a fault of ours."""
        return ManoleError(f"{self._name} could not be fetched: {type(error).__name__}.")

    def closed(self) -> None:
        """Let what others fetch be shown again."""
        self._all.meters.pop(self._name, None)

    async def _run(self) -> None:
        await asyncio.wrap_future(self._future)

    def _noted(self, progress: Progress) -> None:
        self._all.note(progress)
        if self._stop.is_set():
            raise CancelledError


class Fetches:
    """The fetches of one server, to be used on its event loop (only `note` on any thread)."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._own: dict[str, _Fetch] = {}
        self.meters: dict[str, _Meter] = {}  # of fetches that began elsewhere, too
        self.threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="fetch")

    def start(self, name: str) -> None:
        """Begin to fetch a model, unless a fetch of it is under way.

        Raises `UsageError` for a name that the catalog does not have.
        """
        fetch = self._own.get(name)
        if fetch is None or fetch.state != "running":
            self.meters[name] = _Meter(self.weights.spec(name))
            self._own[name] = _Fetch(name, self)

    async def stop(self, name: str) -> None:
        """Stop a fetch; what has arrived is kept, and the next fetch goes on from there."""
        fetch = self._own.get(name)
        if fetch is not None and fetch.state == "running":
            await fetch.cancel()

    async def close(self) -> None:
        """End every fetch."""
        await asyncio.gather(*(self.stop(name) for name in self._own))
        await asyncio.to_thread(self.threads.shutdown)

    def note(self, progress: Progress) -> None:
        """Note the progress of a fetch, wherever it began. May be called from any thread."""
        meter = self.meters.get(progress.model)
        if meter is None:
            meter = self.meters[progress.model] = _Meter(self.weights.spec(progress.model))
        meter.note(progress)

    def fetching(self, name: str) -> FetchState | None:
        """Return the progress of a model's fetch; `None` when none is under way."""
        fetch, meter = self._own.get(name), self.meters.get(name)
        running = fetch is not None and fetch.state == "running"
        if meter is not None and (running or time.monotonic() - meter.seen < _FRESH):
            return meter.fetched
        return None

    def error(self, name: str) -> str | None:
        """Return why the last fetch of a model failed, and what can be done."""
        fetch = self._own.get(name)
        return str(fetch.error) if fetch is not None and fetch.error else None
