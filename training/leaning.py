"""Fits the head that tells whether a question leans on the one before.

python training/leaning.py OUT

`train.py` shows whole questions behind some other one, of any language and matter, which is easy to
tell. In a conversation the one before is of the same language, folder, often the same paper: so the
encoder stays as it is, and the head alone is fitted on 30,000 pairs of that kind. Prints how often
it errs on those held out, with the head as it was beside it; `OUT/parser.pt` gets the new one.
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import base
import torch
from network import Parser, batch
from rows import Row, read
from split import held
from tokenizers import Tokenizer
from torch.nn import functional
from train import ROWS, held_out

SENTENCES = Path(__file__).parent / "sentences"
_NEAR = 60  # rows on each side that were written for the same folder
_SAME = 0.6  # share of the questions that stand behind one of the same folder
_SHORT = 0.35  # share of the questions about documents that stand behind a follow-up
_BATCH, _PASSES, _RATE = 256, 25, 1e-3

Pair = tuple[Row, bool]  # a question with the one before, and whether it is held out


def lines(name: str) -> list[dict[str, str]]:
    """Return the questions of a file about documents."""
    return [json.loads(line) for line in (SENTENCES / name).read_text().splitlines()]


def asked(line: dict[str, str], before: Row | None, leans: str) -> Row:
    """Return a question about a document as a row."""
    frame = {"route": "lookup", "leans": leans}
    return Row(line["lang"], line["question"], (), frame, before)


def pairs(chance: random.Random) -> Iterator[Pair]:
    """Yield questions behind one that they lean on, and behind one that they do not lean on."""
    whole, spoken = [], defaultdict[str, list[Row]](list)
    following = defaultdict[str, list[Row]](list)
    for file in sorted(ROWS.glob("*.tsv")):
        rows = read([file])
        for at, row in enumerate(rows):
            spoken[row.language].append(row)
            if row.before is not None:
                following[row.language].append(row)
                yield row, held_out(row)
            elif chance.random() < 0.5:
                whole.append((row, rows[max(0, at - _NEAR) : at + _NEAR]))
    for line in lines("followups.jsonl"):
        row = asked(line, asked({**line, "question": line["before"]}, None, "no"), "yes")
        following[row.language].append(row)
        yield row, held(line["file"])
    for row, beside in whole:
        near = [r for r in beside if r.language == row.language and row not in (r, r.before)]
        pool = near if near and chance.random() < _SAME else spoken[row.language]
        yield replace(row, before=chance.choice(pool)), held_out(row)
    beside_it = defaultdict[tuple[str, str], list[dict[str, str]]](list)
    every = lines("questions.jsonl")
    for line in every:
        beside_it[line["file"], line["lang"]].append(line)
    for line in chance.sample(every, len(every) // 2):
        others = [o for o in beside_it[line["file"], line["lang"]] if o is not line]
        before = chance.choice(spoken[line["lang"]])
        if chance.random() < _SHORT:
            before = chance.choice(following[line["lang"]])
        elif others and chance.random() < _SAME:
            before = asked(chance.choice(others), None, "no")
        yield asked(line, before, "no"), held(line["file"])


@torch.no_grad()
def seen(parser: Parser, rows: list[Row], words: Tokenizer) -> torch.Tensor:
    """Return what the heads read of each row."""
    parser.eval()
    features = torch.empty(len(rows), 2 * base.WIDTH)
    order = sorted(range(len(rows)), key=lambda i: len(rows[i].question + rows[i].before.told))
    for at in range(0, len(order), 48):
        part = order[at : at + 48]
        read_in = batch([rows[i] for i in part], words)
        features[part] = parser.seen(*read_in.inputs)[1]
    return features


def fitted(features: torch.Tensor, leans: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return weights (width) and bias of a logistic regression."""
    mean, spread = features.mean(0), features.std(0)
    scaled = (features - mean) / spread
    line = torch.nn.Linear(features.shape[1], 1)
    optimizer = torch.optim.AdamW(line.parameters(), _RATE, weight_decay=0.05)
    for _ in range(_PASSES):
        for part in torch.randperm(len(scaled)).split(_BATCH):
            wrong = functional.binary_cross_entropy_with_logits(
                line(scaled[part])[:, 0], leans[part]
            )
            optimizer.zero_grad()
            wrong.backward()
            optimizer.step()
    weights = line.weight[0].detach() / spread
    return weights, line.bias.detach()[0] - weights @ mean


def main() -> None:
    """Fit, report, and keep."""
    out = Path(sys.argv[1])
    torch.manual_seed(1)
    words = Tokenizer.from_file(str(out / "tokenizer.json"))
    kept = torch.load(out / "parser.pt", weights_only=True)
    parser = Parser(base.Encoder(words.get_vocab_size(), kept["depth"]))
    parser.load_state_dict(kept["parser"])
    made = list(pairs(random.Random(1)))
    leans = torch.tensor([float(row.frame["leans"] == "yes") for row, _ in made])
    apart = torch.tensor([away for _, away in made])
    features = seen(parser, [row for row, _ in made], words)
    head = parser.heads["leans"]
    print(f"{len(made)} pairs, {int(apart.sum())} held out")
    for name in ("as it was", "fitted"):
        chances = head(features).softmax(-1)[:, 1].detach()
        for least in (0.5, 0.7, 0.9):
            yes, own = chances > least, leans > 0.5
            told = f"{name}, from {least}: "
            told += f"leans though whole {yes[apart & ~own].float().mean():.3f}, "
            print(told + f"whole though it leans {(~yes)[apart & own].float().mean():.3f}")
        if name == "as it was":
            weights, bias = fitted(features[~apart], leans[~apart])
            head.weight.data = torch.stack([torch.zeros_like(weights), weights])
            head.bias.data = torch.stack([torch.zeros_like(bias), bias])
    torch.save({**kept, "parser": parser.state_dict()}, out / "parser.pt")


if __name__ == "__main__":
    main()
