"""Several servers with the same model: which one is asked, and when one that failed is tried again.

A request goes to the server with the fewest of this process's requests under way; among equals to
the one this process began with, chosen at random, so that one server's cached prompts are used
while several processes spread over all. One that could not be reached, took too long or answered
with 429 or 5xx rests for a second, then two, and so on up to a minute; it is asked meanwhile only
when every other one failed too. When its rest ends, one request tries it, and the others wait for
what comes of that. Requests that were under way together when it failed count as one failure.
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

LONGEST_REST = 60.0  # seconds
OPENAI_URL = "http://127.0.0.1:8080/v1"  # where llama-server and others listen by default
OLLAMA_URL = "http://127.0.0.1:11434/v1"
_USUAL = {"openai": OPENAI_URL, "ollama": OLLAMA_URL}
ENDPOINTS = tuple(f"{kind}:" for kind in _USUAL)  # what the name of a model on a server begins with
# Answers that another try may change (RFC 9110: 408, 429 and the errors of a server or gateway).
PASSING = frozenset({408, 429, 500, 502, 503, 504})
_EMBEDDER = "openai:"


class PassingError(Exception):
    """A failure that another server, or another try, may mend; `again`: even the same one."""

    def __init__(self, said: str, *, again: bool = True) -> None:
        super().__init__(said)
        self.again = again

    @classmethod
    def of(cls, failures: Mapping[str, PassingError]) -> PassingError:
        """Join the failures of all servers, by address."""
        several = len(failures) > 1
        said = (f"{url}: {error}" if several else str(error) for url, error in failures.items())
        return cls("; ".join(said), again=any(error.again for error in failures.values()))


@dataclass(slots=True)
class Place:
    """One server."""

    url: str  # ends in /v1
    running: int = 0
    failures: int = 0
    rests_until: float = 0.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request to a server; `failures` is how often it had failed when the request began."""

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
        """`first` is the one that is preferred among equals; without it, any."""
        self.places = [Place(url.rstrip("/")) for url in urls]
        start = random.randrange(len(self.places)) if first is None else first  # noqa: S311
        self._turned = self.places[start:] + self.places[:start]
        self._clock = clock
        self._lock = threading.Lock()

    @property
    def several(self) -> bool:
        """Whether there is a choice."""
        return len(self.places) > 1

    @contextmanager
    def asking(self, tried: Collection[str] = ()) -> Iterator[Attempt | None]:
        """A request is under way to the server that is to be tried next, until the block ends.

        `tried` are the addresses that this request has been to; `None` when it was everywhere.
        """
        with self._lock:
            place = self._next(tried)
            if place is not None:
                attempt = Attempt(place, place.failures)
                place.running += 1
                if place.failures:  # this request finds out how it is
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
        """The server could not serve; let it rest."""
        place = attempt.place
        with self._lock:
            if place.failures > attempt.failures:  # as another one that was there found out
                return
            place.failures += 1
            place.rests_until = self._clock() + _rest(place.failures)

    def worked(self, attempt: Attempt) -> None:
        """The server served."""
        with self._lock:
            attempt.place.failures, attempt.place.rests_until = 0, 0.0

    def _next(self, tried: Collection[str]) -> Place | None:
        """The server with the fewest requests; when all that are left rest, the next to wake."""
        now = self._clock()
        left = [place for place in self._turned if place.url not in tried]
        awake = [place for place in left if place.rests_until <= now]
        if awake:
            return min(awake, key=lambda place: place.running)
        return min(left, key=lambda place: place.rests_until, default=None)


def addresses(text: str, setting: str) -> tuple[str, ...]:
    """The addresses in a setting, without what is there twice. Raises `SettingsError`."""
    found = [url.strip().rstrip("/") for url in text.split(",") if url.strip()]
    for url in found:
        if not url.startswith(("http://", "https://")) or not _host(url):
            raise SettingsError(f"{setting} = {url} is not an http address.")
    if not found:
        raise SettingsError(f"{setting} is empty.", "Give an http address, or leave it out.")
    return tuple(dict.fromkeys(found))


def endpoint_of(name: str) -> tuple[str, str]:
    """`openai` or `ollama` and the model's name there; two empty strings for weights."""
    kind, _, remote = name.partition(":")
    return (kind, remote) if kind in _USUAL and remote else ("", "")


def addresses_of(kind: str, base_url: str | None, setting: str) -> tuple[str, ...]:
    """Where an `openai` or `ollama` model is asked. Raises `SettingsError`."""
    return addresses(base_url or _USUAL[kind], setting)


def embedder_endpoints(settings: Settings) -> tuple[str, tuple[str, ...]]:
    """Model and addresses of an embedder that is `openai:MODEL@URL, URL ...`.

    Without addresses they are those of the chat model. Raises `SettingsError`.
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
    """`index.embedder`; where that is auto, `own`, which an index was made with, or the usual."""
    chosen = settings.index.embedder
    return chosen if chosen != "auto" else own or USUAL


def embedder_name(settings: Settings, own: str | None = None) -> str:
    """Return the name an index keeps of its embedder: of several endpoints, the first."""
    if not settings.index.embedder.startswith(_EMBEDDER):
        return chosen_embedder(settings, own)
    model, urls = embedder_endpoints(settings)
    return f"{_EMBEDDER}{model}@{urls[0]}"


def key_for(url: str, settings: Settings) -> str | None:
    """The chat model's key, where `url` is on one of its hosts: it goes to no other one."""
    hosts = {_host(known) for known in (settings.model.base_url or "").split(",")}
    return settings.model.api_key if _host(url) in hosts else None


def _host(url: str) -> str:
    return urlsplit(url.strip()).netloc


def _rest(failures: int) -> float:
    return float(min(LONGEST_REST, 2.0 ** min(failures - 1, 10)))
