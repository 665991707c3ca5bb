"""The passes over what is taught, the same for all that read sentences."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import torch
from torch import nn

Row, Batch = TypeVar("Row"), TypeVar("Batch")

LEAST = 0.03  # share of the learning rate at the end


def mixed(rows: Sequence[Row], size: int, chance: random.Random) -> list[list[Row]]:
    """Return rows in batches of a size, mixed."""
    order = chance.sample(rows, len(rows))
    return [order[at : at + size] for at in range(0, len(order), size)]


def passes(
    network: nn.Module,
    parts: Sequence[Sequence[Batch]],
    loss: Callable[[Batch], torch.Tensor],
    *,
    rate: float,
    decay: float,
    warm: float,
) -> Iterator[str]:
    """Teach a network with the batches of a part a pass, and yield after each what it came to.

    The learning rate `rate` is reached after the share `warm` of all steps, and falls from then on.
    """
    weights = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(weights, rate, weight_decay=decay)
    steps = sum(map(len, parts))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min(1.0, (s + 1) / (steps * warm)) * max(LEAST, 1 - s / steps)
    )
    for number, part in enumerate(parts, 1):
        started = time.time()
        network.train()
        for batch in part:
            wrong = loss(batch)
            optimizer.zero_grad()
            wrong.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        yield f"pass {number}: loss {wrong.item():.3f}, {time.time() - started:.0f} s"


def told(hits: dict[int, int], count: int) -> str:
    """Return the shares of `count` questions that were hit among so many."""
    shares = ", ".join(f"@{most} {n / count:.3f}" for most, n in hits.items())
    return f"{count} held out: {shares}"
