"""Streaming responses that stop being produced when the client disconnects.

A turn holds the model. So the client is watched meanwhile: when it goes away, the turn's generator
is closed and with it the model's call. When the server stops, a stream gets its last lines. Errors
before the first line become a status, as everywhere; later errors become lines of the stream
(`fail`), because the status has been sent already.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from fastapi import Request, Response

from manole.errors import BusyError, ManoleError
from manole.serve.http.errors import GoneError
from manole.serve.security import Receive, Scope, Send

LOG = logging.getLogger("manole.serve")
T = TypeVar("T")
Lines = AsyncGenerator[bytes, None]
Fail = Callable[[ManoleError], bytes]

# Set by hand:
_PATIENCE = 1.0  # seconds in which an error may still become a status
_STALLED = 60.0  # seconds in which a client must take what was sent
_AHEAD = 64  # lines made before they are sent


class LiveResponse(Response):
    """A body made line by line; `fail` makes the lines that end it with an error."""

    media_type = "application/x-ndjson"

    def __init__(
        self, lines: Lines, fail: Fail, closing: asyncio.Event, status_code: int = 200
    ) -> None:
        super().__init__(status_code=status_code)
        del self.headers["content-length"]
        self.headers["x-accel-buffering"] = "no"
        self._lines = lines
        self._fail = fail
        self._closing = closing
        self._ready: asyncio.Queue[bytes | None] = asyncio.Queue(_AHEAD)
        self._begun = asyncio.Event()  # there is a line, or the end
        self._made = 0
        self._started = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the body. Raises what making the first line raised."""
        making = asyncio.create_task(self._make())
        sending = asyncio.create_task(self._send(send, making))
        leaving = asyncio.create_task(_left(receive))
        closing = asyncio.create_task(self._closing.wait())
        tasks = {making, sending, leaving, closing}
        try:
            await asyncio.wait({sending, leaving, closing}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
            elif closing.done() and not leaving.done():
                await _cancel(sending, making)
                if not self._started:
                    raise stopping()
                await _body(send, self._fail(stopping()), more=False)
        finally:
            await _cancel(*tasks)

    async def _make(self) -> None:
        try:
            async with aclosing(self._lines) as lines:
                async for line in lines:
                    await self._ready.put(line)
                    self._made += 1
                    self._begun.set()
        finally:
            self._begun.set()
            with contextlib.suppress(asyncio.QueueFull):  # then the sender is not waiting for it
                self._ready.put_nowait(None)

    async def _send(self, send: Send, making: asyncio.Task[None]) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await self._begun.wait()
        if making.done() and not self._made:
            making.result()
        self._started = True
        start = {
            "type": "http.response.start",
            "status": self.status_code,
            "headers": self.raw_headers,
        }
        await send(start)
        while not (making.done() and self._ready.empty()):
            line = await self._ready.get()
            if line is not None:
                await _body(send, line)
        await _body(send, self._ending(making), more=False)

    def _ending(self, making: asyncio.Task[None]) -> bytes:
        error = making.exception()
        if error is None:
            return b""
        if isinstance(error, ManoleError):
            return self._fail(error)
        LOG.error("a stream failed", exc_info=error)
        return self._fail(ManoleError("Something went wrong inside Manole.", "See its log."))


async def unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return what `work` returns; cancel it when the client goes away or the server stops.

    Raises `GoneError`, `BusyError`, and what `work` raises.
    """
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_left(request.receive))
    closing = asyncio.create_task(request.app.state.closing.wait())
    try:
        await asyncio.wait({working, leaving, closing}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        if leaving.done():
            raise GoneError
        raise stopping()
    finally:
        await _cancel(working, leaving, closing)


def stopping() -> BusyError:
    """Return the error for requests that the server's stop ends."""
    return BusyError("The server is stopping.", "Ask again when it runs.", retry_after=10)


async def _body(send: Send, body: bytes, *, more: bool = True) -> None:
    """Send a piece of the body. Raises `TimeoutError` when the client does not take it."""
    async with asyncio.timeout(_STALLED):
        await send({"type": "http.response.body", "body": body, "more_body": more})


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _cancel(*tasks: asyncio.Task[Any]) -> None:
    """Cancel the tasks and wait until they have cleaned up."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
