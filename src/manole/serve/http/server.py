"""Serving the application until it is told to stop.

Signals end the server in form: streams get their last line, the model and the index are released.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import FastAPI

_GRACE = 5  # seconds for answers to end when the server stops
_CONNECTIONS = 512


class _Server(uvicorn.Server):
    """Ends the streams before it waits for connections, and does not raise its signals again."""

    def __init__(self, app: FastAPI) -> None:
        self._closing = app.state.closing
        config = uvicorn.Config(
            app,
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,  # whoever sends them could name any client
            limit_concurrency=_CONNECTIONS,
            timeout_graceful_shutdown=_GRACE,
        )
        logging.getLogger("uvicorn.access").disabled = True  # Guard's own leaves out queries
        super().__init__(config)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._closing.set()
        await super().shutdown(sockets)


async def serve(
    app: FastAPI, sock: socket.socket, started: Callable[[uvicorn.Server], None] | None = None
) -> None:
    """Serve until a signal comes (or `should_exit` is set). `started` gets the server."""
    server = _Server(app)
    if started is not None:
        started(server)
    try:
        await server.serve(sockets=[sock])
    finally:
        sock.close()
        await app.state.pictures.close()
