"""Makes a checkpoint of the shipped parser, so that it can be taught further.

python training/restore.py OUT

Weights of eight bits become floats again. `train.py --begin OUT` goes on from it, with new rows and
new labels; a pass mends what eight bits lost.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import base
import numpy as np
import onnx
import torch
from export import FOLDER
from network import Parser
from onnx import numpy_helper
from tokenizers import Tokenizer

_PARTS = "all", "out", "up", "down"  # the matrices of a layer, in their order
_TURNED = "_Transposed"
_BITS = re.compile(r"_(?:quantized|scale|zero_point)$")


def floats(path: Path) -> dict[str, np.ndarray]:
    """Return the weights of a network by name; those of matrices by the node that multiplies."""
    graph = onnx.load(path).graph
    raw = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    known: dict[str, np.ndarray] = {}
    for name, value in raw.items():
        if not _BITS.search(name):
            known[name] = value
        elif name.endswith("_quantized"):
            own = name.removesuffix("_quantized")
            zero = raw[f"{own}_zero_point"].astype(np.float32)
            known[own] = (value.astype(np.float32) - zero) * raw[f"{own}_scale"]
    return known


def state(known: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
    """Return the weights by the names of `Parser`.

    The exporter turns matrices, and numbers those of nodes with more than two axes in their order.
    """
    numbered = sorted(name for name in known if name.startswith("onnx::MatMul_"))
    depth = (len(numbered) - 2) // 4
    order = [f"encoder.layers.{n}.{part}" for n in range(depth) for part in _PARTS]
    names = dict(zip(numbered, [*order, "tag", "flag"], strict=True))
    found = {}
    for name, value in known.items():
        if name in names:
            found[f"{names[name]}.weight"] = value.T
        else:
            turned = name.endswith(_TURNED)
            found[name.removesuffix(_TURNED)] = value.T if turned else value
    return {name: torch.tensor(value.copy()) for name, value in found.items()}


def main() -> None:
    """Restore."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    tokenizer = (FOLDER / "tokenizer.json").read_text()
    (out / "tokenizer.json").write_text(tokenizer)
    known = state(floats(FOLDER / "parser.onnx"))
    depth = sum(name.endswith(".up.bias") for name in known)
    parser = Parser(base.Encoder(Tokenizer.from_str(tokenizer).get_vocab_size(), depth))
    parser.load_state_dict(known)
    torch.save({"parser": parser.state_dict(), "depth": depth}, out / "parser.pt")


if __name__ == "__main__":
    main()
