"""Teaches the reader: which sentence of a passage answers a question.

python training/reader.py OUT --begin EMBEDDER --candidates build/candidates.json.xz
    [--public FILE] [--device cuda] [--hands ba,bb --share 0.15 --frozen 6 --passes 1]

A question is read with up to eight passages, each in a window of its own: those that decide, those
with sentences that only look so, and others that the search found. The logit of a unit is the mean
of its tokens'. Taught is which of all units decides (a softmax over them) and, for each alone,
whether it does. Begun with the embedder, whose tokenizer and weights are in EMBEDDER, four minutes
on a graphics processor; or with a reader, in the same place, that is taught further: with all
questions of some hands and a share of the others, its first layers as they are, twenty minutes on
two cores.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import base
import torch
from descent import mixed, passes
from descent import told as shares
from lexicon import Lexicon
from pairs import Asked, Entry, Sentences, padded, window
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

_BATCH, _MOST = 48, 8  # questions; passages of each
_FURTHER = 16, 3  # the same, for a reader that is taught further
_ROOM = {"cpu": 1 << 12, "cuda": 1 << 17}  # tokens that are read at once, of rows of like length
_RATE, _SHARE = 1e-4, 0.35  # learning rate; part of the public rows, in the first pass
_HARD = 3  # passages that look so
_RIGHT, _ALIKE = 4.0, 2.0  # weights of what decides, of what looks so
_ELSEWHERE = 0.4  # chance to take a passage of another hand, which may answer after all


class Reader(nn.Module):
    """An encoder with a logit for each token."""

    def __init__(self, encoder: base.Encoder) -> None:
        """Put a head on an encoder."""
        super().__init__()
        self.encoder, self.unit = encoder, nn.Linear(base.WIDTH, 1)

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return (batch, tokens)."""
        logits: torch.Tensor = self.unit(self.encoder(tokens, mask))[..., 0]
        return logits


