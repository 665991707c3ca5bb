r"""Teaches the embedder that words, and what they ask, mean the same in another language.

    python training/tongues.py OUT --begin EMBEDDER

A text is drawn to where the embedder begun with puts what it words (multilingual distillation,
Reimers and Gurevych 2020): a question of `sentences/wordings.tsv`, `short.tsv` and `plain.tsv`
in other words, a thing of the lexicon (`lexicon.py`) by another name, a question or sentence with
some of its things named so. Others stay where they are. Ten minutes a pass on two cores.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import base
import torch
from descent import passes
from lexicon import Lexicon
from pairs import END, START, padded
from split import held
from tokenizers import Tokenizer
from torch.nn import functional

SENTENCES = Path(__file__).parent / "sentences"
_ROOM, _RATE, _LONGEST = 1600, 1e-4, 64  # tokens of a batch; learning rate; tokens of a text
_SWITCHED, _STILL = 0.4, 0.25  # shares of the questions, and of their sentences, in a pass
_PART = 256  # texts that are read at once where nothing is taught

Pair = tuple[str, str]  # what is worded, and the wording
Row = dict[str, str]
_ASKED, _TOLD = base.PREFIXES


def lines(name: str) -> Iterator[list[str]]:
    """Yield the cells of a file of `sentences`."""
    for line in (SENTENCES / name).read_text("utf-8").splitlines():
        yield line.split("\t")


def worded() -> Iterator[Row]:
    """Yield each question with its `other` wording and the `sentence` that decides, or ""."""
    with (SENTENCES / "questions.jsonl").open(encoding="utf-8") as opened:
        known = {row["id"]: row for row in map(json.loads, opened)}
    for name, _, other in chain(lines("wordings.tsv"), lines("short.tsv")):
        row = known[name]
        decides = " ".join([row["heading"] or "", *row["deciding"][:1]]) if row["deciding"] else ""
        yield {**row, "other": _ASKED + other, "first": _ASKED + row["question"],
               "sentence": _TOLD + decides if decides else ""}  # fmt: skip


def drawn(rows: Sequence[Row], lexicon: Lexicon, chance: random.Random) -> Iterator[Pair]:
    """Yield what is taught in a pass."""
    for row in rows:
        yield row["first"], row["other"]
        if chance.random() < _SWITCHED:
            yield row["first"], lexicon.switched(row["first"], row["lang"], chance)
        if chance.random() < _STILL:
            yield row["first"], row["first"]
        if row["sentence"] and chance.random() < _STILL:
            yield row["sentence"], row["sentence"]
            yield row["sentence"], lexicon.switched(row["sentence"], row["lang"], chance)
    for first, *others in lines("plain.tsv"):
        yield from ((_ASKED + first, _ASKED + other) for other in others)
    for first, other in lexicon.names(chance):
        prefix = chance.choice(base.PREFIXES)
        yield prefix + first, prefix + other


class Drawer:
    """The encoder that is taught, and where texts were at first."""

    def __init__(self, folder: Path) -> None:
        """Begin with what is in a folder."""
        self.words = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.encoder = base.Encoder(self.words.get_vocab_size(), 12, base.PLACES)
        self.encoder.load_state_dict(torch.load(folder / "embedder.pt", weights_only=True))
        self.encoder.word.weight.requires_grad_(False)
        self.encoder.place.requires_grad_(False)
        self.goals: dict[str, torch.Tensor] = {}

    def ids(self, text: str) -> list[int]:
        """Return its tokens."""
        made = self.words.encode(text, add_special_tokens=False).ids
        return [START, *made[: _LONGEST - 2], END]

    def vectors(self, texts: Sequence[str]) -> torch.Tensor:
        """Return unit vectors: the mean of the tokens."""
        tokens, mask = padded([self.ids(text) for text in texts], "cpu")
        with base.autocast("cpu"):
            made = self.encoder(tokens, mask).float()
        mean = (made * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return functional.normalize(mean, dim=-1)

    @torch.no_grad()
    def fixed(self, texts: Sequence[str]) -> torch.Tensor:
        """Return the vectors of many texts, those of like length read together."""
        self.encoder.eval()
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        made = torch.zeros(len(texts), base.WIDTH)
        for at in range(0, len(order), _PART):
            part = order[at : at + _PART]
            made[torch.tensor(part)] = self.vectors([texts[n] for n in part])
        return made

    def remember(self, texts: Sequence[str]) -> None:
        """Keep where texts are, before anything is taught."""
        fresh = sorted(set(texts) - self.goals.keys())
        self.goals.update(zip(fresh, self.fixed(fresh), strict=True))

    def loss(self, batch: Sequence[Pair]) -> torch.Tensor:
        """Return how far wordings are from what they word."""
        goal = torch.stack([self.goals[first] for first, _ in batch])
        return (1 - (self.vectors([other for _, other in batch]) * goal).sum(-1)).mean()

    def batches(self, pairs: Sequence[Pair], chance: random.Random) -> list[list[Pair]]:
        """Return pairs in batches of so many tokens, those of like length together, mixed."""
        made: list[list[Pair]] = [[]]
        for pair in sorted(pairs, key=lambda p: len(p[1]) + 9 * chance.random()):
            if (len(made[-1]) + 1) * len(self.ids(pair[1])) > _ROOM:
                made.append([])
            made[-1].append(pair)
        return chance.sample(made, len(made))


def report(drawer: Drawer, kept: Sequence[Row]) -> str:
    """Return how often the sentence that decides is nearest, for first and other wordings."""
    asked = [row for row in kept if row["sentence"]]
    told = drawer.fixed([row["sentence"] for row in asked])
    alike = told @ told.T > 0.999
    said = []
    for name in ("first", "other"):
        near = drawer.fixed([row[name] for row in asked]) @ told.T
        own = (near * alike - 9.0 * ~alike).amax(1, keepdim=True)
        rank = ((near > own) & ~alike).sum(1)
        hits = (f"@{most} {(rank < most).float().mean():.3f}" for most in (1, 3, 12))
        said.append(f"{name} wording {' '.join(hits)}")
    return f"{len(asked)} held out: {', '.join(said)}"


def main() -> None:
    """Teach it, and report."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parse.add_argument("out", type=Path)
    parse.add_argument("--begin", type=Path, required=True)
    parse.add_argument("--passes", type=int, default=3)
    told = parse.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    (told.out / "tokenizer.json").write_text((told.begin / "tokenizer.json").read_text())
    torch.manual_seed(1)
    chance = random.Random(1)
    drawer, lexicon = Drawer(told.begin), Lexicon()
    rows = list(worded())
    taught, kept = ([row for row in rows if held(row["file"]) is out] for out in (False, True))
    print(report(drawer, kept), flush=True)
    pairs = [list(drawn(taught, lexicon, chance)) for _ in range(told.passes)]
    drawer.remember([first for part in pairs for first, _ in part])
    parts = [drawer.batches(part, chance) for part in pairs]
    print(f"{sum(map(len, pairs))} pairs in {sum(map(len, parts))} batches", flush=True)
    for said in passes(drawer.encoder, parts, drawer.loss, rate=_RATE, decay=0.01, warm=0.02):
        torch.save(drawer.encoder.state_dict(), told.out / "embedder.pt")
        print(f"{said}; {report(drawer, kept)}", flush=True)


if __name__ == "__main__":
    main()
