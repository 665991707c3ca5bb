"""The head of an encoder: pooling of tokens, dense layers, layer normalisation, length 1.

A head's weights are safetensors: eight bytes with the length of the header, the header (JSON: type,
shape and place of each tensor), then the numbers. That is simple enough to be read here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from manole.errors import ModelError
from manole.models.catalog.encoders import Activation, Dense, Norm, Pooling

Vectors = npt.NDArray[np.float32]
_TYPES: dict[str, npt.DTypeLike] = {"F32": "<f4", "F16": "<f2"}
_MOST_HEADER = 1 << 20  # bytes; set by hand: a head has a handful of tensors
_EPSILON = 1e-5  # PyTorch's default


@dataclass(frozen=True, slots=True)
class Layer:
    """A dense layer: `weight` is (out, in), `bias` is (out,)."""

    weight: Vectors
    bias: Vectors
    activation: Activation

    def __call__(self, vectors: Vectors) -> Vectors:
        """Map (texts, in) to (texts, out)."""
        made = vectors @ self.weight.T + self.bias
        if self.activation == "tanh":
            made = np.tanh(made)
        elif self.activation == "gelu":  # the exact one, PyTorch's default
            made = made * (1 + _erf(made / math.sqrt(2))) / 2
        return np.asarray(made, np.float32)


@dataclass(frozen=True, slots=True)
class LayerNorm:
    """A layer normalisation (Ba, Kiros and Hinton, 2016): `weight` and `bias` are (numbers,)."""

    weight: Vectors
    bias: Vectors

    def __call__(self, vectors: Vectors) -> Vectors:
        """Map (texts, numbers) to the same shape."""
        centred = vectors - vectors.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + _EPSILON)
        return np.asarray(centred / spread * self.weight + self.bias, np.float32)


_erf = np.vectorize(math.erf, otypes=[np.float32])


def pool(hidden: npt.NDArray[Any], mask: npt.NDArray[np.int64], how: Pooling) -> npt.NDArray[Any]:
    """Pool (texts, tokens, numbers) to (texts, numbers); `mask` is 0 at padding, on the right.

    With "none", `hidden` is (texts, numbers) already. Raises `ModelError` for another shape.
    """
    wanted = (len(mask),) if how == "none" else mask.shape
    if hidden.shape[:-1] != wanted:
        raise ModelError(f"Its output has the shape {hidden.shape}, not {(*wanted, 'numbers')}.")
    if how == "none":
        return hidden
    if how == "cls":
        return hidden[:, 0]
    if how == "last":
        last: npt.NDArray[Any] = hidden[np.arange(len(mask)), mask.sum(1) - 1]
        return last
    weights = mask[:, :, None].astype(np.float32)
    mean: npt.NDArray[Any] = (hidden * weights).sum(1) / weights.sum(1)
    return mean


def unit(vectors: npt.NDArray[Any]) -> Vectors:
    """Scale rows to length 1, so that a dot product is their cosine; a row of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return scaled


def read_layers(
    head: tuple[Dense | Norm, ...], files: Mapping[str, Path]
) -> tuple[Layer | LayerNorm, ...]:
    """Read the layers that a spec names. Raises `ModelError` for files that are none."""
    return tuple(
        _norm(files[one.file]) if isinstance(one, Norm) else _layer(files[one.file], one.activation)
        for one in head
    )


def _norm(path: Path) -> LayerNorm:
    tensors = read_tensors(path)
    weight, bias = tensors.get("norm.weight"), tensors.get("norm.bias")
    if weight is None or bias is None or weight.ndim != 1 or weight.shape != bias.shape:
        raise ModelError(f"{path.name} has no norm.weight and norm.bias of one length.")
    return LayerNorm(weight, bias)


def _layer(path: Path, activation: Activation) -> Layer:
    tensors = read_tensors(path)
    weight = tensors.get("linear.weight")
    if weight is None or weight.ndim != 2:
        raise ModelError(f"{path.name} has no matrix linear.weight.")
    bias = tensors.get("linear.bias", np.zeros(len(weight), np.float32))
    if bias.shape != weight.shape[:1]:
        raise ModelError(f"{path.name}: linear.bias does not fit linear.weight.")
    return Layer(weight, bias, activation)


def read_tensors(path: Path) -> dict[str, Vectors]:
    """Read the tensors of a safetensors file, as float32. Raises `ModelError`."""
    try:
        data = path.read_bytes()
        length = int.from_bytes(data[:8], "little")
        if len(data) < 8 or length > min(len(data) - 8, _MOST_HEADER):
            raise ValueError("it ends too early")
        header = json.loads(data[8 : 8 + length])
        return {
            name: _tensor(memoryview(data)[8 + length :], entry)
            for name, entry in header.items()
            if name != "__metadata__"
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path.name} is no safetensors file: {error}.") from error


def _tensor(data: memoryview, entry: Mapping[str, Any]) -> Vectors:
    if entry["dtype"] not in _TYPES:
        raise ValueError(f"it has numbers of the type {entry['dtype']}, not F32 or F16")
    begin, end = entry["data_offsets"]
    if not 0 <= begin <= end <= len(data):
        raise ValueError("it ends too early")
    numbers = np.frombuffer(data[begin:end], _TYPES[entry["dtype"]])
    return numbers.reshape(entry["shape"]).astype(np.float32)
