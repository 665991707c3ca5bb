"""The number of a model's layers that fit on graphics processors, from the header of its file.

A GGUF file begins with keys and values that describe the model (the GGUF specification, version 3).
The ones before the tokenizer are read. The file may be anybody's: lengths are bounded, and a header
that cannot be read gives no layers.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from manole.models.gpu.devices import Gpu

# Bytes left free on each device for intermediate results and other programs, as by llama.cpp's own
# `--fit-target`.
MARGIN = 2**30
_NUMBERS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
_STRING, _ARRAY = 8, 9
_MOST = 4096  # keys, or items of an array, set by hand: more is no header
_MOST_BYTES = 2**20  # of a string, set by hand: a chat template or a licence may be long
_BYTES = {"f16": 2.0, "q8_0": 34 / 32}  # per number of a key or value


@dataclass(frozen=True, slots=True)
class Room:
    """The room for `layers` of `total`. The engine counts the output as a layer of its own."""

    layers: int
    total: int


def room(
    path: Path, gpus: Sequence[Gpu], context: int, kv: str, projector: Path | None = None
) -> Room:
    """Return the layers of the weights at `path` that fit, with their share of the context.

    Assumes that all layers are equally large and keep keys and values for all `context` tokens.
    """
    found = header(path)
    kind = str(found.get("general.architecture", ""))
    blocks = _number(found.get(f"{kind}.block_count"))
    if blocks < 1 or not gpus:
        return Room(0, max(blocks + 1, 0))
    total = blocks + 1
    heads = max(_number(found.get(f"{kind}.attention.head_count")), 1)
    kept = _number(found.get(f"{kind}.attention.head_count_kv")) or heads
    width = _number(found.get(f"{kind}.embedding_length")) // heads
    keys = _number(found.get(f"{kind}.attention.key_length")) or width
    values = _number(found.get(f"{kind}.attention.value_length")) or width
    each = path.stat().st_size / total + context * kept * (keys + values) * _BYTES[kv]
    free = sum(max(0, gpu.free - MARGIN) for gpu in gpus)
    if projector is not None:
        free -= projector.stat().st_size
    return Room(max(0, min(total, int(free / each))), total)


def header(path: Path) -> dict[str, Any]:
    """Read the keys of a GGUF file up to its tokenizer; empty where they cannot be read."""
    out: dict[str, Any] = {}
    try:
        with path.open("rb") as file:
            magic, version, _, count = _unpacked(file, "<4sIQQ")
            if magic != b"GGUF" or version not in (2, 3):
                return {}
            for _ in range(min(count, _MOST)):
                key = _string(file)
                if key.startswith("tokenizer."):
                    break
                out[key] = _value(file, *_unpacked(file, "<I"))
    except (OSError, ValueError, struct.error):
        return {}
    return out


def _value(file: IO[bytes], kind: int) -> Any:
    if kind == _STRING:
        return _string(file)
    if kind != _ARRAY:
        if kind not in _NUMBERS:
            raise ValueError("no such type")
        return _unpacked(file, f"<{_NUMBERS[kind]}")[0]
    inner, count = _unpacked(file, "<IQ")
    if count > _MOST or inner == _ARRAY:
        raise ValueError("an array that is too long")
    return [_value(file, inner) for _ in range(count)]


def _string(file: IO[bytes]) -> str:
    (size,) = _unpacked(file, "<Q")
    if size > _MOST_BYTES:
        raise ValueError("a string that is too long")
    return file.read(size).decode("utf-8", "replace")


def _unpacked(file: IO[bytes], form: str) -> tuple[Any, ...]:
    return struct.unpack(form, file.read(struct.calcsize(form)))


def _number(value: object) -> int:
    """Return a count, the greatest of counts per layer; 0 if there is no sensible one."""
    if isinstance(value, list):
        return max((_number(item) for item in value), default=0)
    return value if isinstance(value, int) and 0 < value < 2**31 else 0
