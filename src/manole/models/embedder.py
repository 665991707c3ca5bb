"""Text to unit vectors: sentence encoders in ONNX (endpoints: `openai_embedder.py`).

What a sync waits for is this module's inference, so the work around it is kept small:

* each core this process may use works on a batch of its own, with one thread. Threads that share
  one batch wait for each other at every operator: on two cores busy with other work, 2,300 tokens
  a second became 570;
* a batch has one long text, or a few short ones of like length: a padded token costs as much as a
  real one, and what does not fit a core's cache is slow;
* tokenizing is done for a whole call at once, by the tokenizer's own threads.

`seconds_inside` counts the time spent in inference alone, so that a benchmark can say which part
of a sync it was. Pooling and prefixes follow each model's own card; a model's name stands in the
index, and vectors of two models are never mixed (see `manole.index.lancedb`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from manole.errors import ModelError, SettingsError
from manole.models.cores import allowed_cores
from manole.models.endpoints import embedder_endpoints, key_for
from manole.models.vectors import Vectors, unit
from manole.settings import Settings

BATCH_ROWS = 8
BATCH_TOKENS = 256  # padded tokens of one batch, at most


class Embedder(Protocol):
    """Turns texts into unit vectors, so that a dot product is their cosine similarity."""

    name: str
    dimensions: int
    max_tokens: int
    seconds_inside: float
    tokens_inside: int

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages: float32, (number of texts, dimensions), each of length 1."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question: float32, (dimensions,), of length 1."""
        ...


class WeightsSource(Protocol):
    """Where model files come from (`manole.models.weights.Weights`)."""

    def ensure(self, name: str, progress: Callable[[Any], None] | None = None) -> dict[str, Path]:
        """The files of `name`, obtained first if need be."""
        ...


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """What a sentence encoder's card says about using it."""

    dimensions: int
    max_tokens: int
    pooling: Literal["mean", "cls"] = "mean"
    query_prefix: str = ""
    passage_prefix: str = ""


ENCODERS: dict[str, EncoderSpec] = {
    "all-minilm-l6-v2": EncoderSpec(384, 256),
    "bge-small-en-v1.5": EncoderSpec(
        384, 512, "cls", "Represent this sentence for searching relevant passages: "
    ),
    "contriever": EncoderSpec(768, 512),
    "nomic-embed-text": EncoderSpec(768, 2048, "mean", "search_query: ", "search_document: "),
}


class OnnxEmbedder:
    """A BERT-like encoder run by onnxruntime, with mean or first-token pooling.

    Safe to call from several threads. Texts over `max_tokens` are cut.
    """

    def __init__(
        self,
        name: str,
        model: Path,
        tokenizer: Path,
        spec: EncoderSpec,
        *,
        threads: int = 0,
        max_tokens: int | None = None,
    ) -> None:
        """Load the files. Raises `ModelError` when they are not what they should be."""
        import onnxruntime  # 0.1 s, and only those who embed need it
        from tokenizers import Tokenizer

        self.name = name
        self.dimensions = spec.dimensions
        self.max_tokens = max_tokens or spec.max_tokens
        self.seconds_inside = 0.0
        self.tokens_inside = 0
        self._spec = spec
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(threads or allowed_cores(), thread_name_prefix="embed")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                str(model), options, providers=["CPUExecutionProvider"]
            )
            self._tokenizer = Tokenizer.from_file(str(tokenizer))
        except Exception as error:
            # Both libraries raise bare exceptions of their own making.
            raise ModelError(
                f"The embedding model {name} cannot be loaded: {error}.",
                "`manole models verify` checks its files.",
            ) from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self.max_tokens)
        self._inputs = {item.name for item in self._session.get_inputs()}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages: float32, (number of texts, dimensions), each of length 1."""
        return self._encode([self._spec.passage_prefix + text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question: float32, (dimensions,), of length 1."""
        vector: Vectors = self._encode([self._spec.query_prefix + text])[0]
        return vector

    def count_tokens(self, texts: Sequence[str]) -> int:
        """Tokens that embedding these texts evaluates."""
        encoded = self._tokenizer.encode_batch(list(texts))
        return sum(len(item.ids) for item in encoded)

    def _encode(self, texts: list[str]) -> Vectors:
        out = np.empty((len(texts), self.dimensions), np.float32)
        if not texts:
            return out
        # A lone surrogate (from a file name, or broken text) is no valid UTF-8.
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        ids = [item.ids for item in self._tokenizer.encode_batch(clean)]
        parts = list(batches([len(row) for row in ids]))
        started = time.perf_counter()
        # A question does not wait for the passages that other threads are having embedded.
        each = map if len(parts) == 1 else self._pool.map
        done = each(self._run, [[ids[row] for row in rows] for rows in parts])
        for rows, vectors in zip(parts, done, strict=True):
            out[rows] = vectors
        with self._lock:
            self.seconds_inside += time.perf_counter() - started
            self.tokens_inside += sum(map(len, ids))
        return out

    def _run(self, ids: list[list[int]]) -> Vectors:
        width = max(len(row) for row in ids)
        tokens = np.zeros((len(ids), width), np.int64)
        mask = np.zeros_like(tokens)
        for row, item in enumerate(ids):
            tokens[row, : len(item)] = item
            mask[row, : len(item)] = 1
        feed = {"input_ids": tokens, "attention_mask": mask}
        if "token_type_ids" in self._inputs:
            feed["token_type_ids"] = np.zeros_like(tokens)
        hidden = self._session.run(None, feed)[0]
        if self._spec.pooling == "cls":
            pooled = hidden[:, 0]
        else:
            weights = mask[:, :, None].astype(np.float32)
            pooled = (hidden * weights).sum(1) / weights.sum(1)
        return unit(pooled)


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Row numbers in batches of like length: longest first, so memory peaks at once.

    A batch has at most `BATCH_ROWS` rows and `BATCH_TOKENS` padded tokens (or one row).
    """
    batch: list[int] = []
    for row in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        width = lengths[batch[0]] if batch else lengths[row]
        if batch and (len(batch) == BATCH_ROWS or width * (len(batch) + 1) > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def load_embedder(
    settings: Settings,
    weights: WeightsSource,
    progress: Callable[[Any], None] | None = None,
) -> Embedder:
    """The embedder that `settings.index.embedder` names, its weights obtained if need be.

    `progress` hears of the download (`manole.models.weights.Progress`).
    Raises `SettingsError` for an unknown name, `WeightsError` or `ModelError` when it cannot
    be had.
    """
    name = settings.index.embedder
    if name.startswith("openai:"):
        from manole.models.openai_embedder import OpenAIEmbedder  # imports an HTTP client

        model, urls = embedder_endpoints(settings)
        keys = {url: key_for(url, settings) for url in urls}
        return OpenAIEmbedder(model, urls, keys=keys, timeout_s=settings.model.timeout_s)
    if name not in ENCODERS:
        raise SettingsError(
            f"index.embedder = {name} is not known.",
            f"Known are {', '.join(ENCODERS)}, and openai:MODEL@URL.",
        )
    files = weights.ensure(name, progress)
    return OnnxEmbedder(name, files["model.onnx"], files["tokenizer.json"], ENCODERS[name])
