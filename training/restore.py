"""Makes a checkpoint of shipped weights, so that they can be taught further.

python training/restore.py parser|embedder|reader OUT

Weights of eight bits become floats again, and the scales of `export_encoders.py` go back into them.
`train.py`, `tongues.py` and `reader.py` go on from it (`--begin OUT`), with new rows and labels; a
pass mends what eight bits lost.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import base
import export
import export_encoders
import numpy as np
import onnx
import torch
from network import Parser, grown
from onnx import numpy_helper
from reader import Reader
from tokenizers import Tokenizer

Weights = dict[str, torch.Tensor]

_PARTS = "all", "out", "up", "down"  # the matrices of a layer, in their order
_HEADS: dict[str, tuple[str, ...]] = {
    "parser": ("tag", "flag"), "embedder": (), "reader": ("unit",),
}  # fmt: skip
_FOLDERS = {
    "parser": export.FOLDER, "embedder": export_encoders.FOLDER, "reader": export_encoders.FOLDER,
}  # fmt: skip
_TURNED, _WHOLE = "_Transposed", "heads."  # written as inputs by outputs
_BITS = re.compile(r"_(?:quantized|scale|zero_point)$")
_SCALE = ".scale"


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


def state(known: dict[str, np.ndarray], heads: tuple[str, ...]) -> Weights:
    """Return the weights by the names of the network that has these heads over each token.

    The exporter turns matrices, and numbers those of nodes with more than two axes in their order.
    """
    numbered = sorted(name for name in known if name.startswith("onnx::MatMul_"))
    depth = (len(numbered) - len(heads)) // len(_PARTS)
    inside = "encoder." if heads else ""  # the embedder is the encoder itself
    order = [f"{inside}layers.{n}.{part}" for n in range(depth) for part in _PARTS]
    names = dict(zip(numbered, [*order, *heads], strict=True))
    found = {}
    for name, value in known.items():
        if name in names:
            found[f"{names[name]}.weight"] = value.T
        else:
            turned = name.endswith(_TURNED) or name.startswith(_WHOLE)
            own = name.removeprefix("network.").removesuffix(_TURNED).replace(".layer.", ".")
            found[own] = value.T if turned else value
    return unsmoothed({name: torch.tensor(value.copy()) for name, value in found.items()})


def unsmoothed(weights: Weights) -> Weights:
    """Return weights that take the scales of their inputs."""
    for name in [name for name in weights if name.endswith(_SCALE)]:
        weights[name.removesuffix(_SCALE) + ".weight"] *= weights.pop(name)
    return weights


def main() -> None:
    """Restore."""
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("network", choices=_FOLDERS)
    parse.add_argument("out", type=Path)
    told = parse.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    folder, name = _FOLDERS[told.network], told.network
    tokenizer = (folder / "tokenizer.json").read_text()
    (told.out / "tokenizer.json").write_text(tokenizer)
    known = state(floats(folder / f"{name}.onnx"), _HEADS[name])
    words = Tokenizer.from_str(tokenizer).get_vocab_size()
    depth = sum(weight.endswith(".up.bias") for weight in known)
    if name == "parser":
        parser = Parser(base.Encoder(words, depth))
        parser.load_state_dict(grown(known, parser.state_dict()))
        torch.save({"parser": parser.state_dict(), "depth": depth}, told.out / "parser.pt")
    elif name == "embedder":
        embedder = base.Encoder(words, depth, base.PLACES)
        embedder.load_state_dict(known)
        torch.save(embedder.state_dict(), told.out / "embedder.pt")
    else:
        reader = Reader(base.Encoder(words, depth, base.PLACES))
        reader.load_state_dict(known)
        torch.save(reader.state_dict(), told.out / "reader.pt")


if __name__ == "__main__":
    main()
