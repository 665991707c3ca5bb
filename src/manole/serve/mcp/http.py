"""MCP over streamable HTTP, at `/mcp`.

A page in a browser must not reach a server on this machine: the SDK's checks refuse a request whose
`Host` or `Origin` is not ours (DNS rebinding). Other machines reach it only with a bearer token.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from manole.errors import UsageError
from manole.serve.mcp.server import McpServer
from manole.settings import ServeSettings

PATH = "/mcp"
_SESSIONS = 64  # open at the same time
_GRACE = 3  # seconds that open streams get when the server ends
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


async def serve_http(
    server: McpServer, settings: ServeSettings, on_listening: Callable[[str], None]
) -> None:
    """Answer clients until interrupted. Raises `UsageError` for an address that cannot be had.

    `on_listening` is given the URL.
    """
    listener = listen(settings)
    with listener:
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            make_app(server, settings, port),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE,
        )
        on_listening(f"http://{_bracketed(settings.host)}:{port}{PATH}")
        await uvicorn.Server(config).serve(sockets=[listener])


def make_app(server: McpServer, settings: ServeSettings, port: int) -> ASGIApp:
    """The application that listens on `port`. Raises `UsageError` for an open door."""
    require_token(settings)
    manager = StreamableHTTPSessionManager(
        server,
        security_settings=_security(settings.host, port),
        max_request_body_size=settings.max_body_kb * 1024,
        max_sessions=_SESSIONS,
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    app: ASGIApp = Starlette(routes=[Route(PATH, _Endpoint(manager))], lifespan=lifespan)
    return BearerToken(app, settings.token) if settings.token else app


def require_token(settings: ServeSettings) -> None:
    """Raises `UsageError` where other machines could connect without a token."""
    if settings.token is None and not is_loopback(settings.host):
        raise UsageError(
            f"{settings.host} can be reached from other machines, and no token is set.",
            "Set serve.token (16 characters or more), or listen on 127.0.0.1.",
        )


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def listen(settings: ServeSettings) -> socket.socket:
    """A socket that listens where the settings say. Raises `UsageError`."""
    require_token(settings)
    host = settings.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, settings.port), family=family)
    except (OSError, OverflowError) as error:
        raise UsageError(
            f"{settings.host}:{settings.port} cannot be listened on: {error}.",
            "Choose another --port; 0 takes a free one.",
        ) from None


class _Endpoint:
    """The session manager as an application of its own (a route takes a function for a view)."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)


class BearerToken:
    """Lets only those requests through that carry the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401 without the token."""
        if scope["type"] != "http" or self._fits(Headers(scope=scope).get("authorization", "")):
            await self._app(scope, receive, send)
            return
        refusal = JSONResponse(
            {"error": "A bearer token is demanded."},
            status_code=401,
            headers={"WWW-Authenticate": "Bearer"},
        )
        await refusal(scope, receive, send)

    def _fits(self, header: str) -> bool:
        kind, _, given = header.partition(" ")
        return kind.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self._token)


def _security(host: str, port: int) -> TransportSecuritySettings:
    """Names under which the server is meant.

    One that listens on every address cannot know them all; there the token alone decides, which no
    foreign page has.
    """
    if host.strip("[]") in {"0.0.0.0", "::"}:  # noqa: S104  (recognised, not bound)
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    names = [f"{name}:{port}" for name in dict.fromkeys((*_LOCAL, _bracketed(host)))]
    return TransportSecuritySettings(
        allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
    )


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
