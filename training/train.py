"""Trains the parser.

python training/train.py OUT [--passes 12] [--depth 8] [--seed 1]

OUT gets `state.pt` after each pass; the same command goes on from there. `--share 0.5` trains on a
part of the rows, for a learning curve, or to teach a trained parser (`--begin`) `--more` rows with
some of the old ones. One row in twelve is held out, by the hash of its chain.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import augment
import base
import torch
from evaluate import report
from network import Parser, batch, grown, loss
from rows import Row, read
from tokenizers import Tokenizer

ROWS = Path(__file__).parent / "rows"
_BATCH, _POOL = 16, 50  # rows, and batches that are sorted by length together
_FAST, _SLOW = 1e-3, 2e-4  # learning rates of heads and encoder
_STRANGE = 0.25  # share of whole questions that are shown behind some other question


def held_out(row: Row) -> bool:
    """Return whether a row, with the chain that it belongs to, is kept for measuring."""
    first = row
    while first.before is not None:
        first = first.before
    return hashlib.sha256(first.question.encode()).digest()[0] % 12 == 0


def _batches(rows: Sequence[Row], chance: random.Random) -> Iterator[list[Row]]:
    """Yield the rows of one pass, each rewritten, in batches of similar length."""
    known = augment.values(rows)
    order = list(rows)
    chance.shuffle(order)
    for at in range(0, len(order), _BATCH * _POOL):
        pool = [augment.another(row, known, chance) for row in order[at : at + _BATCH * _POOL]]
        pool = [_behind(row, rows, chance) for row in pool]
        pool.sort(key=lambda row: len(row.question) + len(row.before.told if row.before else ""))
        parts = [pool[i : i + _BATCH] for i in range(0, len(pool), _BATCH)]
        chance.shuffle(parts)
        yield from parts


def _behind(row: Row, rows: Sequence[Row], chance: random.Random) -> Row:
    """Put a whole question behind one that it does not lean on."""
    if row.before is not None or chance.random() >= _STRANGE:
        return row
    return replace(row, before=chance.choice(rows))


def main() -> None:
    """Train, and report on what was held out."""
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("out", type=Path)
    parse.add_argument("--passes", type=int, default=12)
    parse.add_argument("--depth", type=int, default=8)
    parse.add_argument("--seed", type=int, default=1)
    parse.add_argument("--share", type=float, default=1.0)
    parse.add_argument("--whole", action="store_true", help="hold nothing out")
    parse.add_argument("--device", default="cpu")
    parse.add_argument("--begin", type=Path, help="a trained parser to go on from")
    parse.add_argument("--rows", type=Path, nargs="*", default=sorted(ROWS.glob("*.tsv")))
    parse.add_argument("--more", type=Path, nargs="*", default=(), help="all of these beside")
    parse.add_argument("--pace", type=float, default=1.0, help="of the learning rates")
    told = parse.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    chance = random.Random(told.seed)
    torch.manual_seed(told.seed)
    every = read(told.rows)
    dev = [row for row in every if held_out(row)]
    rows = every if told.whole else [row for row in every if not held_out(row)]
    rows = [row for row in rows if chance.random() < told.share]
    rows += [row for row in read(told.more) if told.whole or not held_out(row)]
    if told.begin is not None:
        tokenizer = (told.begin / "tokenizer.json").read_text()
        words = Tokenizer.from_str(tokenizer)
        state = torch.load(told.begin / "parser.pt", weights_only=True)
        parser = Parser(base.Encoder(words.get_vocab_size(), told.depth))
        parser.load_state_dict(grown(state["parser"], parser.state_dict()))
        parser.encoder.word.weight.requires_grad_(False)
    else:
        pieces = base.vocabulary(row.question for row in every)
        tokenizer = base.tokenizer(pieces)
        words = Tokenizer.from_str(tokenizer)
        parser = Parser(base.load(told.depth, pieces))
    parser.to(told.device)
    (told.out / "tokenizer.json").write_text(tokenizer)
    slow = [p for n, p in parser.named_parameters() if n.startswith("encoder.") and p.requires_grad]
    fast = [p for n, p in parser.named_parameters() if not n.startswith("encoder.")]
    optimizer = torch.optim.AdamW(
        [
            {"params": slow, "lr": told.pace * _SLOW},
            {"params": fast, "lr": told.pace * _FAST},
        ],
        weight_decay=0.01,
    )
    steps = told.passes * (-(-len(rows) // _BATCH))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min(1.0, (s + 1) / (steps * 0.08)) * max(0.02, 1 - s / steps)
    )
    begin, kept = 0, told.out / "state.pt"
    if kept.exists():
        state = torch.load(kept, weights_only=True)
        parser.load_state_dict(state["parser"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        begin = state["done"]
    print(f"{len(rows)} rows, {len(dev)} held out, {told.passes} passes from {begin}", flush=True)
    for at in range(begin, told.passes):
        parser.train()
        chance.seed(told.seed * 1000 + at)
        started, total, count = time.time(), 0.0, 0
        for part in _batches(rows, chance):
            wanted = batch(part, words).on(told.device)
            with base.autocast(told.device):
                given = parser(*wanted.inputs)
            wrong = loss(tuple(g.float() for g in given), wanted)
            optimizer.zero_grad()
            wrong.backward()
            torch.nn.utils.clip_grad_norm_(parser.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total, count = total + wrong.item(), count + 1
        state = {"parser": parser.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save({**state, "schedule": schedule.state_dict(), "done": at + 1}, kept)
        spent = time.time() - started
        told_of = f"loss {total / count:.3f}, {len(rows) / spent:.0f} rows/s"
        print(f"pass {at + 1}: {told_of}", flush=True)
        if at % 3 == 2 or at + 1 == told.passes:
            print(report(parser, dev, words, told.device), flush=True)
    parser.cpu()
    torch.save({"parser": parser.state_dict(), "depth": told.depth}, told.out / "parser.pt")


if __name__ == "__main__":
    main()
