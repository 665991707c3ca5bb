"""The parser as a network: an encoder, heads for the frame, a tag and flags for each word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import base
import torch
from labels import BIO, FLAGS, HEADS
from rows import Row
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

START, PAD, END = 0, 1, 2
NONE = -100  # a target that does not count


class Parser(nn.Module):
    """Heads read the first token and the mean of the question; tags read each token."""

    def __init__(self, encoder: base.Encoder) -> None:
        """Put heads on an encoder. Its vectors of words stay as they are."""
        super().__init__()
        self.encoder = encoder
        encoder.word.weight.requires_grad_(False)
        self.heads = nn.ModuleDict(
            {name: nn.Linear(2 * base.WIDTH, len(labels)) for name, labels in HEADS.items()}
        )
        self.tag = nn.Linear(base.WIDTH, len(BIO))
        self.flag = nn.Linear(base.WIDTH, len(FLAGS))
        self.drop = nn.Dropout(0.1)

    def forward(
        self, tokens: torch.Tensor, mask: torch.Tensor, own: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return logits: all heads side by side, tags, flags.

        `tokens` (batch, length); `mask` is 0 at padding; `own` is 1 at the question itself.
        """
        x, whole = self.seen(tokens, mask, own)
        whole = self.drop(whole)
        heads = torch.cat([head(whole) for head in self.heads.values()], -1)
        return heads, self.tag(self.drop(x)), self.flag(x)

    def seen(
        self, tokens: torch.Tensor, mask: torch.Tensor, own: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what tags (batch, length, width) and heads (batch, twice the width) read."""
        x = self.encoder(tokens, mask)
        mean = (x * own[..., None]).sum(1) / own.sum(1, keepdim=True)
        return x, torch.cat([x[:, 0], mean], -1)


def parted(heads: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return the logits of each head."""
    sizes = [len(labels) for labels in HEADS.values()]
    return dict(zip(HEADS, heads.split(sizes, -1), strict=True))


def grown(old: dict[str, torch.Tensor], new: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return old weights in new places; labels that were added since come last in their head."""
    for name, known in old.items():
        new[name][: len(known)] = known
    return new


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows as tensors: inputs, and targets (`NONE` where there is none)."""

    tokens: torch.Tensor
    mask: torch.Tensor
    own: torch.Tensor
    heads: dict[str, torch.Tensor]
    tags: torch.Tensor
    flags: torch.Tensor

    @property
    def inputs(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """What the network reads."""
        return self.tokens, self.mask, self.own

    def on(self, device: str) -> Batch:
        """Return it on a device."""
        heads = {name: labels.to(device) for name, labels in self.heads.items()}
        parts = (self.tokens, self.mask, self.own, self.tags, self.flags)
        tokens, mask, own, tags, flags = (part.to(device) for part in parts)
        return Batch(tokens, mask, own, heads, tags, flags)


def batch(rows: Sequence[Row], tokenizer: Tokenizer) -> Batch:
    """Return rows as a batch: `<s> question </s> what came before </s>`."""
    made = [_encoded(row, tokenizer) for row in rows]
    length = min(base.LONGEST, max(len(ids) for ids, *_ in made))
    tokens = torch.full((len(rows), length), PAD)
    mask, own = torch.zeros(len(rows), length), torch.zeros(len(rows), length)
    tags = torch.full((len(rows), length), NONE)
    flags = torch.zeros(len(rows), length, len(FLAGS))
    for at, (ids, told, flagged) in enumerate(made):
        size = min(len(ids), length)
        tokens[at, :size], mask[at, :size] = torch.tensor(ids[:size]), 1
        end = min(len(told) + 1, length)
        own[at, 1:end] = 1
        tags[at, 1:end] = torch.tensor(told[: end - 1])
        flags[at, 1:end] = torch.tensor(flagged[: end - 1])
    heads = {
        name: torch.tensor(
            [labels.index(row.frame[name]) if name in row.frame else NONE for row in rows]
        )
        for name, labels in HEADS.items()
    }
    return Batch(tokens, mask, own, heads, tags, flags)


def _encoded(row: Row, tokenizer: Tokenizer) -> tuple[list[int], list[int], list[list[float]]]:
    """Return the ids of a row, and for each token of its question a tag and flags."""
    asked = tokenizer.encode(row.question, add_special_tokens=False)
    ids = [START, *asked.ids, END]
    if row.before is not None:
        told = tokenizer.encode(row.before.told, add_special_tokens=False)
        ids += [*told.ids, END]
    tags, flags = [0] * len(asked.ids), [[0.0] * len(FLAGS) for _ in asked.ids]
    for mark in row.marks:
        place = "B"
        for at, (start, end) in enumerate(asked.offsets):
            if start < mark.end and end > mark.start and end > start:
                tags[at] = BIO.index(f"{place}-{mark.tag}")
                flags[at] = [float(mark.denied), float(mark.either)]
                place = "I"
    return ids, tags, flags


def loss(given: tuple[torch.Tensor, torch.Tensor, torch.Tensor], wanted: Batch) -> torch.Tensor:
    """Return how far a batch is from its targets."""
    heads, tags, flags = given
    total = 2 * functional.cross_entropy(
        tags.flatten(0, 1), wanted.tags.flatten(), ignore_index=NONE
    )
    marked = (wanted.tags > 0).float()[..., None]
    wrong = functional.binary_cross_entropy_with_logits(flags, wanted.flags, reduction="none")
    total = total + (wrong * marked).sum() / marked.sum().clamp(min=1)
    for name, logits in parted(heads).items():
        target = wanted.heads[name]
        if (target != NONE).any():
            total = total + functional.cross_entropy(
                logits, target, ignore_index=NONE, label_smoothing=0.03
            )
    return total
