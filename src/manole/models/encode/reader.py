"""The reader: how likely each sentence of a passage answers a question, by a small encoder.

It reads question, title and sentences together, as a cross-encoder does (Nogueira and Cho, "Passage
re-ranking with BERT", 2019), and gives each sentence a logit of its own: the mean of its tokens'.
It is taught with everyday questions whose deciding sentence is known, and with sentences beside it
that only look so (`training/`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from manole.models.encode.onnx_encoder import OnnxEncoder, batches, encodable

_WEIGHTS = Path(__file__).parent / "weights"
_QUESTION, _TITLE, _WINDOW = 64, 48, 352  # tokens: as in training
_LEAST = -12.0  # logit of what stands beyond the window

Passage = tuple[str, Sequence[str]]  # title and headings, sentences


class Reader:
    """The network with its tokenizer. Safe to call from several threads."""

    def __init__(self, folder: Path = _WEIGHTS) -> None:
        """Load it. Raises what onnxruntime raises where the files are damaged."""
        files = {"model.onnx": folder / "reader.onnx", "tokenizer.json": folder / "tokenizer.json"}
        self._encoder = OnnxEncoder(files, (), _WINDOW)
        self._encoder.tokenizer.no_truncation()
        first, last = self._encoder.tokenizer.encode("").ids
        self._first, self._last = first, last

    def __call__(self, question: str, passages: Sequence[Passage]) -> list[list[float]]:
        """Return the logit of each sentence of each passage, higher where it answers."""
        texts = [question, *(part for title, units in passages for part in (title, *units))]
        made = self._encoder.tokenizer.encode_batch(
            [encodable(text) for text in texts], add_special_tokens=False
        )
        tokens = iter([item.ids for item in made])
        asked = [self._first, *next(tokens)[:_QUESTION], self._last]
        windows = [self._window([*asked], next(tokens), [next(tokens) for _ in units])
                   for _, units in passages]  # fmt: skip
        lengths = [len(ids) for ids, _ in windows]
        order = sorted(range(len(windows)), key=lambda row: -lengths[row])
        parts = list(batches(lengths, order))
        found: list[list[float]] = [[] for _ in windows]

        def run(rows: Sequence[int]) -> npt.NDArray[np.float32]:
            logits, _ = self._encoder.network.run([windows[row][0] for row in rows])
            return np.asarray(logits, np.float32)

        each = map if len(parts) == 1 else self._encoder.threads.map
        for rows, logits in zip(parts, each(run, parts), strict=True):
            for row, own in zip(rows, logits, strict=True):
                found[row] = _means(own, windows[row][1])
        return found

    def _window(
        self, ids: list[int], title: Sequence[int], units: Sequence[Sequence[int]]
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the tokens of a window, and where each sentence stands; what is cut is empty."""
        ids += [*title[:_TITLE], self._last]
        places = []
        for unit in units:
            start = len(ids)
            ids += [*unit, self._last]
            places.append((min(start, _WINDOW), min(len(ids), _WINDOW)))
        return ids[:_WINDOW], places


def _means(logits: npt.NDArray[np.float32], places: Sequence[tuple[int, int]]) -> list[float]:
    """Return the mean logit of each place."""
    return [float(logits[a:b].mean()) if a < b else _LEAST for a, b in places]


@cache
def reader() -> Reader:
    """Return the shipped one, loaded once."""
    return Reader()
