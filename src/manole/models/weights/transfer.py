"""The transfer of one file of a hub over HTTPS, resumed where it was cut short.

`transfer` asks the hub, follows its redirects and yields:

    Begin(at, ...)   the next bytes belong at `at`; any bytes from there on are void
    bytes            the next bytes

After a broken connection, silence, 429 or 5xx it tries again after a growing pause, from the byte
where it stopped (RFC 9110: `Range` with `If-Range`). The hub's own answer names the file by
`X-Linked-Etag` and redirects to a store, whose `ETag` names it again: if either has changed, the
file was exchanged and begins anew. A token goes to the hub alone, never to the target of a
redirect.

Until they are hashed, the bytes are a stranger's: a web page in place of the file, another length
than was published, and a redirect away from HTTPS are refused before they are read.
"""

from __future__ import annotations

import ipaddress
import re
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import chain

import httpx

from manole.errors import HashMismatchError, WeightsError
from manole.models.weights.wheels import too_large

# All set by hand.
HEAD = 256  # bytes in which a web page is recognized
HOPS = 5  # redirects that are followed
ENOUGH = 1 << 20  # bytes of progress after which earlier failures no longer count
_PASSING = {408, 425, 429, 500, 502, 503, 504}
_ADVICE = "Make a token with read access on the hub (Settings, Access Tokens) and set HF_TOKEN"
_PAGE = re.compile(rb"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Patience:
    """The number of tries without a megabyte of progress, and the seconds to wait.

    All set by hand: six tries wait half a minute in all, enough for a router that starts again.
    """

    tries: int = 6
    first: float = 1.0
    longest: float = 60.0
    silence: float = 30.0
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file at `url`, of `size` bytes (0 if not known). Only the host of `url` gets `token`."""

    name: str
    repo: str
    url: httpx.URL
    size: int = 0
    token: str = ""


@dataclass(frozen=True, slots=True)
class Tags:
    """The version tags of a file: the hub's own, and that of the server of its ranges."""

    file: str = ""
    range: str = ""


@dataclass(frozen=True, slots=True)
class Begin:
    """The start of bytes that belong at byte `at` of `total` (0 if not known)."""

    at: int
    total: int
    tags: Tags


NONE, PATIENT = Tags(), Patience()


class _Passing(Exception):  # noqa: N818  (worth another try)
    def __init__(self, reason: str, after: float | None = None) -> None:
        super().__init__(reason)
        self.after = after


def transfer(
    wanted: Wanted, have: int = 0, tags: Tags = NONE, patience: Patience = PATIENT
) -> Generator[Begin | bytes, None, None]:
    """Fetch `wanted`, of which `have` bytes came earlier, with `tags`.

    Raises `WeightsError`, and `HashMismatchError` if the size is not the published one.
    """
    failures, furthest = 0, have
    with _client(patience) as client:
        while True:
            try:
                for item in _attempt(client, wanted, have, tags):
                    if isinstance(item, Begin):
                        have, tags = item.at, item.tags
                    else:
                        have += len(item)
                    yield item
                return
            except _Passing as error:
                if have >= furthest + ENOUGH:
                    failures, furthest = 0, have
                failures += 1
                _wait(wanted, error, failures, patience)


def may_follow(home: httpx.URL, target: httpx.URL) -> bool:
    """Return whether a redirect of `home` may be followed: to HTTPS, or as near as `home` is."""
    if target.scheme == "https":
        return True
    nearby = target.host == home.host or (is_loopback(home) and is_loopback(target))
    return target.scheme == home.scheme == "http" and nearby


def is_loopback(url: httpx.URL) -> bool:
    """Return whether a URL names this machine, without looking up names."""
    try:
        return ipaddress.ip_address(url.host).is_loopback
    except ValueError:
        return url.host == "localhost"


def _client(patience: Patience) -> httpx.Client:
    timeout = httpx.Timeout(patience.silence, connect=min(10.0, patience.silence))
    headers = {"User-Agent": "manole", "Accept-Encoding": "identity"}
    try:
        return httpx.Client(timeout=timeout, headers=headers)
    # Raised for proxies and certificates that the environment names.
    except (ValueError, ImportError, OSError) as error:
        raise WeightsError(
            f"The model hub cannot be asked: {error}",
            "Check HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE.",
        ) from None


def _wait(wanted: Wanted, error: _Passing, failures: int, patience: Patience) -> None:
    pause = error.after
    if pause is None:
        pause = min(patience.first * 2 ** (failures - 1), patience.longest)
    if failures >= patience.tries or pause > patience.longest:
        later = f" It asks to come back in {pause:,.0f} seconds." if error.after else ""
        raise WeightsError(
            f"{wanted.name} could not be fetched: {error}.{later}",
            "Try again later; what has come is kept.",
        )
    patience.sleep(pause)


def _attempt(
    client: httpx.Client, wanted: Wanted, have: int, tags: Tags
) -> Iterator[Begin | bytes]:
    """Yield from one answer of the hub, from byte `have` on or from the first."""
    have = have if tags.file else 0  # without a tag it may be another file
    with _errors(wanted), closing(_open(client, wanted, have, tags)) as response:
        linked = response.extensions["linked"]
        now = Tags(linked or _tag(response, "ETag"), _strong(response))
        status, same = response.status_code, now.file == tags.file
        if status == 416 and same and _total(response) == have > 0:
            yield Begin(have, have, tags)  # all of it was there
            return
        fits = status != 206 or (_start(response) == have and (same or not have))
        if fits and not (status == 416 and have):
            yield from _body(wanted, response, have, now)
            return
    if not have:
        raise _Passing("the hub gave another part of it than was asked for")
    yield from _attempt(client, wanted, 0, NONE)


def _body(
    wanted: Wanted, response: httpx.Response, have: int, tags: Tags
) -> Iterator[Begin | bytes]:
    if response.status_code not in (200, 206):
        own = bool(wanted.token) and _origin(response.url) == _origin(wanted.url)
        raise _refusal(response, wanted.name, wanted.repo, own)
    at = have if response.status_code == 206 else 0
    total = _total(response)
    _check(wanted, response, total)
    head, begun = b"", False
    for chunk in chain(response.iter_raw(), [b""]):
        if not begun:
            head += chunk
            if chunk and len(head) < HEAD:
                continue
            if at == 0 and _PAGE.match(head):
                raise _web_page(wanted, response)
            yield Begin(at, total, tags)
            chunk, begun = head, True
        at += len(chunk)
        if wanted.size and at > wanted.size:
            raise too_large(wanted.name, wanted.size)
        if chunk:
            yield chunk


def _refusal(response: httpx.Response, name: str, repo: str, with_token: bool) -> WeightsError:
    """Return the error for an answer that is no file; `with_token` if a token was sent.

    The Hugging Face hub says more in `X-Error-Code` than in its status: it answers 401 for what
    does not exist as well as for what needs a token.
    """
    status, code = response.status_code, response.headers.get("X-Error-Code", "")
    host = response.url.host
    if code == "GatedRepo":
        return WeightsError(
            f"{name}: the publisher gives it to those who accept its licence ({status}).",
            f"Open the page of {repo} on the hub and accept it. {_ADVICE}, then fetch again.",
        )
    if status == 401:
        verdict = (
            "does not accept HF_TOKEN" if with_token else "has no such repository, or a closed one"
        )
        return WeightsError(
            f"{name}: {host} {verdict} (401).",
            f"{_ADVICE} anew."
            if with_token
            else f"Check the name {repo}. {_ADVICE} if it is closed.",
        )
    if status == 403:
        return WeightsError(
            f"{name}: {host} does not allow it (403).",
            f"The page of {repo} may have a licence to accept, or HF_TOKEN no right to read it.",
        )
    if status in (404, 410):
        missing = {"EntryNotFound": "file", "RevisionNotFound": "revision"}.get(
            code, "file or repository"
        )
        return WeightsError(
            f"{name}: {host} has no such {missing} ({status}).",
            "It was renamed or taken away, or HF_ENDPOINT names a mirror without it.",
        )
    return WeightsError(f"{name}: {host} answered {status}, and gave no file.")


def _check(wanted: Wanted, response: httpx.Response, total: int) -> None:
    """Refuse an answer that cannot be the file, before it is read."""
    if (
        response.headers.get("Content-Type", "")
        .lower()
        .startswith(("text/html", "application/xht"))
    ):
        raise _web_page(wanted, response)
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise WeightsError(f"{wanted.name}: {response.url.host} sends it packed, not as it is.")
    if wanted.size and total > wanted.size:
        raise too_large(wanted.name, wanted.size)
    if wanted.size and 0 < total < wanted.size:
        raise HashMismatchError(
            f"{wanted.name} has {total:,} bytes at {response.url.host}; published were "
            f"{wanted.size:,}. It was not fetched.",
            "Its source delivers other files than were published; take them from another.",
        )


def _web_page(wanted: Wanted, response: httpx.Response) -> WeightsError:
    return WeightsError(
        f"{wanted.name}: {response.url.host} answered with a web page in place of the file.",
        "A network that wants a sign-in does that, and a proxy that forbids it: open the address "
        "in a browser. If HF_ENDPOINT is set, check that it names a hub.",
    )


def _open(client: httpx.Client, wanted: Wanted, have: int, tags: Tags) -> httpx.Response:
    """Return the answer at the end of redirects; its extension `linked` is the hub's own tag."""
    url, linked = wanted.url, ""
    for _ in range(HOPS):
        headers = {}
        if have:
            headers["Range"] = f"bytes={have}-"
            if tags.range:
                headers["If-Range"] = tags.range
        home = _origin(url) == _origin(wanted.url)
        if wanted.token and home:
            headers["Authorization"] = f"Bearer {wanted.token}"
        response = client.send(client.build_request("GET", url, headers=headers), stream=True)
        linked = linked or (_tag(response, "X-Linked-Etag") if home else "")
        if response.is_redirect and "Location" in response.headers:
            response.close()
            url = url.join(response.headers["Location"])
            if not may_follow(wanted.url, url):
                raise WeightsError(
                    f"{wanted.name}: the hub sends on to {url.scheme}://{url.host}, which is not "
                    "HTTPS. That was not followed.",
                    "If HF_ENDPOINT is set, check that it names a hub, by https.",
                )
            continue
        reason = f"{url.host} answered {response.status_code}"
        expired = response.status_code == 403 and not home  # signed addresses expire
        if response.status_code in _PASSING or expired:
            response.close()
            raise _Passing(reason, _retry_after(response))
        response.extensions["linked"] = linked
        return response
    raise WeightsError(f"{wanted.name}: the hub sends from one address to the next without end.")


@contextmanager
def _errors(wanted: Wanted) -> Iterator[None]:
    """Turn errors of httpx into `_Passing`, or errors that a person can act upon."""
    try:
        yield
    except httpx.TimeoutException:
        raise _Passing("the hub was silent for too long") from None
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise WeightsError(f"{wanted.name}: the hub sends on to no address: {error}.") from None
    except httpx.HTTPError as error:
        if "CERTIFICATE" in str(error).upper():
            raise WeightsError(
                f"{wanted.name}: the hub's certificate is not trusted: {error}.",
                "Where a proxy opens connections, name its certificates by SSL_CERT_FILE.",
            ) from None
        raise _Passing(f"the connection broke off ({error or type(error).__name__})") from None


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _tag(response: httpx.Response, header: str) -> str:
    value: str = response.headers.get(header, "")
    return value.removeprefix("W/").strip('"')


def _strong(response: httpx.Response) -> str:
    """Return the ETag if it is strong, as `If-Range` demands."""
    value: str = response.headers.get("ETag", "")
    return "" if value.startswith("W/") else value


def _start(response: httpx.Response) -> int:
    found = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    return int(found[1]) if found else -1


def _total(response: httpx.Response) -> int:
    """Return the bytes of the whole file; 0 if not stated."""
    header = "Content-Length" if response.status_code == 200 else "Content-Range"
    found = re.search(r"(?:^|/)(\d+)$", response.headers.get(header, ""))
    return int(found[1]) if found else 0


def _retry_after(response: httpx.Response) -> float | None:
    """Return `Retry-After`, which is seconds or a date, in seconds."""
    value = response.headers.get("Retry-After", "")
    if value.isdecimal():
        return float(value)
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max((when - datetime.now(UTC)).total_seconds(), 0.0)
