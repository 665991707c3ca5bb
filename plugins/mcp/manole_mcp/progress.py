"""Progress of one call, told to the client that asked to be told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from mcp import types
from mcp.server.session import ServerSession

from manole_mcp.replies import plain

PULSE = 5.0  # seconds; a client may give up on a server that is silent for long


class Reporter:
    """Sends progress notifications of one request; none where the client gave no token.

    `progress` counts the notifications, because nobody knows how long a turn will be.
    """

    def __init__(
        self, session: ServerSession, token: types.ProgressToken | None, request: types.RequestId
    ) -> None:
        self._session = session
        self._token = token
        self._request = str(request)
        self._sent = 0
        self._last = "Working."

    async def __call__(self, message: str) -> None:
        """Send one line."""
        self._last = message
        if self._token is None:
            return
        self._sent += 1
        try:
            await self._session.send_progress_notification(
                self._token, self._sent, message=plain(message), related_request_id=self._request
            )
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):  # the client has gone
            self._token = None

    @asynccontextmanager
    async def beating(self) -> AsyncIterator[None]:
        """Repeat the last line now and then, so that a long wait is not taken for the end."""
        beat = asyncio.create_task(self._beat())
        try:
            yield
        finally:
            beat.cancel()

    async def _beat(self) -> None:
        while self._token is not None:
            await asyncio.sleep(PULSE)
            await self(self._last)