def read(reader: Reader, rows: Sequence[list[int]], device: str) -> torch.Tensor:
    """Return the logits of all rows, those of like length read together."""
    order = sorted(range(len(rows)), key=lambda at: -len(rows[at]))
    logits = torch.zeros(len(rows), max(map(len, rows)), device=device)
    while order:
        size = max(1, _ROOM[device] // len(rows[order[0]]))
        part, order = order[:size], order[size:]
        tokens, mask = padded([rows[at] for at in part], device)
        with base.autocast(device):
            made = reader(tokens, mask)
        logits[torch.tensor(part, device=device), : tokens.shape[1]] = made.float()
    return logits


def means(logits: torch.Tensor, places: Sequence[tuple[int, int, int]]) -> torch.Tensor:
    """Return the mean logit of each place: a row, its first token, the one behind its last."""
    sums = functional.pad(logits.float().cumsum(1), (1, 0))
    row, begin, end = (
        torch.tensor(part, device=logits.device) for part in zip(*places, strict=True)
    )
    return (sums[row, end] - sums[row, begin]) / (end - begin)


def group(data: Sentences, one: Asked, chance: random.Random, most: int) -> list[Entry]:
    """Return the passages that a question is taught with."""
    right = [entry for entry in one.found if entry.right][:2]
    rest = []
    for entry in one.found:
        passage = data.passages[entry.passage]
        own = not one.file or passage.file.partition("/")[0] == one.hand
        if not entry.right and not passage.held and (own or chance.random() < _ELSEWHERE):
            rest.append(entry)
    hard = [entry for entry in rest if entry.alike][:_HARD]
    others = [entry for entry in rest if not entry.alike]
    near = {id(entry): at * 0.35 + chance.random() * 8 for at, entry in enumerate(others)}
    return [*right, *hard, *sorted(others, key=lambda e: near[id(e)])][:most]


def loss(
    reader: Reader,
    data: Sentences,
    asked: Sequence[Asked],
    chance: random.Random,
    device: str,
    most: int = _MOST,
) -> torch.Tensor:
    """Return how far the units of a batch are from what decides."""
    rows, places, owner, target, weight = [], [], [], [], []
    for number, one in enumerate(asked):
        for entry in group(data, one, chance, most):
            ids, units = window(one, data.passages[entry.passage])
            for unit, begin, end in units:
                places.append((len(rows), begin, end))
                owner.append(number)
                target.append(float(unit in entry.right))
                weight.append(_ALIKE if unit in entry.alike else 1.0)
            rows.append(ids)
    scores = means(read(reader, rows, device), places)
    own, wanted = torch.tensor(owner, device=device), torch.tensor(target, device=device)
    zeros = torch.zeros(len(asked), device=device)
    top = (zeros - 1e4).scatter_reduce(0, own, scores.detach(), "amax")
    odds = (scores - top[own]).exp()
    every, right = zeros.index_add(0, own, odds), zeros.index_add(0, own, odds * wanted)
    has = zeros.index_add(0, own, wanted) > 0
    among = (every[has].log() - right[has].clamp(min=1e-6).log()).sum() / len(asked)
    alone = functional.binary_cross_entropy_with_logits(scores, wanted, reduction="none")
    heavy = torch.where(wanted > 0, _RIGHT, torch.tensor(weight, device=device))
    return among + 0.25 * zeros.index_add(0, own, alone * heavy).mean()


def begun(folder: Path, words: int, frozen: int) -> tuple[Reader, bool]:
    """Return a reader with the weights in a folder, and whether they are a reader's own."""
    further = (folder / "reader.pt").exists()
    # Without dropout a step on the CPU takes half the time, and one pass learns nothing by heart.
    encoder = base.Encoder(words, 12, base.PLACES, 0.0 if further else 0.1)
    reader = Reader(encoder)
    kept = torch.load(folder / ("reader.pt" if further else "embedder.pt"), weights_only=True)
    (reader if further else encoder).load_state_dict(kept)
    encoder.word.weight.requires_grad_(False)
    encoder.place.requires_grad_(False)
    for part in (encoder.first, *encoder.layers[:frozen]) if frozen else ():
        part.requires_grad_(False)
    return reader, further


def main() -> None:
    """Teach it, and say how often the unit that decides comes first on what was held out."""
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("out", type=Path)
    parse.add_argument("--begin", type=Path, required=True)
    parse.add_argument("--candidates", type=Path, required=True)
    parse.add_argument("--public", type=Path)
    parse.add_argument("--hands", default="", help="whose questions are all taught, with commas")
    parse.add_argument("--share", type=float, default=1.0, help="of the other questions")
    parse.add_argument("--frozen", type=int, default=0, help="layers that stay as they are")
    parse.add_argument("--passes", type=int, default=4)
    parse.add_argument("--device", default="cpu")
    told = parse.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(2)
    chance = random.Random(2)
    tokenizer = (told.begin / "tokenizer.json").read_text()
    (told.out / "tokenizer.json").write_text(tokenizer)
    words = Tokenizer.from_str(tokenizer)
    reader, further = begun(told.begin, words.get_vocab_size(), told.frozen)
    reader.to(told.device)
    data = Sentences(told.candidates, words, told.public, Lexicon() if further else None)
    hands = told.hands.split(",")
    taught = [q for q in data.taught if q.hand in hands or chance.random() < told.share]
    more = chance.sample(data.public, int(len(data.public) * _SHARE))
    batch, most = _FURTHER if further else (_BATCH, _MOST)
    parts = [mixed(taught + (more if at == 0 else []), batch, chance) for at in range(told.passes)]
    teach = passes(
        reader, parts, lambda part: loss(reader, data, part, chance, told.device, most),
        rate=_RATE, decay=0.02, warm=0.06,
    )  # fmt: skip
    for said in teach:
        torch.save(reader.state_dict(), told.out / "reader.pt")
        print(said, flush=True)
        print(report(reader, data, told.device), flush=True)


@torch.no_grad()
def report(reader: Reader, data: Sentences, device: str) -> str:
    """Return how often a deciding unit is first and among three, in the first twelve passages."""
    reader.eval()
    known = [q for q in data.kept if q.answerable]
    hits = {1: 0, 3: 0}
    for one in known:
        weighed = []
        for entry in [entry for entry in one.found if not entry.missed][:12]:
            ids, units = window(one, data.passages[entry.passage])
            if not units:
                continue
            logits = reader(*padded([ids], device))
            scores = means(logits, [(0, begin, end) for _, begin, end in units]).tolist()
            weighed += [
                (s, unit in entry.right) for s, (unit, _, _) in zip(scores, units, strict=True)
            ]
        weighed.sort(key=lambda pair: -pair[0])
        for most in hits:
            hits[most] += any(right for _, right in weighed[:most])
    return shares(hits, len(known))


if __name__ == "__main__":
    main()
