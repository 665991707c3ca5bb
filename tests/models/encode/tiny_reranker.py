"""Tiny cross-encoders in ONNX, for tests: two texts in, `logits` out; and a head as Ettin has it.

The network is that of `tiny_onnx.Encoder` with a row for each of the two texts (`token_type_ids`)
and a classifier over the first token. The same is computed in numpy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.encode.tiny_onnx import (
    FLOAT,
    INT64,
    VOCABULARY,
    Encoder,
    _message,
    _node,
    _tensor,
    _value,
    write_tensors,
)

Array = NDArray[np.float32]


@dataclass(frozen=True)
class CrossEncoder:
    """`table`: a row for each token; `texts`: (2, width); `classifier`: (width, labels)."""

    table: Array
    texts: Array
    classifier: Array

    @classmethod
    def make(cls, width: int = 12, labels: int = 1, seed: int = 3) -> CrossEncoder:
        random = np.random.default_rng(seed)
        shapes = ((2, width), (width, labels))
        table = Encoder.make(width, seed).table
        return cls(table, *(random.normal(size=shape).astype(np.float32) for shape in shapes))

    @classmethod
    def fond_of(cls, word: str) -> CrossEncoder:
        """One that scores a pair by how much of it is `word`: its share times 20, less 1."""
        table = np.zeros((len(VOCABULARY), 2), np.float32)
        table[VOCABULARY.index(word)] = 1, 0
        table[VOCABULARY.index("[CLS]")] = 0, 10  # tanh is 1
        return cls(table, np.zeros((2, 2), np.float32), np.array([[20], [-1]], np.float32))

    def score(self, ids: list[int], types: list[int]) -> float:
        """The logit of one pair."""
        tokens = self.table[ids] + self.texts[types]
        return float((np.tanh(tokens[0] + tokens.mean(0)) @ self.classifier)[0])

    def write(self, folder: Path) -> dict[str, Path]:
        """`model.onnx`, by name."""
        axis = np.array([1], np.int64)
        graph = _message(
            _node("Gather", ["table", "input_ids"], "words"),
            _node("Gather", ["texts", "token_type_ids"], "text"),
            _node("Add", ["words", "text"], "tokens"),
            _node("Cast", ["attention_mask"], "flat", to=FLOAT),
            _node("Unsqueeze", ["flat", "two"], "mask"),
            _node("ReduceSum", ["mask", "one"], "count"),
            _node("Mul", ["tokens", "mask"], "seen"),
            _node("ReduceSum", ["seen", "one"], "sum"),
            _node("Div", ["sum", "count"], "mean"),
            _node("Add", ["tokens", "mean"], "mixed"),
            _node("Tanh", ["mixed"], "hidden"),
            _node("Gather", ["hidden", "zero"], "first", axis=1),
            _node("MatMul", ["first", "classifier"], "logits"),
            (2, "tiny"),
            _tensor("table", self.table),
            _tensor("texts", self.texts),
            _tensor("classifier", self.classifier),
            _tensor("one", axis),
            _tensor("two", axis + 1),
            _tensor("zero", np.array(0, np.int64)),
            _value(11, "input_ids", INT64, "batch", "tokens"),
            _value(11, "attention_mask", INT64, "batch", "tokens"),
            _value(11, "token_type_ids", INT64, "batch", "tokens"),
            _value(12, "logits", FLOAT, "batch", self.classifier.shape[1]),
        )
        model = folder / "model.onnx"
        model.write_bytes(_message((1, 8), (8, _message((1, ""), (2, 13))), (7, graph)))
        return {"model.onnx": model}


@dataclass(frozen=True)
class Head:
    """First token → dense layer with GELU → layer normalisation → dense layer: Ettin's."""

    dense: Array
    weight: Array
    bias: Array
    last: Array
    offset: Array

    @classmethod
    def make(cls, width: int = 12, seed: int = 5) -> Head:
        random = np.random.default_rng(seed)
        shapes = ((width, width), (width,), (width,), (1, width), (1,))
        return cls(*(random.normal(size=shape).astype(np.float32) for shape in shapes))

    def score(self, first: Array) -> float:
        """The score of one pair, from its first token, in float64."""
        made = self.dense.astype(np.float64) @ first
        made = np.array([v * (1 + math.erf(v / math.sqrt(2))) / 2 for v in made])
        made = (made - made.mean()) / math.sqrt(made.var() + 1e-5) * self.weight + self.bias
        return float((self.last @ made + self.offset)[0])

    def write(self, folder: Path) -> dict[str, Path]:
        """The three files, by the names of the catalog."""
        made = {
            "dense.safetensors": {"linear.weight": self.dense},
            "norm.safetensors": {"norm.weight": self.weight, "norm.bias": self.bias},
            "score.safetensors": {"linear.weight": self.last, "linear.bias": self.offset},
        }
        return {name: write_tensors(folder / name, tensors) for name, tensors in made.items()}
