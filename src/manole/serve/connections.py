"""Connection limits: how many are kept open, and how long one may stay silent.

Opening a connection costs a client nothing. So a connection whose request does not arrive is closed
after `header_s`, and their number is limited, for each client and for all together. When one more
comes, the one that has been idle longest makes room; only when every connection is being answered
is the new one turned away. A limit alone would not do: on the loopback address every program is the
same client, and one that opens connections and sends nothing must not lock out the person's page.

A connection whose request is being answered is never closed here, however long the answer takes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

_TURNED_AWAY = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits. `header_s`: seconds for a request's headers to arrive.

    Set by hand: a browser opens six connections to one server, so that 128 are some twenty tabs.
    """

    header_s: float = 15.0
    of_client: int = 128
    of_all: int = 512


USUAL = Limits()


class Connections:
    """The open connections of one server, the one that has been idle longest first."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._open: dict[LimitedProtocol, None] = {}

    def admit(self, new: LimitedProtocol) -> bool:
        """Take in `new` if there is room for it; return whether there was."""
        of_client = [one for one in self._open if one.peer == new.peer]
        fits = len(of_client) < self.limits.of_client or _make_room(of_client)
        fits = fits and (len(self._open) < self.limits.of_all or _make_room(self._open))
        if fits:
            self._open[new] = None
        return fits

    def waits(self, one: LimitedProtocol) -> None:
        """Note that `one` has been answered, and is idle from now on."""
        if one in self._open:
            del self._open[one]
            self._open[one] = None

    def gone(self, one: LimitedProtocol) -> None:
        """Forget a closed connection."""
        self._open.pop(one, None)


def _make_room(among: Iterable[LimitedProtocol]) -> bool:
    """Close the connection that has been idle longest; return `False` where none is idle."""
    oldest = next((one for one in among if not one.busy), None)
    if oldest is not None:
        oldest.drop()
    return oldest is not None


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 within limits. The server's config holds the `Connections` as `connections`."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.peer = ""
        self._kept: Connections = self.config.connections  # type: ignore[attr-defined]
        self._timer: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> bool:
        """Whether a request of this connection is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def drop(self) -> None:
        """Close the connection, whatever it has sent so far."""
        self._stop_timer()
        self._kept.gone(self)
        self.transport.abort()  # `close` would wait for a client that does not read

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection in, or turn it away."""
        super().connection_made(transport)
        self.peer = self.client[0] if self.client else ""
        if self._kept.admit(self):
            self._start_timer()
        else:
            transport.write(_TURNED_AWAY)
            transport.close()

    def data_received(self, data: bytes) -> None:
        """Read a piece of a request. The time limit covers its headers, from their first byte."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.busy:
            self._stop_timer()
        elif not self.transport.is_closing():
            self._start_timer()

    def on_response_complete(self) -> None:
        """Note the end of an answer, then read on: the next request may have arrived already."""
        self._kept.waits(self)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection, whoever closed it."""
        self._stop_timer()
        self._kept.gone(self)
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self._kept.limits.header_s, self.drop)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
