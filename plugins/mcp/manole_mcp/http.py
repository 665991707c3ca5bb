"""MCP over streamable HTTP, at `/mcp`.

Requests pass the guard of every way in over HTTP (`serve/security.py`: Host, Origin, token, size
and rate) and its server (`serve/server.py`) with its limits. The SDK's own checks of Host and
Origin come after them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from manole.serve.security import MAX_BODY, App, Guard, check_exposure
from manole.serve.server import address, listen, serve_app
from manole.settings import ServeSettings
from manole_mcp.server import McpServer

PATH = "/mcp"
_SESSIONS = 64  # open at the same time; set by hand, to bound memory
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


async def serve_http(
    server: McpServer,
    settings: ServeSettings,
    on_listening: Callable[[str], None],
) -> None:
    """Answer clients until interrupted. Raises `ManoleError` for an address that cannot be used.

    `on_listening` is called with the URL.
    """
    check_exposure(settings)
    with listen(settings) as listener:
        port = listener.getsockname()[1]
        on_listening(address(listener) + PATH)
        await serve_app(make_app(server, settings, port), listener)


def make_app(server: McpServer, settings: ServeSettings, port: int) -> App:
    """Make the application that listens on `port`."""
    manager = StreamableHTTPSessionManager(
        server,
        security_settings=_security(settings.host, port),
        max_request_body_size=MAX_BODY,
        max_sessions=_SESSIONS,
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    app = Starlette(routes=[Route(PATH, _Endpoint(manager))], lifespan=lifespan)
    return Guard(app, settings)


class _Endpoint:
    """The session manager as an ASGI application (a route would take a function for a view)."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)


def _security(host: str, port: int) -> TransportSecuritySettings:
    """Return the Host and Origin headers that may name the server.

    A server that listens on every address cannot know them all; there the token alone decides,
    which no foreign page has.
    """
    if host.strip("[]") in {"0.0.0.0", "::"}:  # noqa: S104  (recognised, not bound)
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    names = [f"{name}:{port}" for name in dict.fromkeys((*_LOCAL, _bracketed(host)))]
    return TransportSecuritySettings(
        allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
    )


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
