"""Says how well a parser reads rows.

python training/evaluate.py OUT [ROWS.tsv ...]

Without rows: those that were held out. A frame is right when relation, operation, group and order
are; marks are compared as exact pieces (F1).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import torch
from labels import BIO, HEADS
from network import NONE, Parser, batch, parted
from rows import Row
from tokenizers import Tokenizer

_FRAME = ("route", "relation", "op", "group", "order")


def spans(tags: Sequence[int]) -> set[tuple[str, int, int]]:
    """Return the pieces that tags give: tag, first and last token."""
    found, now = [], None
    for at, number in enumerate([*tags, 0]):
        place, _, tag = BIO[max(number, 0)].partition("-")
        if now is not None and not (place == "I" and tag == now[0]):
            found.append((now[0], now[1], at - 1))
            now = None
        if place != "O" and now is None:
            now = (tag, at)
    return set(found)


@torch.no_grad()
def report(parser: Parser, rows: Sequence[Row], tokenizer: Tokenizer, device: str = "cpu") -> str:
    """Return a line of figures."""
    parser.eval()
    right: Counter[str] = Counter()
    known: Counter[str] = Counter()
    for at in range(0, len(rows), 32):
        part = rows[at : at + 32]
        wanted = batch(part, tokenizer).on(device)
        heads, tags, _ = parser(*wanted.inputs)
        labels = {name: logits.argmax(-1) for name, logits in parted(heads).items()}
        for i, row in enumerate(part):
            hit = {n: bool(labels[n][i] == wanted.heads[n][i]) for n in HEADS}
            for name in HEADS:
                known[name] += wanted.heads[name][i].item() != NONE
                right[name] += hit[name]
            reads = row.frame["route"] != "query"
            right["read or computed"] += reads == (labels["route"][i].item() != 0)
            known["read or computed"] += 1
            if not reads:
                known["frame"] += 1
                right["frame"] += all(hit[name] for name in _FRAME)
            if "tool" in row.frame:
                asks, finds = wanted.heads["tool"][i].item() > 0, labels["tool"][i].item() > 0
                right["tools"] += 2 * (asks and hit["tool"])
                known["tools"] += asks + finds
            own = wanted.tags[i] != NONE
            gold, told = (
                spans(wanted.tags[i][own].tolist()),
                spans(tags[i][own].argmax(-1).tolist()),
            )
            right["marks"] += 2 * len(gold & told)
            known["marks"] += len(gold) + len(told)
    names = ("read or computed", "relation", "op", "column", "group", "order", "limit", "leans")
    shown = [f"{n} {right[n] / max(1, known[n]):.3f}" for n in (*names, "frame", "marks", "tools")]
    return f"{len(rows)} rows: " + ", ".join(shown)


def main() -> None:
    """Print the figures of a trained parser."""
    import base
    from rows import read
    from train import ROWS, held_out

    out, *names = map(Path, sys.argv[1:])
    rows = read(names) if names else [r for r in read(sorted(ROWS.glob("*.tsv"))) if held_out(r)]
    words = Tokenizer.from_file(str(out / "tokenizer.json"))
    state = torch.load(out / "parser.pt", weights_only=True)
    parser = Parser(base.Encoder(words.get_vocab_size(), state["depth"]))
    parser.load_state_dict(state["parser"])
    print(report(parser, rows, words))


if __name__ == "__main__":
    main()
