"""Embeddings of any OpenAI-compatible endpoint: Ollama, LM Studio, llama-server, vLLM, OpenAI.

Requests that fail in a way that may pass (no connection, 429, 5xx) are made three times. In a
module of its own because importing an HTTP client takes a tenth of a second, which a search with
the local embedder should not pay.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import httpx
import numpy as np
from tenacity import retry, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from manole.errors import ModelError
from manole.models.embedder import Vectors, unit

ROWS = 64  # texts of one request


def _passing(error: BaseException) -> bool:
    """Whether a request may succeed when it is made again."""
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code == 429 or error.response.status_code >= 500
    return isinstance(error, httpx.TransportError)


class OpenAIEmbedder:
    """Embeddings of an OpenAI-compatible endpoint (`POST {base_url}/embeddings`)."""

    max_tokens = 8191

    def __init__(
        self, model: str, base_url: str, *, api_key: str | None = None, timeout_s: float = 60
    ) -> None:
        """Asks the endpoint once, to learn how many dimensions the model has."""
        self.name = f"openai:{model}@{base_url}"
        self.seconds_inside = 0.0
        self.tokens_inside = 0
        self._model = model
        self._url = base_url.rstrip("/") + "/embeddings"
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(timeout=timeout_s, headers=headers)
        self.dimensions = int(self._request(["dimensions"]).shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages: float32, (number of texts, dimensions), each of length 1."""
        parts = [self._request(list(texts[at : at + ROWS])) for at in range(0, len(texts), ROWS)]
        return np.concatenate(parts) if parts else np.empty((0, self.dimensions), np.float32)

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question: float32, (dimensions,), of length 1."""
        vector: Vectors = self.embed([text])[0]
        return vector

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _request(self, texts: list[str]) -> Vectors:
        started = time.perf_counter()
        try:
            answer = self._post({"model": self._model, "input": texts})
            # The protocol gives each vector its place; some servers answer out of order.
            rows = sorted(answer["data"], key=lambda row: row["index"])
            vectors = np.asarray([row["embedding"] for row in rows], np.float32)
        except (httpx.HTTPError, KeyError, TypeError, ValueError) as error:
            raise ModelError(
                f"The embedding endpoint {self._url} failed: {error}.",
                "Check that it runs, the model's name, and index.embedder in the settings.",
            ) from error
        self.seconds_inside += time.perf_counter() - started
        self.tokens_inside += int((answer.get("usage") or {}).get("prompt_tokens", 0))
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise ModelError(f"The embedding endpoint {self._url} gave {vectors.shape} vectors.")
        return unit(vectors)

    @retry(
        retry=retry_if_exception(_passing),
        stop=stop_after_attempt(3),
        wait=wait_exponential_jitter(0.2, 4),
        reraise=True,
    )
    def _post(self, body: dict[str, Any]) -> dict[str, Any]:
        response = self._client.post(self._url, json=body)
        response.raise_for_status()
        answer: dict[str, Any] = response.json()
        return answer
