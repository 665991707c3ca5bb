"""Fetches of models in the background, at most one for each model.

A fetch goes on when the client that asked for it leaves; it ends when it is done, fails or is
stopped, and with the service. It runs in a thread of its own, because the event loop has few
threads to lend and a fetch takes minutes. Fetches that questions and syncs begin by themselves are
noted here too, so that they can be shown.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from manole.errors import ManoleError
from manole.models.catalog.table import ModelSpec
from manole.models.weights.cache import Weights
from manole.models.weights.files import Progress
from manole.models.weights.sources import bytes_to_fetch

_LOG = logging.getLogger(__name__)
_AT_ONCE = 2  # fetches, set by hand; further ones wait, since all share one line
_FRESH = 10.0  # seconds, set by hand: progress of others that is older counts as ended


@dataclass(frozen=True, slots=True)
class Fetched:
    """The progress of a fetch, in bytes over all files of the model."""

    done_bytes: int
    total_bytes: int


class _Stopped(Exception):  # noqa: N818  (asked for, not a failure)
    pass


@dataclass(slots=True)
class _Meter:
    """The progress of a model's files added up; they are fetched one after the other."""

    spec: ModelSpec
    done: dict[str, int] = field(default_factory=dict)
    total: dict[str, int] = field(default_factory=dict)
    seen: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.total = {file.name: bytes_to_fetch(file) for file in self.spec.files}
        self.done = dict.fromkeys(self.total, 0)

    def note(self, progress: Progress) -> None:
        self.seen = time.monotonic()
        name = progress.file
        if name not in self.total:
            return
        if progress.stage == "download":
            self.total[name] = progress.total_bytes or self.total[name]
            self.done[name] = progress.done_bytes
        else:
            self.done[name] = self.total[name]
        for file in self.spec.files:  # the files before it are complete
            if file.name == name:
                break
            self.done[file.name] = self.total[file.name]

    @property
    def fetched(self) -> Fetched:
        return Fetched(sum(self.done.values()), sum(self.total.values()))


class _Fetch:
    """One fetch; `task` ends when it does."""

    def __init__(self, spec: ModelSpec) -> None:
        self.meter = _Meter(spec)
        self.error: ManoleError | None = None
        self.stop = threading.Event()
        self.future: Future[None]
        self.task: asyncio.Task[None]

    def note(self, progress: Progress) -> None:
        """Note progress, in the fetch's thread, several times a second; raise to end the fetch."""
        self.meter.note(progress)
        if self.stop.is_set():
            raise _Stopped


class Fetches:
    """The fetches of one server, to be used on its event loop (only `note` on any thread)."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._own: dict[str, _Fetch] = {}
        self._others: dict[str, _Meter] = {}
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="fetch")

    def start(self, name: str) -> None:
        """Begin to fetch a model, unless a fetch of it is under way.

        Raises `UsageError` for a name that the catalog does not have.
        """
        fetch = self._own.get(name)
        if fetch is None or fetch.task.done():
            fetch = self._own[name] = _Fetch(self.weights.spec(name))
            fetch.future = self._threads.submit(self._ensure, name, fetch)
            fetch.task = asyncio.create_task(self._run(name, fetch))

    async def stop(self, name: str) -> None:
        """Stop a fetch; what has arrived is kept, and the next fetch goes on from there."""
        fetch = self._own.get(name)
        if fetch is not None and not fetch.task.done():
            fetch.stop.set()
            fetch.future.cancel()  # where it waits for its turn
            await asyncio.wait([fetch.task])

    async def close(self) -> None:
        """End every fetch."""
        await asyncio.gather(*(self.stop(name) for name in self._own))
        await asyncio.to_thread(self._threads.shutdown)

    def note(self, progress: Progress) -> None:
        """Note the progress of a fetch that began elsewhere. May be called from any thread."""
        meter = self._others.get(progress.model)
        if meter is None:
            meter = self._others[progress.model] = _Meter(self.weights.spec(progress.model))
        meter.note(progress)

    def fetching(self, name: str) -> Fetched | None:
        """Return the progress of a model's fetch; `None` when none is under way."""
        fetch, meter = self._own.get(name), self._others.get(name)
        if fetch is not None and not fetch.task.done():
            return fetch.meter.fetched
        if meter is not None and time.monotonic() - meter.seen < _FRESH:
            return meter.fetched
        return None

    def error(self, name: str) -> str | None:
        """Return why the last fetch of a model failed, and what can be done."""
        fetch = self._own.get(name)
        return str(fetch.error) if fetch is not None and fetch.error else None

    async def _run(self, name: str, fetch: _Fetch) -> None:
        try:
            await asyncio.wrap_future(fetch.future)
        except (_Stopped, asyncio.CancelledError):
            return
        except ManoleError as error:
            fetch.error = error
        except Exception as error:  # a fault of ours, which the page shows like any other
            _LOG.exception("a fetch failed")
            fetch.error = ManoleError(f"{name} could not be fetched: {type(error).__name__}.")

    def _ensure(self, name: str, fetch: _Fetch) -> None:
        self.weights.ensure(name, fetch.note)
