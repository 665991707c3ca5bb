"""What a day in a sentence is for: to pay, an end, an appointment, or nothing that matters.

A small network over the vectors of the shipped embedder, taught by `training/due.py` with sentences
in six languages. In them the day is written `DAY` and other days `OTHER`, so that it is the words
around a day that count, those next to it twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from manole.models.catalog.encoders import ENCODERS
from manole.models.encode.embedder import OnnxEmbedder
from manole.models.encode.heads import Layer, Vectors, read_tensors

Purpose = Literal["none", "pay", "ends", "cancel", "event", "task", "renews"]
LABELS: tuple[Purpose, ...] = get_args(Purpose)
DAY, OTHER = "DAY", "OTHER"
_HALF = 0.5
_BESIDE = 25  # characters on each side of a day that are seen once more, by themselves
WEIGHTS = Path(__file__).parent / "weights"
_NAME = "manole-e5-small"


@cache
def shipped() -> OnnxEmbedder:
    """Return the shipped embedder, loaded once: an index may have another one."""
    files = {"model.onnx": WEIGHTS / "embedder.onnx", "tokenizer.json": WEIGHTS / "tokenizer.json"}
    return OnnxEmbedder(_NAME, files, ENCODERS[_NAME])


@cache
def _layers() -> tuple[Layer, Layer]:
    read = read_tensors(WEIGHTS / "due.safetensors")
    hidden = Layer(read["hidden.weight"], read["hidden.bias"], "tanh")
    return hidden, Layer(read["labels.weight"], read["labels.bias"], "identity")


def features(sentences: Sequence[str]) -> Vectors:
    """Return what the network sees: the vectors of the sentence and of the words beside its `DAY`.

    float32, (sentences, twice the embedder's dimensions).
    """
    return np.hstack([shipped().embed(sentences), shipped().embed([*map(_beside, sentences)])])


def _beside(sentence: str) -> str:
    """Return the `DAY` of a sentence with the whole words on both sides."""
    before, _, behind = sentence.partition(DAY)
    if len(before) > _BESIDE:
        before = before[-_BESIDE:].partition(" ")[2]
    if len(behind) > _BESIDE:
        behind = behind[:_BESIDE].rpartition(" ")[0]
    return f"{before}{DAY}{behind}"


def purposes(sentences: Sequence[str]) -> list[tuple[Purpose, float]]:
    """Return what the `DAY` of each sentence is for, and how sure it is that it matters, or not.

    From 0.5 to 1; of two kinds that are nearly as likely the day matters for one of them.
    """
    if not sentences:
        return []
    vectors = features(sentences)
    for layer in _layers():
        vectors = layer(vectors)
    shares = np.exp(vectors - vectors.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    likely = zip(shares[:, 0], 1 + shares[:, 1:].argmax(1), strict=True)
    return [
        (LABELS[at], float(1 - none)) if none < _HALF else (LABELS[0], float(none))
        for none, at in likely
    ]
