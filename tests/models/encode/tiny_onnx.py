"""Tiny sentence encoders in ONNX, with seeded random weights, for tests; and safetensors files.

An encoder has two outputs: `last_hidden_state`, in which each token is mixed with the mean of all
tokens that are not padding (as attention does), and `sentence_embedding`, the mean of those. The
same is computed by `Encoder.hidden` in numpy. The files are written as the protocol buffers that
ONNX defines (onnx.proto, version 1.17), for the `onnx` package is no part of this project.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FLOAT, INT64 = 1, 7
DATA = "weights.onnx_data"  # the name by which a model refers to its external data

_WORDS = """the cat sits on a mat and dog runs red house of hill query passage : ##s bill is"""
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *re.split(" ", _WORDS)]


def _varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def _message(*fields: tuple[int, int | str | bytes]) -> bytes:
    """A protocol buffer: pairs of a field's number and its value."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += _varint(number << 3) + _varint(value)
        else:
            data = value.encode() if isinstance(value, str) else value
            out += _varint(number << 3 | 2) + _varint(len(data)) + data
    return out


def _node(kind: str, inputs: Iterable[str], output: str, **attributes: int) -> tuple[int, bytes]:
    told = [(5, _message((1, name), (3, value), (20, 2))) for name, value in attributes.items()]
    return 1, _message(*[(1, name) for name in inputs], (2, output), (4, kind), *told)


def _value(number: int, name: str, kind: int, *dims: str | int) -> tuple[int, bytes]:
    shape = _message(*[(1, _message((1 if isinstance(dim, int) else 2, dim))) for dim in dims])
    return number, _message((1, name), (2, _message((1, _message((1, kind), (2, shape))))))


def _tensor(
    name: str, array: NDArray, external: tuple[str, int] | None = None
) -> tuple[int, bytes]:
    kind = FLOAT if array.dtype == np.float32 else INT64
    told = [(1, size) for size in array.shape] + [(2, kind), (8, name)]
    if external is None:
        return 5, _message(*told, (9, array.tobytes()))
    file, offset = external
    pairs = {"location": file, "offset": str(offset), "length": str(array.nbytes)}
    entries = [(13, _message((1, key), (2, value))) for key, value in pairs.items()]
    return 5, _message(*told, *entries, (14, 1))


@dataclass(frozen=True)
class Encoder:
    """The one matrix of an encoder: a row for each token, its padding's with large numbers."""

    table: NDArray[np.float32]

    @classmethod
    def make(cls, width: int = 12, seed: int = 0) -> Encoder:
        table = np.random.default_rng(seed).normal(size=(len(VOCABULARY), width))
        table[0] = 9  # whoever forgets the mask is far off
        return cls(table.astype(np.float32))

    def hidden(self, ids: list[int]) -> NDArray[np.float32]:
        """`last_hidden_state` of one text: (tokens, width)."""
        tokens = self.table[ids]
        return np.tanh(tokens + tokens.mean(0))

    def write(self, folder: Path, *, external: bool = False) -> dict[str, Path]:
        """`model.onnx` and perhaps its external data, by name."""
        data = (DATA, 0) if external else None
        axis = np.array([1], np.int64)
        graph = _message(
            _node("Gather", ["table", "input_ids"], "tokens"),
            _node("Cast", ["attention_mask"], "flat", to=FLOAT),
            _node("Unsqueeze", ["flat", "two"], "mask"),
            _node("ReduceSum", ["mask", "one"], "count"),
            _node("Mul", ["tokens", "mask"], "seen"),
            _node("ReduceSum", ["seen", "one"], "sum"),
            _node("Div", ["sum", "count"], "mean"),
            _node("Add", ["tokens", "mean"], "mixed"),
            _node("Tanh", ["mixed"], "last_hidden_state"),
            _node("Mul", ["last_hidden_state", "mask"], "kept"),
            _node("ReduceSum", ["kept", "one"], "total", keepdims=0),
            _node("Squeeze", ["count", "one"], "number"),
            _node("Div", ["total", "number"], "sentence_embedding"),
            (2, "tiny"),
            _tensor("table", self.table, data),
            _tensor("one", axis),
            _tensor("two", axis + 1),
            _value(11, "input_ids", INT64, "batch", "tokens"),
            _value(11, "attention_mask", INT64, "batch", "tokens"),
            _value(12, "last_hidden_state", FLOAT, "batch", "tokens", self.table.shape[1]),
            _value(12, "sentence_embedding", FLOAT, "batch", self.table.shape[1]),
        )  # fmt: skip
        model = folder / "model.onnx"
        model.write_bytes(_message((1, 8), (8, _message((1, ""), (2, 13))), (7, graph)))
        if not external:
            return {"model.onnx": model}
        (folder / DATA).write_bytes(self.table.tobytes())
        return {"model.onnx": model, DATA: folder / DATA}


def write_vocabulary(folder: Path, *more: str) -> dict[str, Path]:
    """`vocab.txt`, as BERT has it."""
    path = folder / "vocab.txt"
    path.write_text("\n".join([*VOCABULARY, *more]), "utf-8")
    return {path.name: path}


def write_tokenizer(folder: Path) -> dict[str, Path]:
    """`tokenizer.json` of the same tokens."""
    from tokenizers import BertWordPieceTokenizer

    vocabulary = write_vocabulary(folder)["vocab.txt"]
    path = folder / "tokenizer.json"
    path.write_text(BertWordPieceTokenizer(str(vocabulary)).to_str(), "utf-8")
    vocabulary.unlink()
    return {path.name: path}


def write_tensors(path: Path, tensors: Mapping[str, NDArray], kind: str = "F32") -> Path:
    """A safetensors file."""
    header, data = {"__metadata__": {"format": "np"}}, b""
    for name, array in tensors.items():
        raw = array.astype({"F32": "<f4", "F16": "<f2", "F64": "<f8"}[kind]).tobytes()
        place = [len(data), len(data) + len(raw)]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": place}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path
