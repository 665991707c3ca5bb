"""The socket of a way in over HTTP, made before its server starts.

So a port that is taken gives a message and not a log, and the address can be told at once.
"""

from __future__ import annotations

import os
import socket

from manole.errors import ManoleError
from manole.settings import ServeSettings

_WAITING = 256  # connections that the system keeps until they are accepted


def listen(settings: ServeSettings) -> socket.socket:
    """A socket on the address of the settings. Raises `ManoleError`."""
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
