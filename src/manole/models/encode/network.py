"""A transformer in ONNX: rows of tokens in, one of its outputs out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt


class Network:
    """A model that reads `input_ids`, `attention_mask` and perhaps `token_type_ids`.

    It works with one thread: who has several rows to compute lets as many threads call `run`.
    """

    def __init__(self, path: Path) -> None:
        """Load it. Raises what onnxruntime raises for a file that is none."""
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
