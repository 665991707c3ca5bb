"""The HTTP request guard: hosts, origins, tokens, body sizes and rates.

A server on the loopback address is not private: any web page that the person opens can send
requests to it, directly (cross-site requests) or under a name of its own that points to 127.0.0.1
(DNS rebinding). So `Guard` checks each request before the application sees it: the `Host` header
must be one of ours, an `Origin` must match it, the token must be right where one is set, and the
size of bodies and the rate of requests are bounded. It is plain ASGI and knows no framework, so it
can guard any application.

A browser cannot send a token with the address that a person opens. So where a page is served, its
own files need no token (they hold nothing private), and `POST /session` turns the token into a
cookie. The cookie proves the token without revealing it, because browsers send a cookie of
127.0.0.1 to every server on that address, whatever its port.

The log holds a request's method, path, status and time: never a query, a header or a body.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import json
import logging
import math
import re
import socket
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from manole.errors import UsageError
from manole.sentences import accepted, said, speaking
from manole.settings import ServeSettings
from manole.text.counted import counted

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOG = logging.getLogger("manole.serve")
LOOPBACK = ("localhost", "127.0.0.1", "::1")
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
}
COOKIE = "manole_token"
_PAGE = re.compile(r"/|/favicon\.svg|/assets/[^/]+")  # what a browser reads before it has a token
# Set by hand:
MAX_BODY = 256 * 1024  # bytes of a request
_BURST = 0.25  # share of a minute's requests that may come at once
_CLIENTS = 1024  # clients whose rate is remembered, so that memory is bounded
_BODY_SECONDS = 30.0  # for a request's body to arrive


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches that address. Of names, only localhost counts."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def check_exposure(settings: ServeSettings) -> None:
    """Raise `UsageError` where other machines could connect without a token."""
    if settings.token is None and not is_loopback(settings.host):
        raise UsageError(
            f"Other machines reach {settings.host}, and no token is set.",
            "Set one (--token-file FILE, or MANOLE_SERVE__TOKEN), or listen on 127.0.0.1.",
        )


def fits(given: str, token: str) -> bool:
    """Whether `given` is the token, in a time that reveals nothing about it."""
    return hmac.compare_digest(given.encode(), token.encode())


def cookie_of(token: str) -> str:
    """Return the cookie that a browser keeps in place of the token."""
    return hmac.new(token.encode(), b"manole page", hashlib.sha256).hexdigest()


class Refused(Exception):  # noqa: N818  (an answer, not a failure)
    """A refused request: the status and the body of its answer."""

    def __init__(
        self, status: int, code: str, message: str, hint: str | None = None, **headers: str
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.body = problem(message, hint, code)


def problem(message: str, hint: str | None, code: str) -> dict[str, Any]:
    """Return the body of an error's answer, in the language of the request."""
    return {"error": {"message": said(message), "hint": hint and said(hint), "code": code}}


class Rates:
    """A token bucket for each client."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = per_minute / 60
        self._size = max(1.0, per_minute * _BURST)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> float:
        """Take one request out of the client's bucket; return the seconds to wait, 0 for none."""
        now = self._clock()
        left, seen = self._buckets.pop(client, (self._size, now))
        left = min(self._size, left + (now - seen) * self._rate)
        wait = 0.0 if left >= 1 else (1 - left) / self._rate
        self._buckets[client] = (left if wait else left - 1, now)
        if len(self._buckets) > _CLIENTS:
            self._buckets.popitem(last=False)
        return wait


