"""The passes over what is taught, the same for the embedder and the reader."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence

import torch
from pairs import Asked
from torch import nn

LEAST = 0.03  # share of the learning rate at the end


def passes(
    network: nn.Module,
    parts: Sequence[Sequence[Asked]],
    loss: Callable[[Sequence[Asked]], torch.Tensor],
    chance: random.Random,
    *,
    batch: int,
    rate: float,
    decay: float,
    warm: float,
) -> Iterator[str]:
    """Teach a network with a part a pass, and yield after each what it came to.

    The learning rate `rate` is reached after the share `warm` of all steps, and falls from then on.
    """
    weights = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(weights, rate, weight_decay=decay)
    steps = sum(-(-len(part) // batch) for part in parts)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min(1.0, (s + 1) / (steps * warm)) * max(LEAST, 1 - s / steps)
    )
    for number, part in enumerate(parts, 1):
        started = time.time()
        network.train()
        mixed = chance.sample(part, len(part))
        for at in range(0, len(mixed), batch):
            wrong = loss(mixed[at : at + batch])
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
