"""Text to unit vectors: sentence encoders in ONNX (endpoints: `openai_embedder.py`).

A sync mostly waits for this inference, so the work around it is kept small:

* each core that this process may use works on a batch of its own, with one thread. Threads that
  share a batch wait for each other at every operator: on two cores busy with other work, 2,300
  tokens per second became 570;
* a batch has one long text, or a few short ones of similar length: a padded token costs as much as
  a real one, and a batch that does not fit a core's cache is slow;
* the tokenizer takes all texts of a call at once and uses its own threads.

`seconds_inside` counts the time of inference alone, so that a benchmark can tell its share of a
sync. Pooling and prefixes follow each model's card (`catalog/encoders.py`). The index keeps the
model's name, and vectors of two models are never mixed (see `manole.index.store.lance`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from manole.errors import ModelError, SettingsError
from manole.models.catalog.encoders import ENCODERS, EncoderSpec
from manole.models.encode.heads import Vectors, pool, unit
from manole.models.encode.onnx_encoder import OnnxEncoder, batches, encodable, loading
from manole.models.endpoints import chosen_embedder, embedder_endpoints, key_for
from manole.models.weights.cache import Weights
from manole.models.weights.files import OnProgress
from manole.settings import Settings

Embed = Callable[[Sequence[str]], Vectors]


class Embedder(Protocol):
    """Turns texts into unit vectors, so that a dot product is their cosine similarity."""

    name: str
    dimensions: int
    max_tokens: int
    seconds_inside: float
    tokens_inside: int

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of passages: float32, (texts, dimensions), each of length 1."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question: float32, (dimensions,), of length 1."""
        ...


class OnnxEmbedder:
    """A sentence encoder run by onnxruntime; `spec` defines how its tokens become a vector.

    Safe to call from several threads. Texts longer than `spec.max_tokens` lose their end, so that
    the prefix stays; `max_tokens` is the rest that is left for a passage.
    """

    def __init__(self, name: str, files: Mapping[str, Path], spec: EncoderSpec) -> None:
        """Load `model.onnx` with its data, `tokenizer.json` or `vocab.txt`, and the head's files.

        Raises `ModelError` for files that do not fit.
        """
        self.name = name
        self.dimensions = spec.dimensions
        self.seconds_inside = 0.0
        self.tokens_inside = 0
        self._spec = spec
        self._lock = threading.Lock()
        with loading(f"embedding model {name}"):
            self._encoder = OnnxEncoder(files, spec.dense, spec.max_tokens)
            prefix = self._encoder.tokenizer.encode(spec.passage_prefix, add_special_tokens=False)
            self.max_tokens = spec.max_tokens - len(prefix.ids)
            self._run([self._encoder.tokenizer.encode("a").ids])  # checks that all parts fit

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of passages: float32, (texts, dimensions), each of length 1."""
        return self._encode([self._spec.passage_prefix + text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question: float32, (dimensions,), of length 1."""
        vector: Vectors = self._encode([self._spec.query_prefix + text])[0]
        return vector

    def _encode(self, texts: list[str]) -> Vectors:
        out = np.empty((len(texts), self.dimensions), np.float32)
        if not texts:
            return out
        clean = [encodable(text) for text in texts]
        ids = [item.ids for item in self._encoder.tokenizer.encode_batch(clean)]
        lengths = [len(row) for row in ids]
        longest_first = sorted(range(len(ids)), key=lambda row: -lengths[row])  # memory peaks first
        parts = list(batches(lengths, longest_first))
        started = time.perf_counter()
        # A question does not wait for passages that other threads are embedding.
        each = map if len(parts) == 1 else self._encoder.threads.map
        done = each(self._run, [[ids[row] for row in rows] for rows in parts])
        for rows, vectors in zip(parts, done, strict=True):
            out[rows] = vectors
        with self._lock:
            self.seconds_inside += time.perf_counter() - started
            self.tokens_inside += sum(map(len, ids))
        return out

    def _run(self, ids: list[list[int]]) -> Vectors:
        made, mask = self._encoder.network.run(ids, output=self._spec.output)
        vectors = pool(made, mask, self._spec.pooling)
        for layer in self._encoder.layers:
            vectors = layer(vectors)
        if vectors.shape[1] < self.dimensions:
            raise ModelError(f"It makes {vectors.shape[1]} numbers, not {self.dimensions}.")
        return unit(vectors[:, : self.dimensions])


def load_embedder(
    settings: Settings,
    weights: Weights,
    progress: OnProgress | None = None,
) -> Embedder:
    """Load the embedder that `settings.index.embedder` names; fetch its weights if need be.

    "auto" is the usual one: a caller that reads an index sets the name of that index's embedder.
    `progress` gets the state of a download. Raises `SettingsError` for an unknown name, and
    `WeightsError` or `ModelError` if the embedder cannot be loaded.
    """
    name = chosen_embedder(settings)
    if name.startswith("openai:"):
        from manole.models.encode.openai_embedder import OpenAIEmbedder  # imports an HTTP client

        model, urls = embedder_endpoints(settings)
        keys = {url: key_for(url, settings) for url in urls}
        return OpenAIEmbedder(model, urls, keys=keys, timeout_s=settings.model.timeout_s)
    if name not in ENCODERS:
        raise SettingsError(
            f"index.embedder = {name} is not known.",
            f"Known are {', '.join(ENCODERS)}, and openai:MODEL@URL.",
        )
    files = weights.ensure(name, progress)
    return OnnxEmbedder(name, files, ENCODERS[name])
