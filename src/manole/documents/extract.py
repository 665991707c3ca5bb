"""A pool of processes that read files and can be killed.

A parser of untrusted bytes can hang, eat all memory or crash. So files are read in worker
processes (`worker.py`), each of which reads many files. One thread per worker sends it a file and
watches it. A worker that exceeds its time or memory limit is killed, and the file fails with the
reason; so does a file whose worker crashes. The next file gets a fresh worker. A worker that has
grown, or has read many files, is replaced between two files.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any, TypeVar

import psutil

from manole import private
from manole.documents.limits import USUAL, Limits
from manole.documents.model import PASSING, Box, Document, limited
from manole.documents.opened import FoundFile
from manole.documents.slices import Span, read_in_slices
from manole.documents.worker import HEADER, decode, write_frame
from manole.errors import ExtractionError, NotNowError

T = TypeVar("T")

_POLL_MS = 50  # between two looks at time and memory
_START_S = 60.0  # for Python's imports, on a slow and busy disk
_FILES_PER_WORKER = 2000  # so that a parser's slow leaks end
_RETIRE_SHARE = 0.5  # of the memory limit; a worker this large is replaced
_MAX_ANSWER = 2 * 1024**3  # bytes; only a parser gone wrong sends more
_PATIENCE = 5  # times its limit that a worker may wait for other programs, the disk or the net
_STOPPED = "reading was stopped"
_NO_ANSWER = "no sensible answer"
_NO_SENSE = f"its parser gave {_NO_ANSWER}"


class Extractor:
    """A pool of `workers` killable processes that read files.

    Workers start with the first file. Use it as a context manager, or call `close`.
    """

    def __init__(self, limits: Limits = USUAL, workers: int = 1) -> None:
        self._limits = limits
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="extract")
        self._local = threading.local()
        self._lock = threading.Lock()
        self._workers: set[_Worker] = set()
        self._closed = False

    async def extract(self, found: FoundFile, max_pages: int | None = None) -> Document:
        """Return the document in the file; one that cannot be read has failed, with a reason.

        At most `max_pages` pages of a PDF are read. Several calls may run at once; `workers` of
        them are read at the same time.
        """
        return await self._in_thread(self._extract, found, max_pages)

    async def picture(self, found: FoundFile, page: int, width: int) -> bytes:
        """Return page `page` (from 1) of a PDF as PNG, at most `width` pixels wide.

        Raises `ExtractionError` with the reason; the limits are those of reading.
        """
        what = f"Page {page} of {_name(found)}"
        return await self._in_thread(self._bytes, found, {"page": page, "width": width}, what)

    async def shrunk(self, found: FoundFile, page: int | None, side: int) -> bytes:
        """Return a picture, or page `page` of a PDF, as JPEG with sides of at most `side` pixels.

        Raises `ExtractionError` with the reason; the limits are those of reading.
        """
        request = {"page": page, "side": side}
        return await self._in_thread(self._bytes, found, request, _name(found))

    async def words(self, found: FoundFile, page: int) -> dict[str, Any]:
        """Return the words on page `page` (from 1) of a PDF, as `pdf.read_words` gives them.

        `{"reason"}` if they cannot be read. Raises `NotNowError` if that may pass.
        """
        return await self._in_thread(self._answer, found, {"words": page})

    async def outline(self, found: FoundFile) -> list[tuple[int, str, int]]:
        """Return the headings of a PDF, as `read_outline` gives them; none if it cannot be read."""
        request = {"outline": self._limits.timeout_s / 2}
        answer = await self._in_thread(self._answer, found, request)
        try:
            return [(int(level), str(text), int(page)) for level, text, page in answer["outline"]]
        except (KeyError, TypeError, ValueError):
            return []

    async def recognize(
        self, found: FoundFile, page: int | None, part: Box | None = None
    ) -> dict[str, Any]:
        """Return the text lines in a picture, or on page `page` of a PDF, as `ocr.recognize` does.

        With `part`, those in that part of the page. `{"reason"}` if they cannot be read; the
        limits are those of reading. Raises `NotNowError` if that may pass.
        """
        request = {"recognize": page, "part": part.sides if part else None}
        return await self._in_thread(self._answer, found, request)

    async def hear(
        self, found: FoundFile, start: float, weights: Path | None, language: str
    ) -> dict[str, Any]:
        """Return the speech of a recording from second `start` on, as `sound.hear` gives it.

        `{"reason"}` if it cannot be heard, with the metadata of the limit that it exceeded; the
        limits are those of reading. Raises `NotNowError` if that may pass.
        """
        path = str(weights) if weights else None
        request = {"hear": start, "weights": path, "language": language}
        return await self._in_thread(self._answer, found, request)

    def close(self) -> None:
        """Kill the workers. Calls in progress end with a failed document."""
        with self._lock:
            self._closed = True
            for worker in self._workers:
                worker.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Extractor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _in_thread(self, read: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, read, *arguments)

    def _extract(self, found: FoundFile, max_pages: int | None) -> Document:
        def read(span: Span) -> Document:
            try:
                return self._worker().read(found, span)
            except _WorkerGoneError as gone:
                metadata = {PASSING: "yes"} if gone.passing else gone.limit
                return Document.failed("unknown", str(gone), metadata)
            finally:
                self._retire()

        try:
            return read_in_slices(read, self._limits.max_chars, max_pages)
        except (ValueError, KeyError):  # its counts of pages make no sense
            return Document.failed("unknown", _NO_SENSE)

    def _bytes(self, found: FoundFile, request: dict[str, Any], what: str) -> bytes:
        """Return the picture that answers a request for one of `what`."""
        answer = self._answer(found, request, what)
        try:
            return base64.b64decode(answer["picture"], validate=True)
        except (KeyError, TypeError, ValueError):
            raise ExtractionError(f"{what}: {answer.get('reason') or _NO_ANSWER}.") from None

    def _answer(
        self, found: FoundFile, request: dict[str, Any], what: str | None = None
    ) -> dict[str, Any]:
        what = what or _name(found)
        try:
            answer = self._worker().ask({"file": astuple(found), **request})
        except _WorkerGoneError as gone:
            if gone.passing:
                raise NotNowError(f"{what}: {gone}.") from None
            return {"reason": str(gone), **gone.limit}
        finally:
            self._retire()
        if not isinstance(answer, dict):
            return {"reason": _NO_ANSWER}
        if "passing" in answer:
            raise NotNowError(f"{what}: {answer.get('reason')}.")
        return answer

    def _worker(self) -> _Worker:
        worker: _Worker | None = getattr(self._local, "worker", None)
        if worker is not None and worker.alive():
            return worker
        with self._lock:
            if self._closed:
                raise _WorkerGoneError(_STOPPED)
            worker = _Worker(self._limits)
            self._workers.add(worker)
        self._local.worker = worker
        worker.wait_ready()
        return worker

    def _retire(self) -> None:
        worker: _Worker | None = getattr(self._local, "worker", None)
        if worker is not None and worker.worn():
            worker.kill()
            with self._lock:
                self._workers.discard(worker)
            self._local.worker = None


def _name(found: FoundFile) -> str:
    return found.path.rpartition("/")[2]


class _WorkerGoneError(Exception):
    """The worker was killed or crashed; the message is the reason shown to the user.

    `limit` is the metadata of a file that exceeded one; `passing` is true if it was killed from
    outside, as by a system short of memory, which is no fault of the file.
    """

    def __init__(self, reason: str, limit: dict[str, str] | None = None) -> None:
        super().__init__(reason)
        self.limit = limit or {}
        self.passing = reason == _STOPPED


class _Worker:
    """One process, watched for its time and memory."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._files = 0
        self._peak = 0
        one_thread = {"TOKIO_WORKER_THREADS": "1", "RAYON_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            # -P: a module in the working directory, which may be the library, is never imported
            [sys.executable, "-P", "-m", "manole.documents.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=private.environment() | one_thread,
            umask=private.UMASK,
        )
        self._watch = psutil.Process(self._process.pid)

    def wait_ready(self) -> None:
        """Wait for its imports; raises `_WorkerGoneError` if Python cannot start."""
        self._send(asdict(self._limits))
        self._receive(_START_S)

    def read(self, found: FoundFile, span: Span) -> Document:
        """Return a slice; raises `_WorkerGoneError` if it hit a limit or crashed its parser."""
        answer = self.ask({"file": astuple(found), "span": astuple(span)})
        try:
            return decode(answer)
        except ValueError:
            raise self._killed(_NO_SENSE) from None

    def ask(self, request: dict[str, Any]) -> Any:
        """Return the answer to a request, as JSON. Raises as `read` does."""
        self._files += 1
        self._send(request)
        try:
            return json.loads(self._receive(self._limits.timeout_s))
        except (ValueError, RecursionError):
            raise self._killed(_NO_SENSE) from None

    def alive(self) -> bool:
        """Return whether it can take another file."""
        return self._process.poll() is None

    def worn(self) -> bool:
        """Return whether it should be replaced before the next file."""
        if not self.alive() or self._files >= _FILES_PER_WORKER:
            return True
        return self._rss() > _RETIRE_SHARE * self._limits.memory_mb * 1024**2

    def kill(self) -> None:
        """End it at once."""
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()

    def _killed(self, reason: str, limit: dict[str, str] | None = None) -> _WorkerGoneError:
        """Kill it, and return the error that says why."""
        self.kill()
        return _WorkerGoneError(reason, limit)

    def _send(self, value: object) -> None:
        assert self._process.stdin
        try:
            write_frame(self._process.stdin, value)
        except (OSError, ValueError):
            raise _WorkerGoneError(self._death()) from None

    def _receive(self, seconds: float) -> bytes:
        """Return one frame's body, watching time and memory while it comes.

        `seconds` are those of its own computing: how busy the machine is, is no fault of the file.
        """
        assert self._process.stdout
        ends = time.monotonic() + _PATIENCE * seconds, self._computed() + seconds
        try:
            descriptor = self._process.stdout.fileno()
            poll = select.poll()  # `select.select` fails from the 1025th open file on
            poll.register(descriptor, select.POLLIN)

            def read(count: int) -> bytes:
                buffer = bytearray()
                while len(buffer) < count:
                    self._check(ends, seconds)
                    if poll.poll(_POLL_MS):
                        chunk = os.read(descriptor, min(1 << 20, count - len(buffer)))
                        if not chunk:
                            raise _WorkerGoneError(self._death())
                        buffer += chunk
                return bytes(buffer)

            (length,) = HEADER.unpack(read(HEADER.size))
            if length > _MAX_ANSWER:
                raise self._killed(_NO_SENSE)
            return read(length)
        except (OSError, ValueError):  # the streams were closed by `kill` from another thread
            raise _WorkerGoneError(_STOPPED) from None

    def _check(self, ends: tuple[float, float], seconds: float) -> None:
        """Kill it if it is past one of its ends or over the memory limit."""
        most = self._limits.memory_mb
        if time.monotonic() > ends[0] or self._computed() > ends[1]:
            raise self._killed(f"took longer than {seconds:g} s", limited("timeout_s", seconds))
        if self._rss() > most * 1024**2:
            reason = f"needs more than {most} MB of memory"
            raise self._killed(reason, limited("memory_mb", most))

    def _computed(self) -> float:
        """Return the seconds that it has computed."""
        try:
            times = self._watch.cpu_times()
        except psutil.Error:
            return 0.0
        return times.user + times.system

    def _rss(self) -> int:
        try:
            return int(self._watch.memory_info().rss)
        except psutil.Error:
            return 0

    def _death(self) -> str:
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.kill()
            code = 0
        if code == -signal.SIGKILL:
            return _STOPPED
        if code < 0:
            return f"it crashed its parser ({signal.Signals(-code).name})"
        return "its parser ended early"
