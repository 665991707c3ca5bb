"""Embeddings of any OpenAI-compatible endpoint: Ollama, LM Studio, llama-server, vLLM, OpenAI.

There may be several servers (`endpoints.py`): the requests of one call are spread over them. After
a failure that may pass (no connection, a timeout, 429, 5xx) the next server is tried, and all of
them up to three times. Before a server's vectors are used, it is asked for the vector of a known
word: another model under the same name would ruin an index unnoticed.

This is a module of its own because importing an HTTP client takes a tenth of a second, which a
search with the local embedder should not pay.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import numpy as np
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from manole.errors import ModelError
from manole.models.encode.heads import Vectors, unit
from manole.models.endpoints import CONNECT_S, PASSING, Endpoints, PassingError, Place

ROWS = 64  # texts of one request, at most; set by hand
LEAST = 8  # texts of one request, if several servers share a call; set by hand
WORD = "dimensions"  # the text that every server embeds first
ALIKE = 0.98  # least cosine of its vectors from two servers: 8-bit and 16-bit weights reach it
_NOTHING = (np.empty((0, 0), np.float32), 0)
_CHECK = "Check that it runs, the model's name, and index.embedder in the settings."


class OpenAIEmbedder:
    """An embedder over an OpenAI-compatible endpoint (`POST {base_url}/embeddings`).

    An index remembers the first of several addresses.
    """

    max_tokens = 8191

    def __init__(
        self,
        model: str,
        base_url: str | Sequence[str],
        *,
        keys: Mapping[str, str | None] | None = None,
        timeout_s: float = 60,
    ) -> None:
        """Ask a server once, to learn the model's dimensions. `keys` are by address.

        Raises `ModelError` if no server answers.
        """
        urls = [base_url] if isinstance(base_url, str) else list(base_url)
        self.name = f"openai:{model}@{urls[0]}"
        self.seconds_inside = 0.0
        self.tokens_inside = 0
        self.dimensions = 0  # until the first answer
        self._model = model
        self._keys = {url.rstrip("/"): key for url, key in (keys or {}).items()}
        self._endpoints = Endpoints(urls)
        self._client = httpx.Client(
            timeout=httpx.Timeout(timeout_s, connect=CONNECT_S),
            trust_env=False,  # passages go to the address that was set, through nobody's proxy
        )
        self._pool = ThreadPoolExecutor(len(urls), thread_name_prefix="embed")
        self._lock = threading.Lock()
        self._word: Vectors | None = None  # the vector of `WORD`
        self._known: set[str] = set()  # servers whose vectors are those of the first one
        try:
            self._request([])
        except BaseException:
            self.close()
            raise

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of passages: float32, (texts, dimensions), each of length 1.

        Raises `ModelError`.
        """
        share = math.ceil(len(texts) / len(self._endpoints.places))
        rows = min(ROWS, max(share, LEAST))
        calls = [list(texts[at : at + rows]) for at in range(0, len(texts), rows)]
        each = map if len(calls) == 1 or not self._endpoints.several else self._pool.map
        parts = list(each(self._request, calls))
        return np.concatenate(parts) if parts else np.empty((0, self.dimensions), np.float32)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question: float32, (dimensions,), of length 1."""
        vector: Vectors = self.embed([text])[0]
        return vector

    def close(self) -> None:
        """Close the connections."""
        self._pool.shutdown(wait=False)
        self._client.close()

    def _request(self, texts: list[str]) -> Vectors:
        """Return the vectors of one request's texts. Raises `ModelError`."""
        started = time.perf_counter()
        retrying = Retrying(
            retry=retry_if_exception(lambda e: isinstance(e, PassingError) and e.again),
            stop=stop_after_attempt(3),
            wait=wait_exponential_jitter(0.2, 4),  # seconds, set by hand
            reraise=True,
        )
        try:
            vectors, tokens = retrying(self._round, texts)
        except PassingError as error:
            if self._endpoints.several:
                raise ModelError(
                    f"None of the embedding endpoints answers. {error}.", _CHECK
                ) from None
            raise self._failed(self._endpoints.places[0], str(error)) from None
        with self._lock:
            self.seconds_inside += time.perf_counter() - started
            self.tokens_inside += tokens
        return vectors

    def _round(self, texts: list[str]) -> tuple[Vectors, int]:
        """Ask one server after another. Raises `PassingError` if none of them can answer now."""
        failures: dict[str, PassingError] = {}
        while True:
            with self._endpoints.asking(failures) as attempt:
                if attempt is None:
                    raise PassingError.of(failures)
                try:
                    self._check(attempt.place)
                    found = self._ask(attempt.place, texts) if texts else _NOTHING
                except PassingError as error:
                    failures[attempt.place.url] = error
                    self._endpoints.failed(attempt)
                    continue
            self._endpoints.worked(attempt)
            return found

    def _check(self, place: Place) -> None:
        """Raise `ModelError` if this server's vectors are not those of the first one."""
        if place.url in self._known:
            return
        word = self._ask(place, [WORD])[0][0]
        with self._lock:
            if self._word is None:
                self._word, self.dimensions = word, len(word)
            elif len(word) != len(self._word) or float(word @ self._word) < ALIKE:
                raise ModelError(
                    f"{place.url} has another model under the name {self._model}: its vectors "
                    f"({len(word)} numbers) are not those that the others give "
                    f"({len(self._word)}).",
                    "Serve the same weights everywhere, or take it out of index.embedder.",
                )
            self._known.add(place.url)

    def _ask(self, place: Place, texts: list[str]) -> tuple[Vectors, int]:
        """Return vectors and tokens. Raises `PassingError`, and `ModelError` for a wrong answer."""
        key = self._keys.get(place.url)
        try:
            response = self._client.post(
                f"{place.url}/embeddings",
                json={"model": self._model, "input": texts},
                headers={"Authorization": f"Bearer {key}"} if key else {},
            )
            if response.status_code in PASSING or response.status_code >= 500:
                raise PassingError(f"HTTP {response.status_code}: {response.text[:300]}")
            response.raise_for_status()
            answer: dict[str, Any] = response.json()
            # The protocol gives each vector its place; some servers answer out of order.
            rows = sorted(answer["data"], key=lambda row: row["index"])
            vectors = np.asarray([row["embedding"] for row in rows], np.float32)
            tokens = int((answer.get("usage") or {}).get("prompt_tokens", 0))
        except httpx.TransportError as error:
            slow = isinstance(error, httpx.ReadTimeout)
            raise PassingError(str(error) or type(error).__name__, again=not slow) from None
        except (httpx.HTTPError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._failed(place, str(error)) from error
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise self._failed(place, f"{len(texts)} vectors were asked for, {vectors.shape} came")
        if self.dimensions and vectors.shape[1] != self.dimensions:
            reason = f"its vectors have {vectors.shape[1]} numbers, and had {self.dimensions}"
            raise self._failed(place, reason)
        return unit(vectors), tokens

    def _failed(self, place: Place, reason: str) -> ModelError:
        return ModelError(f"The embedding endpoint {place.url} failed: {reason}.", _CHECK)
