"""Restricts routes that list folders or change things to requests from this machine.

A server that other machines reach demands a token, and who has that may do all this. Without one,
the server must listen on loopback, and a request must not come from elsewhere by way of a proxy.
"""

from __future__ import annotations

from typing import Any

from fastapi import Depends, Request

from manole.serve.http.depends import ServiceDep
from manole.serve.http.description import responses
from manole.serve.http.errors import NotHereError
from manole.serve.security import is_loopback

_PROXIES = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


def passed_on(request: Request) -> bool:
    """Whether a proxy handed the request on, so that somebody else asked."""
    return any(name in request.headers for name in _PROXIES)


async def _local_only(request: Request, service: ServiceDep) -> None:
    serve = service.settings.serve
    if serve.token is not None:
        return
    if not is_loopback(serve.host) or passed_on(request):
        raise NotHereError(
            "Other machines reach this server, so this needs a token.",
            "Set one (--token-file FILE), or use the address it printed, on this machine.",
        )


LOCAL_ONLY: list[Any] = [Depends(_local_only)]
REFUSED = responses(403)
