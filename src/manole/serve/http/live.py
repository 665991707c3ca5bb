"""Streaming responses that stop being produced when the client disconnects.

A turn holds the model. So the client is watched meanwhile: when it goes away, the turn's generator
is closed and with it the model's call. When the server stops, a stream gets its last lines. Errors
before the first line become a status, as everywhere; later errors become lines of the stream
(`fail`), because the status has been sent already.
"""

from __future__ import annotations

import asyncio
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
        self._starting = asyncio.Lock()
        self._started = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the body. Raises what making the first line raised."""
        sending = asyncio.create_task(self._send(send))
        starting = asyncio.create_task(self._start(send, _PATIENCE))
        leaving = asyncio.create_task(_left(receive))
        closing = asyncio.create_task(self._closing.wait())
        try:
            await asyncio.wait({sending, leaving, closing}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
            elif closing.done() and not leaving.done():
                await _cancel(sending, starting)
                if not self._started:
                    raise stopping()
                await _body(send, self._fail(stopping()), more=False)
        finally:
            await _cancel(sending, starting, leaving, closing)

    async def _send(self, send: Send) -> None:
        more = True
        async with aclosing(self._lines) as lines:
            while more:
                line, more = await self._next(lines)
                await self._start(send)
                await _body(send, line, more=more)

    async def _next(self, lines: Lines) -> tuple[bytes, bool]:
        """Return a line, and whether there may be more. Raises where a status can still say it."""
        try:
            return await anext(lines), True
        except StopAsyncIteration:
            return b"", False
        except Exception as error:
            if not self._started:
                raise
            if isinstance(error, ManoleError):
                return self._fail(error), False
            LOG.exception("a stream failed")
            fault = ManoleError("Something went wrong inside Manole.", "See its log.")
            return self._fail(fault), False

    async def _start(self, send: Send, patience: float = 0) -> None:
        """Send the status, after so many seconds."""
        await asyncio.sleep(patience)
        async with self._starting:
            if not self._started:
                self._started = True
                start = {"status": self.status_code, "headers": self.raw_headers}
                await send({"type": "http.response.start", **start})


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
