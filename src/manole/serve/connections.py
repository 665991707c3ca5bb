"""Connection limits: how many are kept, and how long one may stay silent.

A connection costs whoever opens it nothing. So one whose request does not arrive is closed after
`header_s`, and there are so many for one client, and so many for all. When one more comes, the one
that has waited longest without a request makes room; only where every one of them is being answered
is the new one turned away. A count alone would not do: on the loopback address every program is the
same client, and one that opens connections and sends nothing must not lock out the person's page.

An answer takes as long as it takes: a connection with a request in work is never closed here.
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
    """`header_s`: seconds for a request's headers. A browser opens six connections at most."""

    header_s: float = 15.0
    of_client: int = 128
    of_all: int = 512


USUAL = Limits()


class Connections:
    """The open connections of one server, the one that has waited longest first."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._open: dict[LimitedProtocol, None] = {}

    def admit(self, new: LimitedProtocol) -> bool:
        """Whether there is a place for `new`, which then has it."""
        of_client = [one for one in self._open if one.peer == new.peer]
        fits = len(of_client) < self.limits.of_client or _make_room(of_client)
        fits = fits and (len(self._open) < self.limits.of_all or _make_room(self._open))
        if fits:
            self._open[new] = None
        return fits

    def waits(self, one: LimitedProtocol) -> None:
        """`one` has been answered, and waits for its next request from now on."""
        if one in self._open:
            del self._open[one]
            self._open[one] = None

    def gone(self, one: LimitedProtocol) -> None:
        """`one` is closed."""
        self._open.pop(one, None)


def _make_room(among: Iterable[LimitedProtocol]) -> bool:
    """Close the one that has waited longest; `False` where none waits."""
    oldest = next((one for one in among if not one.busy), None)
    if oldest is not None:
        oldest.drop()
    return oldest is not None


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 within limits. The server's config has the `Connections` as `connections`."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.peer = ""
        self._kept: Connections = self.config.connections  # type: ignore[attr-defined]
        self._timer: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> bool:
        """Whether a request of it is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def drop(self) -> None:
        """Close it, whatever it has sent so far."""
        self._stop_timer()
        self._kept.gone(self)
        self.transport.abort()  # not waiting for one that does not read

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take it in, or turn it away."""
        super().connection_made(transport)
        self.peer = self.client[0] if self.client else ""
        if self._kept.admit(self):
            self._start_timer()
        else:
            transport.write(_TURNED_AWAY)
            transport.close()

    def data_received(self, data: bytes) -> None:
        """A piece of a request. Time runs from its first byte until its headers are whole."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.busy:
            self._stop_timer()
        elif not self.transport.is_closing():
            self._start_timer()

    def on_response_complete(self) -> None:
        """A request is answered; the next may have come along with it."""
        self._kept.waits(self)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is closed, by whomever."""
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
