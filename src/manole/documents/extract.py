"""Reading files in processes that can be killed.

A parser of untrusted bytes can hang, eat all memory or crash. So files are read in worker
processes (`worker.py`), each of which reads many files. A thread per worker hands it a file and
watches: over the time limit or the memory limit it kills the worker, and the file fails with the
reason; so it does when the worker crashes. The next file gets a fresh worker. A worker that has
grown, or has read many files, is retired between two files.
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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple
from pathlib import Path
from typing import Any

import psutil

from manole import private
from manole.documents.model import PASSING, Box, Document, Status, limited
from manole.documents.opened import FoundFile
from manole.documents.slices import Span, read_in_slices
from manole.documents.worker import HEADER, decode
from manole.errors import ExtractionError, NotNowError
from manole.settings import ExtractSettings

_POLL_MS = 50
_START_S = 60.0
_FILES_PER_WORKER = 2000
_RETIRE_SHARE = 0.5  # of the memory limit; a worker this large is retired
_MAX_ANSWER = 2 * 1024**3
_STOPPED = "reading was stopped"


class Extractor:
    """A pool of `settings.workers` killable processes that read files.

    Workers start with the first file. Use it as a context manager, or call `close`.
    """

    def __init__(self, settings: ExtractSettings) -> None:
        self._settings = settings
        self._threads = ThreadPoolExecutor(settings.workers, thread_name_prefix="extract")
        self._local = threading.local()
        self._lock = threading.Lock()
        self._workers: set[_Worker] = set()
        self._closed = False

    async def extract(self, found: FoundFile, max_pages: int | None = None) -> Document:
        """The document in the file; one that cannot be read has status failed and a reason.

        Of a PDF at most `max_pages` pages are read. Several calls may run at once; `workers` of
        them are read at the same time.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._extract, found, max_pages)

    async def picture(self, found: FoundFile, page: int, width: int) -> bytes:
        """Page `page` (from 1) of a PDF as PNG, `width` pixels wide at most.

        Raises `ExtractionError` with the reason; the limits are those of reading.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._picture, found, page, width)

    async def shrunk(self, found: FoundFile, page: int | None, side: int) -> bytes:
        """A picture, or page `page` of a PDF, as JPEG, its longer side `side` pixels at most.

        Raises `ExtractionError` with the reason; the limits are those of reading.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._shrunk, found, page, side)

    async def words(self, found: FoundFile, page: int) -> dict[str, Any]:
        """The words on page `page` (from 1) of a PDF, as `pdf.read_words` gives them.

        `{"reason"}` where they cannot be read. Raises `NotNowError` where that may pass.
        """
        loop = asyncio.get_running_loop()
        request = {"file": astuple(found), "words": page}
        return await loop.run_in_executor(self._threads, self._answer, _last(found), request)

    async def recognize(
        self, found: FoundFile, page: int | None, part: Box | None = None
    ) -> dict[str, Any]:
        """The lines of words in a picture, or on page `page` of a PDF, as `ocr.recognize` gives.

        With `part`, those of that part of the page. `{"reason"}` where they cannot be read; the
        limits are those of reading. Raises `NotNowError` where that may pass.
        """
        loop = asyncio.get_running_loop()
        request = {"file": astuple(found), "recognize": page, "part": part.sides if part else None}
        return await loop.run_in_executor(self._threads, self._answer, _last(found), request)

    async def hear(
        self, found: FoundFile, start: float, weights: Path | None, language: str
    ) -> dict[str, Any]:
        """What is said in a recording from second `start` on, as `sound.hear` gives it.

        `{"reason"}` where it cannot be heard, with the metadata of the limit that it exceeded; the
        limits are those of reading. Raises `NotNowError` where that may pass.
        """
        loop = asyncio.get_running_loop()
        request = {
            "file": astuple(found),
            "hear": start,
            "weights": str(weights) if weights else None,
            "language": language,
        }
        return await loop.run_in_executor(self._threads, self._answer, _last(found), request)

    def close(self) -> None:
        """Kill the workers. Calls under way end with a failed document."""
        with self._lock:
            self._closed = True
            for worker in self._workers:
                worker.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Extractor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _extract(self, found: FoundFile, max_pages: int | None) -> Document:
        def read(span: Span) -> Document:
            try:
                return self._worker().read(found, span)
            except _WorkerGoneError as gone:
                metadata = {PASSING: "yes"} if gone.passing else gone.limit
                return Document(
                    "unknown", (), metadata=metadata, status=Status.FAILED, reason=str(gone)
                )
            finally:
                self._retire()

        try:
            return read_in_slices(read, self._settings.max_chars, max_pages)
        except (ValueError, KeyError):  # what it said of its pages makes no sense
            reason = "its parser gave no sensible answer"
            return Document("unknown", (), status=Status.FAILED, reason=reason)

    def _picture(self, found: FoundFile, page: int, width: int) -> bytes:
        request = {"file": astuple(found), "page": page, "width": width}
        return self._bytes(request, "png", f"Page {page} of {_last(found)}")

    def _shrunk(self, found: FoundFile, page: int | None, side: int) -> bytes:
        request = {"file": astuple(found), "page": page, "side": side}
        return self._bytes(request, "jpeg", _last(found))

    def _bytes(self, request: dict[str, Any], key: str, what: str) -> bytes:
        answer: Any = None
        passing = False
        try:
            answer = self._worker().ask(request)
            return base64.b64decode(answer[key], validate=True)
        except _WorkerGoneError as gone:
            reason, passing = str(gone), gone.passing
        except (KeyError, TypeError, ValueError):
            reason = str(answer.get("reason", "")) if isinstance(answer, dict) else ""
            passing = isinstance(answer, dict) and "passing" in answer
        finally:
            self._retire()
        kind = NotNowError if passing else ExtractionError
        raise kind(f"{what}: {reason or 'no sensible answer'}.")

    def _answer(self, name: str, request: dict[str, Any]) -> dict[str, Any]:
        try:
            answer = self._worker().ask(request)
        except _WorkerGoneError as gone:
            if gone.passing:
                raise NotNowError(f"{name}: {gone}.") from None
            return {"reason": str(gone), **gone.limit}
        finally:
            self._retire()
        if not isinstance(answer, dict):
            return {"reason": "no sensible answer"}
        if "passing" in answer:
            raise NotNowError(f"{name}: {answer.get('reason')}.")
        return answer

    def _worker(self) -> _Worker:
        worker: _Worker | None = getattr(self._local, "worker", None)
        if worker is not None and worker.alive():
            return worker
        with self._lock:
            if self._closed:
                raise _WorkerGoneError(_STOPPED)
            worker = _Worker(self._settings)
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


