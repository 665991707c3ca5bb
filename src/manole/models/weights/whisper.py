"""Weights of Whisper in the format of CTranslate2, written anew in the one of whisper.cpp.

The same numbers under other names, laid out as whisper.cpp's `convert-pt-to-ggml.py` does: what
CTranslate2 fused (query, key, value) is cut apart, matrices become blocks of 8 bits (Q8_0). The mel
filters, which CTranslate2 does not keep, are those of Slaney's Auditory Toolbox (OpenAI made them
with librosa). The same bytes come out on every machine.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from manole.errors import WeightsError

_F32, _F16, _Q8 = 0, 1, 8  # ggml's numbers of types
_FTYPE = 2007  # matrices in Q8_0, version 2 of the blocks
_MELS, _RATE, _WINDOW = 80, 16_000, 400
_TOKENS = 50_257  # of GPT-2's vocabulary; whisper.cpp names those of languages and times itself
_TYPES = ["float32", "int8", "int16", "int32", "float16"]  # by CTranslate2's number
_NAMES = (  # CTranslate2's to those of whisper.cpp, in order; a list names what is fused
    ("/conv(.)/", r".conv\1."),
    ("/position_encodings/encodings", ".positional_embedding"),
    ("/embeddings/", ".token_embedding."),
    ("/layer_([0-9]+)/", r".blocks.\1."),
    ("encoder/layer_norm/", "encoder.ln_post."),
    ("decoder/layer_norm/", "decoder.ln."),
    ("self_attention/layer_norm/", "attn_ln."),
    ("attention/layer_norm/", "cross_attn_ln."),
    ("ffn/layer_norm/", "mlp_ln."),
    ("self_attention/linear_0/", "attn.query,key,value."),
    ("self_attention/linear_1/", "attn.out."),
    ("attention/linear_0/", "cross_attn.query."),
    ("attention/linear_1/", "cross_attn.key,value."),
    ("attention/linear_2/", "cross_attn.out."),
    ("ffn/linear_0/", "mlp.0."),
    ("ffn/linear_1/", "mlp.2."),
    ("gamma$", "weight"),
    ("beta$", "bias"),
)

Array = npt.NDArray[Any]


def convert(model: Path, vocabulary: Path, target: Path) -> None:
    """Write CTranslate2's `model` of Whisper, its tokens a line each, to `target` as ggml.

    Raises `WeightsError` if the files are none.
    """
    try:
        with model.open("rb") as source, target.open("wb") as file:
            found = _variables(source)
            file.write(_head(found))
            file.write(struct.pack("<2i", _MELS, _WINDOW // 2 + 1) + _mel_filters().tobytes())
            tokens = vocabulary.read_text("utf-8").split("\n")[:_TOKENS]
            file.write(struct.pack("<i", len(tokens)))
            letters = _letters()
            for token in tokens:
                raw = bytes(letters[letter] for letter in token)
                file.write(struct.pack("<i", len(raw)) + raw)
            for name, values in found.items():
                if values.ndim:
                    _write(file, name, values)
    except (KeyError, ValueError, IndexError, struct.error) as error:
        raise WeightsError(f"{model.name} is no Whisper of CTranslate2: {error!r}.") from None


def _variables(file: IO[bytes]) -> dict[str, Array]:
    """Return the variables of CTranslate2's file by name."""

    def number(form: str) -> int:
        return int(struct.unpack(f"<{form}", file.read(struct.calcsize(form)))[0])

    def text() -> str:
        return file.read(number("H")).rstrip(b"\0").decode("ascii")

    version, spec, _ = number("I"), text(), number("I")
    if (version, spec) != (6, "WhisperSpec"):
        raise ValueError(spec)
    found = {}
    for _ in range(number("I")):
        name, shape = text(), [number("I") for _ in range(number("B"))]
        kind, size = _TYPES[number("B")], number("I")
        found[name] = np.frombuffer(file.read(size), kind).reshape(shape)
    return found


def _head(found: dict[str, Array]) -> bytes:
    """Return the head: the sizes of the encoder and the decoder."""
    sizes = [found["decoder/embeddings/weight"].shape[0]]
    for side in ("encoder", "decoder"):
        layers = {name.split("/")[1] for name in found if name.startswith(f"{side}/layer_")}
        sizes += found[f"{side}/position_encodings/encodings"].shape
        sizes += int(found[f"{side}/num_heads"]), len(layers - {"layer_norm"})
    return b"lmgg" + struct.pack("<11i", *sizes, _MELS, _FTYPE)


def _write(file: IO[bytes], name: str, values: Array) -> None:
    """Write a variable, or the variables that are fused in it."""
    for theirs, ours in _NAMES:
        name = re.sub(theirs, ours, name)
    fused = re.search(r"\w+(,\w+)+", name)
    parts = fused[0].split(",") if fused else [""]
    for part, rows in zip(parts, np.split(values, len(parts)), strict=True):
        single = name.replace(fused[0], part) if fused else name
        if single.endswith("key.bias"):  # Whisper has none: zeros
            continue
        if ".conv" in name:
            kind, rows = (_F16, rows) if rows.ndim == 3 else (_F32, rows[:, None])
        else:
            kind = _F32 if rows.ndim == 1 or "positional" in name else _Q8
        shape, label = rows.shape[::-1], single.encode("ascii")
        file.write(struct.pack(f"<3i{len(shape)}i", len(shape), len(label), kind, *shape) + label)
        file.write(_blocks(rows) if kind == _Q8 else rows.astype(("<f4", "<f2")[kind]).tobytes())


def _blocks(values: Array) -> bytes:
    """Return rows in blocks of 32 bytes with their scale in 16 bits before them."""
    rows = values.astype(np.float32).reshape(-1, 32)
    scale = np.abs(rows).max(axis=1, keepdims=True) / np.float32(127)
    blocks = np.empty(len(rows), [("scale", "<f2"), ("values", "i1", 32)])
    blocks["scale"] = scale[:, 0]
    blocks["values"] = np.rint(rows / np.where(scale, scale, np.float32(1)))
    return blocks.tobytes()


def _mel_filters() -> npt.NDArray[np.float32]:
    """Return Slaney's filters, of the same area each: `[mels, bins]`."""
    # Hertz: straight to 1000, then 27 steps to 6400. Rounded: powers differ by machine.
    top = 15 + 27 * np.log(_RATE / 2 / 1000) / np.log(6.4)
    mels = np.linspace(0, top, _MELS + 2)
    hertz = np.where(mels < 15, mels * 200 / 3, 1000 * 6.4 ** ((mels - 15) / 27)).round(6)
    bins = np.arange(_WINDOW // 2 + 1) * (_RATE / _WINDOW)
    low, middle, high = (hertz[at : at + _MELS, None] for at in range(3))
    slopes = np.minimum((bins - low) / (middle - low), (high - bins) / (high - middle))
    filters: npt.NDArray[np.float32] = (np.maximum(slopes, 0) * 2 / (high - low)).astype("<f4")
    return filters


def _letters() -> dict[str, int]:
    """Return the byte that each letter of GPT-2's vocabulary stands for."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = (byte for byte in range(256) if byte not in shown)
    spaced = {chr(256 + n): byte for n, byte in enumerate(others)}
    return {chr(byte): byte for byte in shown} | spaced
