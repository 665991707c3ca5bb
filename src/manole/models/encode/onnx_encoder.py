"""A transformer in ONNX with its tokenizer and head, as embedder and reranker use it.

Each core works on a batch of its own, with one thread (`embedder.py` says why).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from manole.errors import ModelError
from manole.models.catalog.encoders import Dense, Norm
from manole.models.cores import allowed_cores
from manole.models.encode.heads import read_layers
from manole.models.encode.tokenizing import load_tokenizer, tokenizer_path

# A batch has at most so many rows and padded tokens, or a single row. Set by hand, so that a batch
# fits a core's cache.
BATCH_ROWS, BATCH_TOKENS = 8, 256


class Network:
    """A model that reads `input_ids`, `attention_mask` and perhaps `token_type_ids`.

    It works with one thread; to use several cores, call `run` from as many threads.
    """

    def __init__(self, path: Path) -> None:
        """Load a model. Raises what onnxruntime raises for a file that is none."""
        import onnxruntime  # takes 0.1 s, and only embedding and reranking need it

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
        self._typed = any(item.name == "token_type_ids" for item in self._session.get_inputs())

    def run(
        self, ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]] = (), output: str = ""
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        """Return the output of that name (default: the first), and the mask, 0 at padding.

        `types` tell which of two texts a token belongs to; by default all belong to the first.
        """
        tokens = np.zeros((len(ids), max(map(len, ids))), np.int64)
        mask, kinds = np.zeros_like(tokens), np.zeros_like(tokens)
        for row, item in enumerate(ids):
            tokens[row, : len(item)] = item
            mask[row, : len(item)] = 1
        for row, item in enumerate(types):
            kinds[row, : len(item)] = item
        feed = {"input_ids": tokens, "attention_mask": mask}
        if self._typed:
            feed["token_type_ids"] = kinds
        return self._session.run([output] if output else None, feed)[0], mask


class OnnxEncoder:
    """The network, head, tokenizer and threads of a model. Safe to call from several threads."""

    def __init__(
        self,
        files: Mapping[str, Path],
        head: tuple[Dense | Norm, ...],
        max_tokens: int,
    ) -> None:
        """Load `model.onnx`, `tokenizer.json` or `vocab.txt`, and the files of the head."""
        self.threads = ThreadPoolExecutor(allowed_cores(), thread_name_prefix="encode")
        self.network = Network(files["model.onnx"])
        self.layers = read_layers(head, files)
        self.tokenizer = load_tokenizer(tokenizer_path(files))
        self.tokenizer.enable_truncation(max_tokens)


@contextlib.contextmanager
def loading(what: str) -> Iterator[None]:
    """Turn any failure while a model loads into `ModelError`.

    The libraries raise plain `Exception`s.
    """
    try:
        yield
    except Exception as error:
        reason = error.message if isinstance(error, ModelError) else str(error)
        raise ModelError(
            f"The {what} cannot be loaded: {reason.rstrip('.')}.",
            "`manole models verify` checks its files.",
        ) from error


def encodable(text: str) -> str:
    """Return the text without lone surrogates, which are no UTF-8 (from names of files)."""
    return text.encode("utf-8", "replace").decode("utf-8")


def batches(lengths: Sequence[int], order: Iterable[int]) -> Iterator[list[int]]:
    """Yield row numbers in this order, in batches of at most `BATCH_ROWS` and `BATCH_TOKENS`."""
    batch: list[int] = []
    width = 0
    for row in order:
        wider = max(width, lengths[row])
        if batch and (len(batch) == BATCH_ROWS or wider * (len(batch) + 1) > BATCH_TOKENS):
            yield batch
            batch, wider = [], lengths[row]
        batch.append(row)
        width = wider
    if batch:
        yield batch