def _last(found: FoundFile) -> str:
    return found.path.rpartition("/")[2]


class _WorkerGoneError(Exception):
    """The worker was killed or crashed; the message is the reason a person reads.

    `limit` is the metadata of a file that exceeded one; `passing` says that it was killed from
    outside, as by a system short of memory, which says nothing of the file.
    """

    def __init__(self, reason: str, limit: dict[str, str] | None = None) -> None:
        super().__init__(reason)
        self.limit = limit or {}
        self.passing = reason == _STOPPED


class _Worker:
    """One process, and the watch over it."""

    def __init__(self, settings: ExtractSettings) -> None:
        self._settings = settings
        self._files = 0
        self._peak = 0
        environment = private.environment() | {
            "TOKIO_WORKER_THREADS": "1",
            "RAYON_NUM_THREADS": "1",
        }
        self._process = subprocess.Popen(
            # -P: a module in the working directory, which may be the library, is never imported
            [sys.executable, "-P", "-m", "manole.documents.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            umask=private.UMASK,
        )
        self._watch = psutil.Process(self._process.pid)

    def wait_ready(self) -> None:
        """Until its imports are done; raises `_WorkerGoneError` where Python cannot start."""
        self._send(self._settings.model_dump())
        self._receive(_START_S)

    def read(self, found: FoundFile, span: Span) -> Document:
        """Raises `_WorkerGoneError` when the file exceeded a limit or crashed its parser."""
        answer = self.ask({"file": astuple(found), "span": [span.skip, span.pages, span.chars]})
        try:
            return decode(answer)
        except ValueError:
            self.kill()
            raise _WorkerGoneError("its parser gave no sensible answer") from None

    def ask(self, request: dict[str, Any]) -> Any:
        """The answer to any request, as JSON. Raises as `read`."""
        self._files += 1
        self._send(request)
        try:
            return json.loads(self._receive(self._settings.timeout_s))
        except (ValueError, RecursionError):
            self.kill()
            raise _WorkerGoneError("its parser gave no sensible answer") from None

    def alive(self) -> bool:
        """Whether it can take another file."""
        return self._process.poll() is None

    def worn(self) -> bool:
        """Whether it should be replaced before the next file."""
        if not self.alive() or self._files >= _FILES_PER_WORKER:
            return True
        return self._rss() > _RETIRE_SHARE * self._settings.memory_mb * 1024**2

    def kill(self) -> None:
        """End it at once."""
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()

    def _send(self, value: object) -> None:
        body = json.dumps(value).encode("ascii")
        assert self._process.stdin
        try:
            self._process.stdin.write(HEADER.pack(len(body)) + body)
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise _WorkerGoneError(self._death()) from None

    def _receive(self, seconds: float) -> bytes:
        """One frame's body, watching time and memory meanwhile."""
        assert self._process.stdout
        limit = self._settings.memory_mb
        deadline = time.monotonic() + seconds
        buffer = bytearray()
        needed = HEADER.size
        body = False
        try:
            descriptor = self._process.stdout.fileno()
            poll = select.poll()  # `select.select` fails from the 1025th open file on
            poll.register(descriptor, select.POLLIN)
            while True:
                if time.monotonic() > deadline:
                    self.kill()
                    raise _WorkerGoneError(
                        f"took longer than {seconds:g} s", limited("timeout_s", seconds)
                    )
                if self._rss() > limit * 1024**2:
                    self.kill()
                    raise _WorkerGoneError(
                        f"needs more than {limit} MB of memory", limited("memory_mb", limit)
                    )
                if not poll.poll(_POLL_MS):
                    continue
                chunk = os.read(descriptor, min(1 << 20, needed - len(buffer)))
                if not chunk:
                    raise _WorkerGoneError(self._death())
                buffer += chunk
                if len(buffer) < needed:
                    continue
                if body:
                    return bytes(buffer)
                (needed,) = HEADER.unpack(buffer)
                if needed > _MAX_ANSWER:
                    self.kill()
                    raise _WorkerGoneError("its parser gave no sensible answer")
                body, buffer = True, bytearray()
        except (OSError, ValueError):  # the streams were closed by `kill` from another thread
            raise _WorkerGoneError(_STOPPED) from None

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
