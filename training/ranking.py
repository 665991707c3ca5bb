r"""Fits `manole.agent.answer.ranking` on questions whose deciding sentence is known.

    python training/ranking.py src/manole/agent/answer/ranking.json

Each question over a document that the reader and the embedder were not taught with (`split.py`) is
searched as the program does it, among the documents of its hand, and a conditional logit is fitted
on the units of the passages found: the deciding ones against all others, a fifth of the documents
held out to choose the penalty. The weights are scaled so that a unit weighs as much as by the plain
sum of meaning, words and rank, .5, .4 and .15, with which the thresholds of `selection.py` and
`draft.py` were set. Then a logistic regression tells how likely the heaviest unit decides, from the
reader's logit and its likeness to the question; questions that nothing answers are among those it
is fitted on. Twelve minutes on two cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from candidates import SENTENCES, TODAY, Row, decides, hand, indexed, lines
from split import held

from manole.agent.answer.ranking import Senses, signals
from manole.agent.answer.selection import POOL
from manole.agent.answer.units import units_of
from manole.agent.turn import begin
from manole.library import Library
from manole.settings import Settings
from manole.tools.objects import FoundPassage
from manole.tools.search import search_question

PENALTIES = (0.0, 0.001, 0.01, 0.1)
STEPS = 600
RIDGE = 1.0  # of the chance, beside each signal's spread
TELLING = "read", "meaning"  # the signals of the chance

Floats = npt.NDArray[np.float64]
Data = Sequence[tuple[Floats, npt.NDArray[np.bool_]]]  # of each question: signals, what decides


async def observed(library: Library, settings: Settings, row: Row) -> dict[str, Any]:
    """The signals of all units for one question, and which of them decide."""
    state = begin(row["question"], [], None, library=library, settings=settings, today=TODAY)
    asked = state.question.iso_dated
    hits, _ = await search_question(state, asked, POOL, state.scope.filters())
    passages = [FoundPassage.of(hit) for hit in hits]
    units = [unit for at, p in enumerate(passages) for unit in units_of(at, p, asked)]
    known = signals(asked, passages, units, Senses(library.embedder)) if units else {}
    own = row["file"].partition("/")[2]
    right = [
        passages[unit.passage].file == own and decides(unit.text, row["deciding"]) for unit in units
    ]
    return {"file": row["file"], "signals": known, "right": np.array(right, bool)}


async def observations() -> list[dict[str, Any]]:
    """Those of all questions held out for which something was found."""
    rows = lines(SENTENCES / "questions.jsonl")
    found = []
    for who, own in groupby(sorted(lines(SENTENCES / "documents.jsonl"), key=hand), key=hand):
        with tempfile.TemporaryDirectory() as kept:
            async with await indexed(Path(kept), list(own)) as library:
                found += [
                    await observed(library, library.settings, row)
                    for row in rows if hand(row) == who and held(row["file"])
                ]  # fmt: skip
    return [one for one in found if one["signals"]]


def chance(found: Sequence[dict[str, Any]], weights: dict[str, float]) -> dict[str, float]:
    """The logistic regression that tells how likely the heaviest unit decides (Newton)."""
    rows, right = [], []
    for one in found:
        total = sum(weight * one["signals"][name] for name, weight in weights.items())
        top = int(np.argmax(total))
        rows.append([one["signals"][name][top] for name in TELLING])
        right.append(one["right"][top])
    values, wanted = np.array(rows, float), np.array(right, float)
    usual, spread = values.mean(0), values.std(0) + 1e-9
    known = np.c_[np.ones(len(values)), (values - usual) / spread]
    ridge = np.diag([0.0, *[RIDGE] * len(TELLING)])
    fit = np.zeros(known.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-known @ fit))
        slope = known.T @ (likely - wanted) + ridge @ fit
        fit -= np.linalg.solve((known.T * (likely * (1 - likely))) @ known + ridge, slope)
    plain = fit[1:] / spread
    told = dict(zip(TELLING, plain.round(4).tolist(), strict=True))
    return told | {"intercept": round(float(fit[0] - plain @ usual), 4)}


def fitted(data: Data, penalty: float) -> Floats:
    """The weights of standardized signals that make the deciding units likeliest (Adam)."""
    weights = np.zeros(data[0][0].shape[1])
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        slope = penalty * weights
        for signal, right in data:
            total = signal @ weights
            chances = np.exp(total - total.max())
            chances /= chances.sum()
            among = chances * right / chances[right].sum()  # as any of them will do
            slope += signal.T @ (chances - among) / len(data)
        first = 0.9 * first + 0.1 * slope
        second = 0.99 * second + 0.01 * slope**2
        rate = 0.05 * (1 - step / (STEPS + 1))
        weights -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return weights


def first(data: Data, weights: Floats, most: int) -> float:
    """The share of questions of which a deciding unit is among the `most` heaviest."""
    hits = [right[np.argsort(-(x @ weights), kind="stable")[:most]].any() for x, right in data]
    return float(np.mean(hits))


def main() -> None:
    """Fit them, and write them with what they bring on documents that were held out."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    every = asyncio.run(observations())
    found = [one for one in every if one["right"].any()]
    names = list(found[0]["signals"])
    stacked = [np.stack([one["signals"][n] for n in names], 1).astype(float) for one in found]
    everything = np.concatenate(stacked)
    usual, spread = everything.mean(0), everything.std(0) + 1e-9
    data = [((x - usual) / spread, one["right"]) for x, one in zip(stacked, found, strict=True)]
    files = sorted({one["file"] for one in found})
    held = set(files[::5])
    own = [row for row, one in zip(data, found, strict=True) if one["file"] not in held]
    other = [row for row, one in zip(data, found, strict=True) if one["file"] in held]
    scores = {
        p: first(other, weights := fitted(own, p), 3) + first(other, weights, 1) for p in PENALTIES
    }
    penalty = max(scores, key=scores.__getitem__)
    hand = np.array([{"meaning": 0.5, "words": 0.4, "rank": 0.15}.get(n, 0.0) for n in names])
    for name, weights in (("by hand", hand * spread), ("fitted", fitted(own, penalty))):
        print(f"{name}: first {first(other, weights, 1):.3f}, three {first(other, weights, 3):.3f}")
    weights = fitted(data, penalty) / spread
    before, after = everything @ hand / 1.05, everything @ weights
    scale = before.std() / after.std()
    scaled = dict(zip(names, (weights * scale).round(4).tolist(), strict=True))
    told = {
        "weights": scaled,
        "intercept": round(float(before.mean() - after.mean() * scale), 4),
        "chance": chance(every, scaled),
        "penalty": penalty,
        "fitted_on": len(data),
    }
    options.out.write_text(json.dumps(told, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