class Guard:
    """The guard before an application: it refuses requests, and adds safe headers to answers.

    With `page`, the page's own files need no token, and a cookie takes the token's place.
    """

    def __init__(self, app: App, settings: ServeSettings, *, page: bool = False) -> None:
        self._app = app
        self._names = _names(settings.host)
        self._any_address = _is_wildcard(settings.host)
        self._token = settings.token.encode() if settings.token else None
        self._cookie = cookie_of(settings.token).encode() if page and settings.token else None

        self._rates = Rates(settings.requests_per_minute)
        self._foreign = Rates(settings.requests_per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or the lifespan; refuse websockets."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            wished = dict(scope["headers"]).get(b"accept-language", b"")
            with speaking(accepted(wished.decode("latin-1"))):
                await self._http(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = _Answer(send)
        started = time.perf_counter()
        try:
            self._check(scope)
            await self._app(scope, await self._whole(scope, receive), answer)
        except Refused as refused:
            await answer.refuse(refused)
        except Exception:
            LOG.exception("%s %s failed", scope["method"], _path(scope))
            if answer.status:
                raise
            await answer.refuse(
                Refused(500, "internal", "Something went wrong inside Manole.", "See its log.")
            )
        finally:
            spent = 1000 * (time.perf_counter() - started)
            LOG.info("%s %s %s %.0f ms", scope["method"], _path(scope), answer.status, spent)

    def _check(self, scope: Scope) -> None:
        """Raise `Refused` for a request that must not come in.

        The rate is checked before the token, so that guessing a token is slow. Requests that no
        page of ours sends have a rate of their own: a foreign page in the same browser, which is
        the same client, must not use up the rate of our page.
        """
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        try:
            self._check_host(headers.get(b"host", ""))
            _check_site(headers)
        except Refused:
            _take(self._foreign, scope)
            raise
        if not _is_of_page(scope):  # they are in memory, and a page asks for many at once
            _take(self._rates, scope)
        if self._token is not None and not self._is_open(scope) and not self._knows(headers):
            raise Refused(
                401, "token_needed", "This server demands its token.",
                "Send it as the header Authorization: Bearer TOKEN.",
                www_authenticate="Bearer",
            )  # fmt: skip

    def _is_open(self, scope: Scope) -> bool:
        """Whether a request needs no token: for a file of the page, or for a cookie."""
        if self._cookie is None:
            return False
        return _is_of_page(scope) or (scope["method"], scope["path"]) == ("POST", "/session")

    def _knows(self, headers: dict[bytes, str]) -> bool:
        """Whether the headers have the token, or the cookie that was made from it."""
        kind, _, given = headers.get(b"authorization", "").partition(" ")
        bearer = hmac.compare_digest(given.strip().encode("latin-1"), self._token or b"")
        kept = _cookie_in(headers.get(b"cookie", "")).encode("latin-1")
        cookie = hmac.compare_digest(kept, self._cookie or b"")
        return (bearer and kind.lower() == "bearer") or (cookie and self._cookie is not None)

    def _check_host(self, header: str) -> None:
        name = _host_of(header)
        if name not in self._names and not (self._any_address and _is_address(name)):
            raise Refused(
                403, "host_not_allowed", "This server does not go by the name in the Host header.",
                "Use the address it printed when it started.",
            )  # fmt: skip

    async def _whole(self, scope: Scope, receive: Receive) -> Receive:
        """Read and measure the body; return a `receive` that replays it. Raises `Refused`."""
        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 15 or int(length) > MAX_BODY:
            raise self._too_large()
        body = bytearray()
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return _replay(message, receive)
                    body += message.get("body", b"")
                    if len(body) > MAX_BODY:
                        raise self._too_large()
                    if not message.get("more_body"):
                        whole = {"type": "http.request", "body": bytes(body), "more_body": False}
                        return _replay(whole, receive)
        except TimeoutError:
            raise Refused(408, "too_slow", "The request's body did not arrive.") from None

    def _too_large(self) -> Refused:
        return Refused(
            413, "too_large", f"A request may have {MAX_BODY // 1024} KB at most.",
            "Shorten it.", connection="close",
        )  # fmt: skip


class _Answer:
    """The application's `send`, which adds the safe headers that the application has not set."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = list(message.get("headers", ()))
            present = {name.lower() for name, _ in headers}
            headers += _encoded(
                (name, value) for name, value in HEADERS.items() if name.encode() not in present
            )
            message = {**message, "headers": headers}
        await self._send(message)

    async def refuse(self, refused: Refused) -> None:
        """Send a refusal in the application's place."""
        body = json.dumps(refused.body).encode()
        fixed = {"content-type": "application/json", "content-length": str(len(body))}
        headers = _encoded((fixed | refused.headers).items())
        await self({"type": "http.response.start", "status": refused.status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


def _is_of_page(scope: Scope) -> bool:
    """Whether a request is for a file of the page."""
    return scope["method"] in ("GET", "HEAD") and _PAGE.fullmatch(scope["path"]) is not None


def _take(rates: Rates, scope: Scope) -> None:
    """Count a request. Raises `Refused` when its client has sent too many."""
    client = scope.get("client")
    wait = math.ceil(rates.take(client[0] if client else ""))
    if wait:
        raise Refused(
            429, "too_many_requests", "Too many requests.", f"Wait {counted(wait, 'second')}.",
            retry_after=str(wait),
        )  # fmt: skip


def _check_site(headers: dict[bytes, str]) -> None:
    """Raise `Refused` for a request that, as the browser says, another site's page sent."""
    site = headers.get(b"sec-fetch-site", "none").lower()
    origin = headers.get(b"origin")
    same = origin is None or origin.lower().partition("://")[2] == headers[b"host"].lower()
    if not same or site not in ("none", "same-origin"):
        raise Refused(
            403, "cross_site", "Another site's page may not use this server.",
            "Open the address that it printed when it started.",
        )  # fmt: skip


def _names(host: str) -> frozenset[str]:
    own = [*LOOPBACK, host.lower()]
    if _is_wildcard(host):
        machine = socket.gethostname().lower()
        own += [machine, f"{machine}.local"]
    return frozenset(name for name in own if name)


def _is_wildcard(host: str) -> bool:
    return host == "" or (_is_address(host) and ipaddress.ip_address(host).is_unspecified)


def _is_address(name: str) -> bool:
    """Whether a name is an IP address, which cannot be made to point elsewhere."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _host_of(header: str) -> str:
    """Return the name in a Host header, without its port: `[::1]:8137` gives `::1`."""
    header = header.strip().lower()
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0]


def _cookie_in(header: str) -> str:
    """Return the value of our cookie in a Cookie header, "" where there is none."""
    pairs = (pair.strip().partition("=") for pair in header.split(";"))
    return next((value for name, _, value in pairs if name == COOKIE), "")


def _path(scope: Scope) -> str:
    """Return the path as it was sent, percent-encoded, without its query: safe to log."""
    raw: bytes = scope.get("raw_path") or b""
    return raw.partition(b"?")[0].decode("ascii", "backslashreplace")


def _encoded(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]


def _replay(message: Message, receive: Receive) -> Receive:
    kept = [message]

    async def again() -> Message:
        return kept.pop() if kept else await receive()

    return again
