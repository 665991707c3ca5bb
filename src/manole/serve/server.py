"""The HTTP server of every application here: its socket, and serving until a signal comes.

The socket is made before the server, so that a port in use gives a message rather than a log, and
the address is known at once. On a signal, streams get their last line before connections close.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Callable
from types import FrameType
from typing import Any

import uvicorn

from manole.errors import ManoleError
from manole.serve.connections import USUAL, Connections, LimitedProtocol, Limits
from manole.settings import ServeSettings

_WAITING = 256  # connections that the system keeps until they are accepted; set by hand
_GRACE = 5  # seconds for answers to end when the server stops; set by hand


def listen(settings: ServeSettings) -> socket.socket:
    """Open a socket on the address of the settings. Raises `ManoleError`."""
    where = f"{settings.host}:{settings.port}"
    host = settings.host.strip("[]") or None
    try:
        family, *_, found = socket.getaddrinfo(
            host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(found[:2], family=family, backlog=_WAITING)
    except (socket.gaierror, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ManoleError(f"{settings.host} is no address: {reason}.", "Check --host.") from None
    except OSError as error:
        raise ManoleError(
            f"{where} cannot be listened on: {os.strerror(error.errno or 0).lower()}.",
            "Choose another --port (0: any that is free), or end the program that uses it.",
        ) from None


def address(sock: socket.socket) -> str:
    """Return the URL to open in a browser on this machine."""
    host, port = sock.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104  (shown, not listened on)
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


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
            proxy_headers=False,  # any client could claim to be another one with them
            timeout_graceful_shutdown=_GRACE,
        )
        logging.getLogger(
            "uvicorn.access"
        ).disabled = True  # it would log queries; `Guard` does not


class _Server(uvicorn.Server):
    """A server that ends streams before it waits for connections, and does not re-raise signals."""

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

    `started` is called with the server; `closing` is set when the server begins to stop.
    """
    server = _Server(app, limits, closing)
    if started is not None:
        started(server)
    try:
        await server.serve(sockets=[sock])
    finally:
        sock.close()
