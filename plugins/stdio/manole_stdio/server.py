"""The server behind `manole stdio`: it reads lines, runs requests at once, answers each once.

It ends on `shutdown`, on a signal, or when nobody reads its answers any more. Running requests are
cancelled then, and answered so. When only its input ends, it finishes them first, because a program
that pipes requests in waits for their answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import time
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

from manole import __version__
from manole.errors import ManoleError
from manole.joined import ALL
from manole.models.weights.files import Progress
from manole.serve.open_library import OpenLibrary
from manole.serve.service import Service
from manole.serve.turns import STOPPED
from manole_stdio import params as given
from manole_stdio.descriptors import Descriptors
from manole_stdio.lines import LineReader, LineWriter
from manole_stdio.methods import Data, Methods, checked
from manole_stdio.protocol import (
    MAX_LINE,
    VERSION,
    Request,
    RequestError,
    answer,
    event,
    failure,
    parse,
    shortened,
)
from manole_stdio.shapes import weights_json
from manole_stdio.syncs import PAUSE, Emit, Syncs

# Set by hand:
MAX_RUNNING = 256  # requests at once; of questions, the queue bounds the number
LOOK = 0.25  # seconds between checks for a reader after the end of the input
PATIENCE = 5.0  # seconds that the end waits for cancelled requests, and for the other side to read

_LOG = logging.getLogger(__name__)


async def serve(
    service: Service,
    folders: Sequence[Path] | None,
    descriptors: Descriptors,
    *,
    sync: bool,
) -> None:
    """Serve the library of these folders, or all libraries, until the other side ends it.

    Raises `UsageError` for a folder that is missing or cannot be read.
    """
    writer = LineWriter(descriptors.answers)
    weights = WeightsEvents(writer)
    if service.loader is not None:
        service.loader.progress = weights
    opened = (
        await service.opened(ALL)
        if folders is None
        else await service.open(folders, on_weights=weights)
    )
    reader = LineReader(descriptors.requests, MAX_LINE)
    server = Server(service, opened, reader, writer)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, server.end)
    try:
        await server.run(sync=sync and folders is not None)
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


class WeightsEvents:
    """The events of fetching models, which happens only at the first use on a machine."""

    def __init__(self, writer: LineWriter) -> None:
        self._writer = writer
        self._loop = asyncio.get_running_loop()
        self._last = 0.0
        self._tasks: set[asyncio.Task[None]] = set()

    def __call__(self, progress: Progress) -> None:
        """Write an event of a fetch, unless one was just written; may be called from any thread."""
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


class Server:
    """The server of one library over a pair of streams. `await Server(...).run()`."""

    def __init__(
        self, service: Service, opened: OpenLibrary, reader: LineReader, writer: LineWriter
    ) -> None:
        self._opened = opened
        self._reader = reader
        self._writer = writer
        self._syncs = Syncs(opened)
        self._methods = Methods(service, opened, self._syncs).table
        self._running: dict[int, asyncio.Task[Data]] = {}
        self._tasks: set[asyncio.Task[None]] = set()  # each writes, and is waited for at the end
        self._background: list[asyncio.Task[None]] = []
        self._ending = asyncio.Event()
        self._asked_to_end: int | None = None

    def end(self) -> None:
        """Let `run` end."""
        self._ending.set()

    async def run(self, *, sync: bool = True) -> None:
        """Serve until the end; with `sync`, bring the index up to date in the background."""
        folders = [str(root) for root in self._opened.library.roots]
        about = {"version": __version__, "library": self._opened.name, "folders": folders}
        await self._writer.write(event("ready", about | {"protocol": VERSION}))
        if sync:
            self._background.append(self._spawn(self._syncs.background(self._emit(None))))
        reading = asyncio.create_task(self._read())
        ends = [
            asyncio.create_task(self._ending.wait()),
            asyncio.create_task(self._writer.gone.wait()),
        ]
        await asyncio.wait([reading, *ends], return_when=asyncio.FIRST_COMPLETED)
        while self._running and not any(end.done() for end in ends) and not self._writer.lost():
            work = [*self._running.values(), *ends]
            await asyncio.wait(work, timeout=LOOK, return_when=asyncio.FIRST_COMPLETED)
        self._ending.set()
        await self._stop()
        for task in (reading, *ends):
            task.cancel()
        if self._asked_to_end is not None:
            await self._writer.write(answer(self._asked_to_end, {"stopped": True}))
        await self._writer.close(PATIENCE)

    async def _read(self) -> None:
        async for line in self._reader:
            await self._take(line)

    async def _take(self, line: bytes | None) -> None:
        """Begin what a line asks for, or answer why not."""
        try:
            request = parse(line)
            if self._ending.is_set():
                raise RequestError(
                    "cancelled",
                    f"{shortened(request.method)} comes too late: the server is ending.",
                    id=request.id,
                )
            if request.id in self._running:
                await self._refuse_id(request.id)
            elif request.method == "cancel":
                await self._cancel(request)
            elif request.method == "shutdown":
                checked(request, given.Params)
                self._asked_to_end = request.id
                self._ending.set()
            else:
                self._begin(request)
        except RequestError as error:
            await self._writer.write(failure(error.id, error))

    async def _refuse_id(self, id: int) -> None:
        """Refuse a used id without it: the refusal would look like the first request's answer."""
        error = RequestError(
            "bad_request",
            f"The id {id} belongs to a request that is still running.",
            "Give each request an id of its own.",
        )
        await self._writer.write(failure(None, error, request=id))

    def _begin(self, request: Request) -> None:
        method = self._methods.get(request.method)
        if method is None:
            known = ", ".join([*self._methods, "cancel", "shutdown"])
            raise RequestError(
                "unknown_method",
                f"There is no method {shortened(request.method)!r}.",
                f"There are: {known}.",
                id=request.id,
            )
        params = checked(request, method.params)
        if len(self._running) >= MAX_RUNNING:
            raise RequestError(
                "busy",
                f"{MAX_RUNNING} requests are running; no more are taken now.",
                "Wait for some of the answers.",
                id=request.id,
            )
        work = asyncio.create_task(method.run(params, self._emit(request.id)))
        self._running[request.id] = work
        self._spawn(self._settle(request, work))

    async def _cancel(self, request: Request) -> None:
        params = checked(request, given.Cancel)
        assert isinstance(params, given.Cancel)
        task = self._running.get(params.id)
        if task is not None:
            task.cancel(STOPPED)
        await self._writer.write(answer(request.id, {"cancelled": task is not None}))

    async def _settle(self, request: Request, work: asyncio.Task[Data]) -> None:
        """Answer a request when its work has ended, whatever its end was."""
        await asyncio.wait({work})
        del self._running[request.id]
        await self._writer.write(_answered(request, work))

    def _emit(self, request: int | None) -> Emit:
        """Return a function that sends events of this request, or of none."""

        async def emit(type: str, data: Data) -> None:
            await self._writer.write(event(type, data | {"request": request}))

        return emit

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _stop(self) -> None:
        """Cancel everything that runs, and wait a while for its answers to be written."""
        for work in (*self._running.values(), *self._background):
            work.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=PATIENCE)


def _answered(request: Request, work: asyncio.Task[Data]) -> bytes:
    """Return the line that answers a request whose work has ended."""
    try:
        return answer(request.id, work.result())
    except asyncio.CancelledError:
        error: ManoleError = RequestError("cancelled", f"{request.method} was cancelled.")
    except ManoleError as known:
        error = known
    except Exception:  # a fault of ours; the server goes on
        _LOG.exception("%s failed", request.method)
        error = RequestError(
            "internal",
            f"{request.method} failed inside Manole.",
            "What happened stands in its standard error.",
        )
    return failure(request.id, error)
