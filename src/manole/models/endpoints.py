"""Several servers of one model: the choice among them, and pauses for a server that failed.

A request goes to the server with the fewest of this process's requests under way. Among equals it
goes to the server that this process began with, chosen at random: so one server's cached prompts
are used, while several processes spread over all servers. A server that could not be reached, took
too long or answered with 429 or 5xx rests for a second, then two, and so on up to a minute;
meanwhile it is asked only if every other server failed too. When its rest ends, a single request
tries it, and the others wait for the result. Requests that were under way together when a server
failed count as one failure.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from manole.errors import SettingsError
from manole.models.catalog.encoders import USUAL
from manole.settings import Settings

CONNECT_S = 5.0  # seconds to connect to a server; set by hand
LONGEST_REST = 60.0  # seconds; set by hand: a restarted server is found within a minute
OPENAI_URL = "http://127.0.0.1:8080/v1"  # where llama-server and others listen by default
OLLAMA_URL = "http://127.0.0.1:11434/v1"
_USUAL = {"openai": OPENAI_URL, "ollama": OLLAMA_URL}
ENDPOINTS = tuple(f"{kind}:" for kind in _USUAL)  # beginnings of the names of models on servers
# Answers that another try may change (RFC 9110: 408, 429 and the errors of a server or gateway).
PASSING = frozenset({408, 429, 500, 502, 503, 504})
_EMBEDDER = "openai:"


class PassingError(Exception):
    """A failure that may pass with another server or, if `again`, another try of the same one."""

    def __init__(self, message: str, *, again: bool = True) -> None:
        super().__init__(message)
        self.again = again

    @classmethod
    def of(cls, failures: Mapping[str, PassingError]) -> PassingError:
        """Join the failures of all servers, by address."""
        several = len(failures) > 1
        lines = (f"{url}: {error}" if several else str(error) for url, error in failures.items())
        return cls("; ".join(lines), again=any(error.again for error in failures.values()))


@dataclass(slots=True)
class Place:
    """One server."""

    url: str  # ends in /v1
    running: int = 0
    failures: int = 0
    rests_until: float = 0.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request to a server that had failed `failures` times when the request began."""

    place: Place
    failures: int


class Endpoints:
    """The servers of one model. Safe to use from several threads."""

    def __init__(
        self,
        urls: Sequence[str],
        *,
        first: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set `first` to the index of the server preferred among equals (default: random)."""
        self.places = [Place(url.rstrip("/")) for url in urls]
        start = random.randrange(len(self.places)) if first is None else first  # noqa: S311
        self._turned = self.places[start:] + self.places[:start]
        self._clock = clock
        self._lock = threading.Lock()

    @property
    def several(self) -> bool:
        """Whether there is more than one server."""
        return len(self.places) > 1

    @contextmanager
    def asking(self, tried: Collection[str] = ()) -> Iterator[Attempt | None]:
        """Count a request to the best server as under way until the block ends.

        `tried` are the addresses that this request has been to; yields `None` when no other is
        left.
        """
        with self._lock:
            place = self._next(tried)
            if place is not None:
                attempt = Attempt(place, place.failures)
                place.running += 1
                if place.failures:  # this request tries it; the others wait
                    place.rests_until = self._clock() + _rest(place.failures)
        if place is None:
            yield None
            return
        try:
            yield attempt
        finally:
            with self._lock:
                place.running -= 1

    def failed(self, attempt: Attempt) -> None:
        """Let a server rest that could not serve."""
        place = attempt.place
        with self._lock:
            if place.failures > attempt.failures:  # another request under way has noted it
                return
            place.failures += 1
            place.rests_until = self._clock() + _rest(place.failures)

    def worked(self, attempt: Attempt) -> None:
        """Forget the failures of a server that served."""
        with self._lock:
            attempt.place.failures, attempt.place.rests_until = 0, 0.0

    def _next(self, tried: Collection[str]) -> Place | None:
        """Return the server with the fewest requests; if all others rest, the next to wake."""
        now = self._clock()
        left = [place for place in self._turned if place.url not in tried]
        awake = [place for place in left if place.rests_until <= now]
        if awake:
            return min(awake, key=lambda place: place.running)
        return min(left, key=lambda place: place.rests_until, default=None)


def addresses(text: str, setting: str) -> tuple[str, ...]:
    """Return the addresses in a setting, without duplicates. Raises `SettingsError`."""
    found = [url.strip().rstrip("/") for url in text.split(",") if url.strip()]
    for url in found:
        if not url.startswith(("http://", "https://")) or not _host(url):
            raise SettingsError(f"{setting} = {url} is not an http address.")
    if not found:
        raise SettingsError(f"{setting} is empty.", "Give an http address, or leave it out.")
    return tuple(dict.fromkeys(found))


def endpoint_of(name: str) -> tuple[str, str]:
    """Return `openai` or `ollama` and the model's name there; two empty strings for weights."""
    kind, _, remote = name.partition(":")
    return (kind, remote) if kind in _USUAL and remote else ("", "")


def addresses_of(kind: str, base_url: str | None, setting: str) -> tuple[str, ...]:
    """Return the addresses of an `openai` or `ollama` model. Raises `SettingsError`."""
    return addresses(base_url or _USUAL[kind], setting)


def embedder_endpoints(settings: Settings) -> tuple[str, tuple[str, ...]]:
    """Return model and addresses of an embedder written as `openai:MODEL@URL, URL ...`.

    Without addresses, those of the chat model are used. Raises `SettingsError`.
    """
    name = settings.index.embedder
    model, _, given = name.removeprefix(_EMBEDDER).partition("@")
    text = given or settings.model.base_url or ""
    if not model.strip() or not text.strip():
        raise SettingsError(
            f"index.embedder = {name} names no endpoint.",
            "Write openai:MODEL@URL, as in openai:nomic-embed-text@http://localhost:11434/v1.",
        )
    return model, addresses(text, "index.embedder")


def chosen_embedder(settings: Settings, own: str | None = None) -> str:
    """Return `index.embedder`; for `auto`, the embedder `own` of the index, or the usual one."""
    chosen = settings.index.embedder
    return chosen if chosen != "auto" else own or USUAL


def embedder_name(settings: Settings, own: str | None = None) -> str:
    """Return the embedder's name as an index keeps it, with the first of several addresses."""
    if not settings.index.embedder.startswith(_EMBEDDER):
        return chosen_embedder(settings, own)
    model, urls = embedder_endpoints(settings)
    return f"{_EMBEDDER}{model}@{urls[0]}"


def key_for(url: str, settings: Settings) -> str | None:
    """Return the chat model's key if `url` is on one of its hosts: no other host gets it."""
    hosts = {_host(known) for known in (settings.model.base_url or "").split(",")}
    return settings.model.api_key if _host(url) in hosts else None


def _host(url: str) -> str:
    return urlsplit(url.strip()).netloc


def _rest(failures: int) -> float:
    return float(min(LONGEST_REST, 2.0 ** min(failures - 1, 10)))
