"""Writes a trained parser for the program.

python training/export.py OUT[,OUT…] [FOLDER]

Of several runs, each begun with the one before, the mean of their weights is written, which is
better than the last alone (model soups, Wortsman et al. 2022).

`parser.onnx` (weights of eight bits), `tokenizer.json`, `labels.json` with the labels of the heads
and tags, and `asking.txt`, the words with which people ask (`manole.models.parser` reads them).
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from unicodedata import combining, normalize

import base
import torch
from labels import BIO, FLAGS, HEADS
from network import Parser
from onnxruntime.quantization import QuantType, quantize_dynamic
from rows import read
from tokenizers import Tokenizer
from train import ROWS

_CONTENT = frozenset("kind type folder file scope party recipient topic value".split())
_OFTEN = 30  # times from which a word asks, though it be a name more often
SUMS = "SHA256SUMS"
FOLDER = Path(__file__).parents[1] / "src/manole/models/parser/weights"


def asking() -> list[str]:
    """Return the words with which people ask: those that often enough are no thing asked for."""
    inside: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    for row in read(sorted(ROWS.glob("*.tsv"))):
        told = [mark for mark in row.marks if mark.tag in _CONTENT]
        marked = {at for mark in told for at in range(mark.start, mark.end)}
        for word in re.finditer(r"[^\W_]+", row.question):
            if word.start() in marked:
                inside[plain(word[0])] += 1
            elif row.frame["route"] == "query" or row.frame.get("tool", "-") != "-":
                outside[plain(word[0])] += 1
    return sorted(word for word, n in outside.items() if n > min(2 * inside[word], _OFTEN))


def plain(word: str) -> str:
    """Return a word without case and accents."""
    return "".join(c for c in normalize("NFD", word.casefold()) if not combining(c))


def mean(runs: Sequence[Path]) -> dict[str, torch.Tensor]:
    """Return the mean weights of runs; labels that the last one added are its own."""
    states = [torch.load(run / "parser.pt", weights_only=True)["parser"] for run in runs]
    whole: dict[str, torch.Tensor] = states[-1]
    for name, weights in whole.items():
        having = [state[name] for state in states if name in state]
        known = min(map(len, having))
        weights[:known] = sum(own[:known] for own in having) / len(having)
    return whole


def main() -> None:
    """Export."""
    runs = [Path(run) for run in sys.argv[1].split(",")]
    out = runs[-1]
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    words = Tokenizer.from_file(str(out / "tokenizer.json"))
    state = torch.load(out / "parser.pt", weights_only=True)
    parser = Parser(base.Encoder(words.get_vocab_size(), state["depth"]))
    parser.load_state_dict(mean(runs))
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
    sums = {f.name: sha256(f.read_bytes()).hexdigest() for f in sorted(folder.iterdir())}
    named = (f"{hexed}  {name}" for name, hexed in sums.items() if name != SUMS)
    (folder / SUMS).write_text("\n".join(named) + "\n")
    print({file.name: file.stat().st_size for file in sorted(folder.iterdir())})


if __name__ == "__main__":
    main()
