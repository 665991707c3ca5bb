"""Teaches the embedder: a question near the sentence and the passage that answer it.

python training/embedder.py OUT --candidates build/candidates.json.xz [--public FILE]
    [--device cuda]

InfoNCE (van den Oord et al. 2018) over a batch: all other sentences and passages of it are wrong,
among them one that only looks right and one of the same passage for each question. Begun with
multilingual-e5-small; its vectors of words stay as they were. Four minutes on a graphics processor.
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
from pairs import END, START, Asked, Sentences, padded
from tokenizers import Tokenizer
from torch.nn import functional

_BATCH, _LONGEST, _SHARP = 192, 256, 25.0  # questions; tokens of a text; inverse temperature
_RATE = 1e-4
WHOLE = -1  # stands for the whole passage in place of a unit

Key = tuple[int, int]  # a passage, and one of its units or WHOLE


class Teacher:
    """The encoder with what it is taught from."""

    def __init__(
        self, data: Sentences, encoder: base.Encoder, words: Tokenizer, device: str
    ) -> None:
        """Take them."""
        self.data, self.encoder, self.device = data, encoder.to(device), device
        asked, told = (words.encode(p, add_special_tokens=False).ids for p in base.PREFIXES)
        self._asked, self._told = list(asked), list(told)

    def text(self, key: Key) -> list[int]:
        """Return the tokens of a unit with what stands above it, or of a passage."""
        passage = self.data.passages[key[0]]
        units = passage.units if key[1] == WHOLE else [passage.units[key[1]]]
        return [*self._told, *passage.head, *(piece for unit in units for piece in unit)]

    def vectors(self, rows: Sequence[Sequence[int]]) -> torch.Tensor:
        """Return unit vectors: the mean of the tokens."""
        tokens, mask = padded([[START, *row[: _LONGEST - 2], END] for row in rows], self.device)
        with base.autocast(self.device):
            made = self.encoder(tokens, mask)
        mean = (made.float() * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return functional.normalize(mean, dim=-1)

    def questions(self, asked: Sequence[Asked]) -> torch.Tensor:
        """Return the vectors of questions."""
        return self.vectors([[*self._asked, *one.question] for one in asked])

    def loss(self, asked: Sequence[Asked], chance: random.Random) -> torch.Tensor:
        """Return how far the questions are from their sentences and passages."""
        keys: dict[Key, int] = {}
        wanted: list[tuple[int, int]] = []
        also: list[set[Key]] = []
        for one in asked:
            right = [entry for entry in one.found if entry.right]
            entry = chance.choice(right)
            unit = chance.choice(entry.right)
            also.append({(e.passage, at) for e in right for at in (*e.right, WHOLE)})
            places = [(entry.passage, unit), (entry.passage, WHOLE)]
            wanted.append(tuple(keys.setdefault(key, len(keys)) for key in places))
            for key in self._wrong(one, entry.passage, entry.right, chance):
                keys.setdefault(key, len(keys))
        near = _SHARP * self.questions(asked) @ self.vectors([self.text(key) for key in keys]).T
        whole = torch.tensor([at == WHOLE for _, at in keys], device=self.device)
        total = torch.zeros((), device=self.device)
        for side in (0, 1):
            target = torch.tensor([pair[side] for pair in wanted], device=self.device)
            hidden = (whole if side == 0 else ~whole)[None].repeat(len(asked), 1)
            for row, own in enumerate(also):
                for key in own & keys.keys():
                    hidden[row, keys[key]] = True
            hidden[torch.arange(len(asked)), target] = False
            total = total + functional.cross_entropy(near.masked_fill(hidden, -1e4), target)
        return total

    def _wrong(
        self, one: Asked, passage: int, right: Sequence[int], chance: random.Random
    ) -> list[Key]:
        """Return what only looks right: another unit, one of the same passage, another passage."""
        alike = [(e.passage, at) for e in one.found for at in e.alike if at not in e.right]
        beside = [at for at in range(len(self.data.passages[passage].units)) if at not in right]
        others = [
            e.passage for e in one.found[:12]
            if not e.right and not (p := self.data.passages[e.passage]).held
            and p.file.partition("/")[0] == one.hand
        ]  # fmt: skip
        found = [chance.choice(alike)] if alike else []
        found += [(passage, chance.choice(beside))] if beside else []
        return found + ([(chance.choice(others), WHOLE)] if others else [])


def main() -> None:
    """Teach it, and say how often the passage that decides is found on what was held out."""
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("out", type=Path)
    parse.add_argument("--candidates", type=Path, required=True)
    parse.add_argument("--public", type=Path)
    parse.add_argument("--passes", type=int, default=10)
    parse.add_argument("--device", default="cpu")
    told = parse.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    chance = random.Random(1)
    encoder, words = base.sentence_encoder(told.out)
    data = Sentences(told.candidates, words, told.public)
    teacher = Teacher(data, encoder, words, told.device)
    own = [q for q in data.taught if any(entry.right for entry in q.found)]
    public = [q for q in data.public if q.found[0].right]
    parts = [mixed(own + (public if at < 2 else []), _BATCH, chance) for at in range(told.passes)]
    teach = passes(
        encoder, parts, lambda part: teacher.loss(part, chance), rate=_RATE, decay=0.01, warm=0.08
    )
    for said in teach:
        torch.save(encoder.state_dict(), told.out / "embedder.pt")
        print(said, flush=True)
    print(report(teacher))


@torch.no_grad()
def report(teacher: Teacher) -> str:
    """Return how often the passage that decides is among the nearest."""
    teacher.encoder.eval()
    data = teacher.data
    places = [at for at, passage in enumerate(data.passages) if passage.file]
    rows = [teacher.text((at, WHOLE)) for at in places]
    whole = torch.cat([teacher.vectors(rows[at : at + 64]) for at in range(0, len(rows), 64)])
    known = [q for q in data.kept if any(entry.right for entry in q.found)]
    hits = {1: 0, 3: 0, 12: 0}
    for one in known:
        nearest = (whole @ teacher.questions([one])[0]).argsort(descending=True)[:12].tolist()
        right = {entry.passage for entry in one.found if entry.right}
        for most in hits:
            hits[most] += any(places[at] in right for at in nearest[:most])
    return shares(hits, len(known))


if __name__ == "__main__":
    main()
