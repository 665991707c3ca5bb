"""Lines in and out, each in a thread of its own, so that neither side can stop the event loop.

Threads with plain reads and writes work for pipes, sockets, terminals and files alike; the event
loop's own pipes do not. Both sides hold back: the reader reads on when its lines have been taken,
and a writer waits while `PENDING` lines have not been written. The threads are daemons, so that the
process may end while the other side neither writes nor reads.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import select
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError
from threading import Thread

CHUNK = 1 << 16  # bytes read at once, the size of a pipe on Linux
PENDING = 64  # lines waiting to be written; set by hand


class Splitter:
    """A cutter of bytes into lines; `None` stands for a dropped line over `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._line = bytearray()
        self._dropping = False

    def feed(self, chunk: bytes) -> list[bytes | None]:
        """Return the lines that end within `chunk`, without their ends."""
        *ended, rest = chunk.split(b"\n")
        lines = []
        for piece in ended:
            self._grow(piece)
            lines.append(self._end())
        self._grow(rest)
        return lines

    def end(self) -> list[bytes | None]:
        """Return the bytes after the last line end, if any."""
        return [self._end()] if self._line or self._dropping else []

    def _grow(self, piece: bytes) -> None:
        if len(self._line) + len(piece) > self._limit:
            self._dropping = True
            self._line.clear()
        elif not self._dropping:
            self._line += piece

    def _end(self) -> bytes | None:
        line = None if self._dropping else bytes(self._line).removesuffix(b"\r")
        self._line.clear()
        self._dropping = False
        return line


class LineReader:
    """The lines of a descriptor: `async for line in reader`, until its end.

    Its thread has a descriptor of its own: it may read on when the caller has closed the given one,
    whose number the next pipe gets.
    """

    def __init__(self, descriptor: int, limit: int) -> None:
        self._descriptor = os.dup(descriptor)
        self._splitter = Splitter(limit)
        self._loop = asyncio.get_running_loop()
        self._batches: asyncio.Queue[list[bytes | None] | None] = asyncio.Queue(1)
        Thread(target=self._run, name="stdio-read", daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[bytes | None]:
        """Yield every line; `None` for one that was too long."""
        while (batch := await self._batches.get()) is not None:
            for line in batch:
                yield line

    def _run(self) -> None:
        # The loop may have ended meanwhile; then nobody waits for lines.
        with contextlib.suppress(RuntimeError, CancelledError):
            while chunk := self._chunk():
                self._hand(self._splitter.feed(chunk))
            self._hand(self._splitter.end())
            self._hand(None)
        os.close(self._descriptor)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, CHUNK)
        except OSError:  # the other side is gone
            return b""

    def _hand(self, lines: list[bytes | None] | None) -> None:
        if lines or lines is None:
            asyncio.run_coroutine_threadsafe(self._batches.put(lines), self._loop).result()


class LineWriter:
    """The lines to a descriptor, written whole and in order."""

    def __init__(self, descriptor: int) -> None:
        self.gone = asyncio.Event()  # nobody reads any more
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._opened = asyncio.Semaphore(PENDING)
        self._finished = asyncio.Event()
        Thread(target=self._run, name="stdio-write", daemon=True).start()

    async def write(self, line: bytes) -> None:
        """Hand over a line. Waits while many are not written yet; drops it when nobody reads."""
        await self._opened.acquire()
        self._lines.put(line)

    def lost(self) -> bool:
        """Whether the other end of a pipe is closed, without writing to it."""
        poll = select.poll()
        poll.register(self._descriptor, 0)
        return self.gone.is_set() or bool(poll.poll(0))

    async def close(self, patience: float) -> None:
        """Wait until everything is written, at most `patience` seconds."""
        self._lines.put(None)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._finished.wait(), patience)

    def _run(self) -> None:
        open_ = True
        while (line := self._lines.get()) is not None:
            if open_ and not self._put(line):
                open_ = False
                self._tell(self.gone.set)
            self._tell(self._opened.release)
        self._tell(self._finished.set)

    def _put(self, line: bytes) -> bool:
        try:
            while line:
                line = line[os.write(self._descriptor, line) :]
        except OSError:
            return False
        return True

    def _tell(self, what: Callable[[], object]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(what)
