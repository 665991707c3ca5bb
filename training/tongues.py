r"""Teaches the embedder that a question asks the same in another language.

    python training/tongues.py OUT --begin EMBEDDER

A wording of `sentences/wordings.tsv` is drawn to where the embedder begun with puts the question
that it words (multilingual distillation, Reimers and Gurevych 2020), while questions and the
sentences that decide stay where they are. Ten minutes on two cores.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import base
import torch
from pairs import END, START, padded
from split import held
from tokenizers import Tokenizer
from torch.nn import functional

SENTENCES = Path(__file__).parent / "sentences"
_BATCH, _RATE, _LONGEST = 64, 1e-4, 64  # questions; learning rate; tokens of a text
_STILL = 16  # questions and sentences of a batch that stay where they are
_PART = 256  # texts that are read at once where nothing is taught

Ids = list[int]


@dataclass(frozen=True, slots=True)
class Worded:
    """A question in its first wording and in another, and a sentence that decides ("" for none)."""

    first: Ids
    other: Ids
    sentence: Ids
    held: bool


def worded(words: Tokenizer) -> Iterator[Worded]:
    """Yield all wordings as tokens."""

    def ids(prefix: str, text: str) -> Ids:
        made: Ids = words.encode(prefix + text, add_special_tokens=False).ids[: _LONGEST - 2]
        return [START, *made, END]

    with (SENTENCES / "questions.jsonl").open(encoding="utf-8") as opened:
        known = {row["id"]: row for row in map(json.loads, opened)}
    asked, told = base.PREFIXES
    for line in (SENTENCES / "wordings.tsv").read_text("utf-8").splitlines():
        name, _, other = line.split("\t")
        row = known[name]
        decides = " ".join([row["heading"] or "", *row["deciding"][:1]])
        yield Worded(
            ids(asked, row["question"]), ids(asked, other),
            ids(told, decides) if row["deciding"] else [], held(row["file"]),
        )  # fmt: skip


def vectors(encoder: base.Encoder, rows: Sequence[Ids]) -> torch.Tensor:
    """Return unit vectors: the mean of the tokens."""
    tokens, mask = padded(rows, "cpu")
    with torch.autocast("cpu", torch.bfloat16):
        made = encoder(tokens, mask).float()
    mean = (made * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
    return functional.normalize(mean, dim=-1)


@torch.no_grad()
def fixed(encoder: base.Encoder, rows: Sequence[Ids]) -> torch.Tensor:
    """Return the vectors of many texts, those of like length read together."""
    encoder.eval()
    order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
    made = torch.zeros(len(rows), base.WIDTH)
    for at in range(0, len(order), _PART):
        part = order[at : at + _PART]
        made[torch.tensor(part)] = vectors(encoder, [rows[n] for n in part])
    return made


def batches(rows: Sequence[Worded], chance: random.Random) -> list[list[int]]:
    """Return the places of rows in batches, those of like length together."""
    order = sorted(range(len(rows)), key=lambda at: len(rows[at].other) + 3 * chance.random())
    parts = [order[at : at + _BATCH] for at in range(0, len(order), _BATCH)]
    return chance.sample(parts, len(parts))


def report(encoder: base.Encoder, kept: Sequence[Worded]) -> str:
    """Return how often the sentence that decides is nearest, for first and other wordings."""
    asked = [one for one in kept if one.sentence]
    told = fixed(encoder, [one.sentence for one in asked])
    alike = told @ told.T > 0.999
    said = []
    for name in ("first", "other"):
        near = fixed(encoder, [getattr(one, name) for one in asked]) @ told.T
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
    parse.add_argument("--passes", type=int, default=6)
    told = parse.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    chance = random.Random(1)
    tokenizer = (told.begin / "tokenizer.json").read_text()
    (told.out / "tokenizer.json").write_text(tokenizer)
    words = Tokenizer.from_str(tokenizer)
    encoder = base.Encoder(words.get_vocab_size(), 12, base.PLACES)
    encoder.load_state_dict(torch.load(told.begin / "embedder.pt", weights_only=True))
    encoder.word.weight.requires_grad_(False)
    encoder.place.requires_grad_(False)
    rows = list(worded(words))
    taught, kept = [one for one in rows if not one.held], [one for one in rows if one.held]
    print(report(encoder, kept), flush=True)
    still = [one.sentence or one.first for one in taught]
    goals = fixed(encoder, [one.first for one in taught]), fixed(encoder, still)
    weights = [weight for weight in encoder.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(weights, _RATE, weight_decay=0.01)
    steps = told.passes * -(-len(taught) // _BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: max(0.05, 1 - s / steps))
    for number in range(1, told.passes + 1):
        encoder.train()
        for part in batches(taught, chance):
            some = chance.sample(part, min(_STILL, len(part)))
            pairs = (
                ([taught[n].other for n in part], goals[0][part]),
                ([taught[n].first for n in some], goals[0][some]),
                ([still[n] for n in some], goals[1][some]),
            )
            wrong = sum((1 - (vectors(encoder, r) * goal).sum(-1)).mean() for r, goal in pairs)
            optimizer.zero_grad()
            wrong.backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            schedule.step()
        torch.save(encoder.state_dict(), told.out / "embedder.pt")
        print(f"pass {number}: loss {wrong.item():.3f}; {report(encoder, kept)}", flush=True)


if __name__ == "__main__":
    main()
