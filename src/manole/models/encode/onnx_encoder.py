"""A transformer in ONNX with its tokenizer and the layers of its head, as its user needs them.

Each core this process may use works on a batch of its own, with one thread: threads that share one
batch wait for each other at every operator.
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

BATCH_ROWS, BATCH_TOKENS = 8, 256  # padded tokens of one batch, at most (or one row)


class Network:
    """A model that reads `input_ids`, `attention_mask` and perhaps `token_type_ids`.

    It works with one thread; to use several cores, call `run` from as many threads.
    """

    def __init__(self, path: Path) -> None:
        """Load it. Raises what onnxruntime raises for a file that is no model."""
        import onnxruntime  # 0.1 s, and only those who embed or rerank need it

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
        """An output (the first one without a name), and the mask: 0 where a row is padded.

        `types` say which of two texts a token is of; without them all are of the first.
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
    """Network, layers, tokenizer and threads of one model. Safe to call from several threads."""

    def __init__(
        self,
        files: Mapping[str, Path],
        head: tuple[Dense | Norm, ...],
        max_tokens: int,
        threads: ThreadPoolExecutor,
    ) -> None:
        """Load `model.onnx`, `tokenizer.json` or `vocab.txt`, and the files of the head."""
        self.threads = threads
        self.network = Network(files["model.onnx"])
        self.layers = read_layers(head, files)
        self.tokenizer = load_tokenizer(tokenizer_path(files))
        self.tokenizer.enable_truncation(max_tokens)


def threads_for(name: str, count: int) -> ThreadPoolExecutor:
    """So many threads called `name`; with 0 as many as cores."""
    return ThreadPoolExecutor(count or allowed_cores(), thread_name_prefix=name)


@contextlib.contextmanager
def loading(what: str) -> Iterator[None]:
    """Turn what fails while a model loads into `ModelError`.

    The libraries raise bare exceptions of their own making.
    """
    try:
        yield
    except Exception as error:
        said = error.message if isinstance(error, ModelError) else str(error)
        raise ModelError(
            f"The {what} cannot be loaded: {said.rstrip('.')}.",
            "`manole models verify` checks its files.",
        ) from error


def encodable(text: str) -> str:
    """The text without a lone surrogate (from a file name, or broken text): that is no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def batches(lengths: Sequence[int], order: Iterable[int]) -> Iterator[list[int]]:
    """Row numbers in this order, in batches of at most `BATCH_ROWS` and `BATCH_TOKENS`, padded."""
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
