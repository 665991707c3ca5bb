"""Several servers with the same model: which one is asked, and when one that failed is tried again.

A request goes to the server with the fewest of this process's requests under way; among equals to
the one this process began with, chosen at random, so that one server's cached prompts are used
while several processes spread over all. One that could not be reached, took too long or answered
with 429 or 5xx rests for a second, then two, and so on up to a minute; it is asked meanwhile only
when every other one failed too. When its rest ends, one request tries it, and the others wait for
what comes of that.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from manole.errors import SettingsError
from manole.settings import Settings

LONGEST_REST = 60.0  # seconds
OPENAI_URL = "http://127.0.0.1:8080/v1"  # where llama-server and others listen by default
OLLAMA_URL = "http://127.0.0.1:11434/v1"
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
        """That of all servers, by their addresses."""
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

    def order(self) -> list[Place]:
        """The servers as one request is to try them, those that rest last."""
        now = self._clock()
        with self._lock:
            awake = [place for place in self._turned if place.rests_until <= now]
            resting = [place for place in self._turned if place.rests_until > now]
        by_rest = sorted(resting, key=lambda place: place.rests_until)
        return sorted(awake, key=lambda place: place.running) + by_rest

    @contextmanager
    def asking(self, place: Place) -> Iterator[None]:
        """A request to this server is under way."""
        with self._lock:
            place.running += 1
            if place.failures:  # this request finds out how it is
                place.rests_until = self._clock() + _rest(place.failures)
        try:
            yield
        finally:
            with self._lock:
                place.running -= 1

    def failed(self, place: Place) -> None:
        """It could not serve; let it rest."""
        with self._lock:
            place.failures += 1
            place.rests_until = self._clock() + _rest(place.failures)

    def worked(self, place: Place) -> None:
        """It served."""
        with self._lock:
            place.failures, place.rests_until = 0, 0.0


def addresses(text: str, setting: str) -> tuple[str, ...]:
    """The addresses in a setting, without what is there twice. Raises `SettingsError`."""
    found = [url.strip().rstrip("/") for url in text.split(",") if url.strip()]
    for url in found:
        if not url.startswith(("http://", "https://")) or not _host(url):
            raise SettingsError(f"{setting} = {url} is not an http address.")
    if not found:
        raise SettingsError(f"{setting} is empty.", "Give an http address, or leave it out.")
    return tuple(dict.fromkeys(found))


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


def embedder_name(settings: Settings) -> str:
    """What an index remembers its embedder by: of several endpoints, the first."""
    if not settings.index.embedder.startswith(_EMBEDDER):
        return settings.index.embedder
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
