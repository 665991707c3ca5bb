"""Writes the reader, or the embedder, for the program, with weights and inputs of eight bits.

python training/export_encoders.py reader|embedder RUN[,RUN] --candidates build/candidates.json.xz

Of several runs the mean is written. A few of the numbers between layers are fifty times the others,
so eight bits for all of them lose what the others say. Each input is divided by a scale of its own
that the weights take up (SmoothQuant, Xiao et al. 2023): the cosine to what 32 bits give is .996
then, .980 without.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from functools import partial
from hashlib import sha256
from pathlib import Path

import base
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from pairs import END, START, Sentences, window
from reader import Reader
from tokenizers import Tokenizer
from torch import nn

FOLDER = Path(__file__).parents[1] / "src/manole/models/encode/weights"
SUMS = "SHA256SUMS"
_TEXTS = 64  # at most, that the scales are measured on
_INPUTS, _WEIGHTS = 1e-3, 1e-4  # least largest number of an input, of its weights
_SHIFT = {"embedder": 0.7, "reader": 0.8}  # how much of an input's range goes to the weights


class Smooth(nn.Module):
    """A linear layer whose inputs are divided by `scale` first."""

    def __init__(self, layer: nn.Linear, largest: torch.Tensor, shift: float) -> None:
        """Give the weights what the inputs lose."""
        super().__init__()
        weight = layer.weight.data
        range_of = weight.abs().amax(0).clamp(min=_WEIGHTS)
        scale = largest.clamp(min=_INPUTS) ** shift / range_of ** (1 - shift)
        self.scale = nn.Parameter(1 / scale.clamp(min=_INPUTS))
        self.layer = nn.Linear(*weight.T.shape)
        self.layer.weight.data, self.layer.bias.data = weight * scale.clamp(min=_INPUTS), layer.bias

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return what the layer returned."""
        made: torch.Tensor = self.layer(x * self.scale)
        return made


def smoothed(encoder: base.Encoder, texts: list[list[int]], shift: float) -> None:
    """Exchange the linear layers of an encoder."""
    largest: dict[tuple[int, str], torch.Tensor] = {}

    def note(key: tuple[int, str], _: nn.Module, given: tuple[torch.Tensor], __: object) -> None:
        top = given[0].abs().amax((0, 1))
        largest[key] = torch.maximum(largest.get(key, top), top)

    hooks = [
        layer[name].register_forward_hook(partial(note, (at, name)))
        for at, layer in enumerate(encoder.layers)
        for name in ("all", "out", "up", "down")
    ]
    with torch.no_grad():
        for ids in texts:
            encoder(torch.tensor([ids]), torch.ones(1, len(ids)))
    for hook in hooks:
        hook.remove()
    for (at, name), top in largest.items():
        encoder.layers[at][name] = Smooth(encoder.layers[at][name], top, shift)


class Masked(nn.Module):
    """A network that takes a mask of whole numbers."""

    def __init__(self, network: nn.Module) -> None:
        """Wrap it."""
        super().__init__()
        self.network = network

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return what the network returns."""
        made: torch.Tensor = self.network(input_ids, attention_mask.float())
        return made


def write(network: nn.Module, path: Path) -> None:
    """Write a network in ONNX."""
    network.eval()
    one = torch.ones(2, 9, dtype=torch.long)
    axes = {0: "rows", 1: "tokens"}
    names = ["input_ids", "attention_mask"]
    with tempfile.TemporaryDirectory() as place:
        plain = Path(place, "plain.onnx")
        torch.onnx.export(
            Masked(network), (one, one), str(plain), input_names=names, output_names=["made"],
            opset_version=17, dynamo=False, dynamic_axes=dict.fromkeys([*names, "made"], axes),
        )  # fmt: skip
        quantize_dynamic(
            plain, path, weight_type=QuantType.QInt8, per_channel=True,
            op_types_to_quantize=["MatMul", "Gemm", "Gather"],
        )  # fmt: skip


def main() -> None:
    """Export one of them."""
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("network", choices=_SHIFT)
    parse.add_argument("runs")
    parse.add_argument("--candidates", type=Path, required=True)
    parse.add_argument("--folder", type=Path, default=FOLDER)
    told = parse.parse_args()
    name, folder = told.network, told.folder
    runs = [Path(run) for run in told.runs.split(",")]
    tokenizer = (runs[-1] / "tokenizer.json").read_text()
    words = Tokenizer.from_str(tokenizer)
    data = Sentences(told.candidates, words, None)
    taught = [q for q in data.taught if q.found]
    asked = random.Random(5).sample(taught, min(_TEXTS, len(taught)))
    passages = [data.passages[one.found[0].passage] for one in asked]
    before = words.encode(base.PREFIXES[1], add_special_tokens=False).ids
    whole = [[*before, *p.head, *(t for unit in p.units for t in unit)] for p in passages]
    texts = {
        "embedder": [[START, *ids[:254], END] for ids in whole],
        "reader": [window(one, p)[0] for one, p in zip(asked, passages, strict=True)],
    }
    encoder = base.Encoder(words.get_vocab_size(), 12, base.PLACES)
    network = Reader(encoder) if name == "reader" else encoder
    states = [torch.load(run / f"{name}.pt", weights_only=True) for run in runs]
    network.load_state_dict({part: sum(s[part] for s in states) / len(runs) for part in states[0]})
    network.eval()
    smoothed(encoder, texts[name], _SHIFT[name])
    folder.mkdir(parents=True, exist_ok=True)
    write(network, folder / f"{name}.onnx")
    (folder / "tokenizer.json").write_text(tokenizer)
    files = [path for path in sorted(folder.iterdir()) if path.name != SUMS]
    named = (f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
    (folder / SUMS).write_text("".join(named))


if __name__ == "__main__":
    main()
