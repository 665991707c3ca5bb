"""Writes a trained parser for the program.

python training/export.py OUT [FOLDER]

`parser.onnx` (weights of eight bits), `tokenizer.json`, `labels.json` with the labels of the heads
and tags, and `asking.txt`, the words with which people ask (`manole.models.parser` reads them).
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

import base
import torch
from labels import BIO, FLAGS, HEADS
from network import Parser
from onnxruntime.quantization import QuantType, quantize_dynamic
from rows import read
from tokenizers import Tokenizer
from train import ROWS

_OFTEN = 1  # times that a word with which people ask is at least in the rows
FOLDER = Path(__file__).parents[1] / "src/manole/models/parser/weights"


def asking() -> list[str]:
    """Return the words with which people ask: those that stand outside marks more than within."""
    inside: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    for row in read(sorted(ROWS.glob("*.tsv"))):
        marked = {at for mark in row.marks for at in range(mark.start, mark.end)}
        for word in re.finditer(r"[^\W_]+", row.question):
            (inside if word.start() in marked else outside)[word[0].lower()] += 1
    return sorted(w for w, n in outside.items() if n >= _OFTEN and n > inside[w])


def main() -> None:
    """Export."""
    out = Path(sys.argv[1])
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    words = Tokenizer.from_file(str(out / "tokenizer.json"))
    state = torch.load(out / "parser.pt", weights_only=True)
    parser = Parser(base.Encoder(words.get_vocab_size(), state["depth"]))
    parser.load_state_dict(state["parser"])
    parser.eval()
    example = (torch.ones(2, 9, dtype=torch.long), torch.ones(2, 9), torch.ones(2, 9))
    axes = {0: "rows", 1: "tokens"}
    names = ["tokens", "mask", "own"]
    with tempfile.TemporaryDirectory() as place:
        plain = Path(place, "plain.onnx")
        torch.onnx.export(
            parser, example, str(plain), input_names=names,
            output_names=["heads", "tags", "flags"], opset_version=17, dynamo=False,
            dynamic_axes={**dict.fromkeys([*names, "tags", "flags"], axes), "heads": {0: "rows"}},
        )  # fmt: skip
        quantize_dynamic(
            plain, folder / "parser.onnx", weight_type=QuantType.QInt8, per_channel=True,
            op_types_to_quantize=["MatMul", "Gemm", "Gather"],
        )  # fmt: skip
    (folder / "tokenizer.json").write_text((out / "tokenizer.json").read_text())
    (folder / "asking.txt").write_text("\n".join(asking()) + "\n")
    told = {"heads": HEADS, "tags": BIO, "flags": FLAGS}
    (folder / "labels.json").write_text(json.dumps(told, indent=1) + "\n")
    print({file.name: file.stat().st_size for file in sorted(folder.iterdir())})


if __name__ == "__main__":
    main()
