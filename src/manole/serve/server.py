"""Serving an application over HTTP until it is told to stop: the same for every way in.

Signals end the server in form: streams get their last line, the model and the index are released.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from types import FrameType
from typing import Any

import uvicorn

from manole.serve.connections import USUAL, Connections, LimitedProtocol, Limits

_GRACE = 5  # seconds for answers to end when the server stops


class _Config(uvicorn.Config):
    def __init__(self, app: Any, limits: Limits) -> None:
        self.connections = Connections(limits)
        super().__init__(
            app,
            http=LimitedProtocol,
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,  # whoever sends them could name any client
            timeout_graceful_shutdown=_GRACE,
        )
        logging.getLogger("uvicorn.access").disabled = True  # Guard's own leaves out queries


class _Server(uvicorn.Server):
    """Ends the streams before it waits for connections, and does not raise its signals again."""

    def __init__(self, app: Any, limits: Limits, closing: asyncio.Event | None) -> None:
        self._closing = closing
        super().__init__(_Config(app, limits))

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._closing is not None:
            self._closing.set()
        await super().shutdown(sockets)


async def serve_app(
    app: Any,
    sock: socket.socket,
    *,
    started: Callable[[uvicorn.Server], None] | None = None,
    closing: asyncio.Event | None = None,
    limits: Limits = USUAL,
) -> None:
    """Serve the ASGI application `app` until a signal comes (or `should_exit` is set).

    `started` gets the server; `closing` is set when it begins to stop.
    """
    server = _Server(app, limits, closing)
    if started is not None:
        started(server)
    try:
        await server.serve(sockets=[sock])
    finally:
        sock.close()
