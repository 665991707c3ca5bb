"""Serving the application of `create_app` until it is told to stop."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

from manole.serve.connections import USUAL, Limits
from manole.serve.server import serve_app


async def serve(
    app: FastAPI,
    sock: socket.socket,
    started: Callable[[uvicorn.Server], None] | None = None,
    limits: Limits = USUAL,
) -> None:
    """Serve until a signal comes (or `should_exit` is set). `started` gets the server."""
    try:
        await serve_app(app, sock, started=started, closing=app.state.closing, limits=limits)
    finally:
        await app.state.pictures.close()
