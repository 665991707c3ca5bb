r"""Fit how sure an answer is, and show how often it is right: `confidence.json` of the agent.

    python benchmarks/confidence.py answers.jsonl … [--write]

The files are `--details` of `benchmarks/everyday.py`. What is written is fitted on all of them. In
the tables each half of the questions (told by the SHA-256 of the id) is judged by what is fitted
on the other. A level begins at the lowest probability from which the fitted answers were right as
often as it promises, in each file; a few right ones promise little (Laplace's rule of succession:
`right + 1` of `n + 2`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from manole.agent.answer import confidence
from measuring import Row, half_of, lines

SIGNALS = ("read", "stated")
PROMISED = {"high": 0.95, "medium": 0.7}
RIDGE = 3.0  # of the weights, beside each sign's spread
NEVER = 2.0  # where a level begins that no answers reach
Numbers = npt.NDArray[np.float64]


def fit(rows: Sequence[Row]) -> dict[str, Any]:
    """Weights by Newton's method, and where the levels begin."""
    values = np.array([[row["signals"][s] for s in SIGNALS] for row in rows])
    right = np.array([row["right"] for row in rows], float)
    mean, spread = values.mean(axis=0), values.std(axis=0) + 1e-9
    known = np.c_[np.ones(len(rows)), (values - mean) / spread]
    ridge = np.diag([0.0] + [RIDGE] * len(SIGNALS))
    weights: Numbers = np.zeros(known.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-known @ weights))
        slope = known.T @ (chance - right) + ridge @ weights
        bend = (known.T * (chance * (1 - chance))) @ known + ridge
        weights -= np.linalg.solve(bend, slope)
    chance = 1 / (1 + np.exp(-known @ weights))
    plainly = weights[1:] / spread
    return {
        "intercept": round(float(weights[0] - plainly @ mean), 4),
        "weights": {s: round(float(w), 4) for s, w in zip(SIGNALS, plainly, strict=True)},
        **_levels(chance, right, np.array([row["set"] for row in rows])),
        "fitted_on": len(rows),
    }


def _levels(chance: Numbers, right: Numbers, sets: Numbers) -> dict[str, float]:
    """Where each level begins: what is of a higher one does not make up for a lower one."""
    found, top = {}, np.inf
    for name, share in PROMISED.items():
        parts = [(chance < top) & (sets == one) for one in np.unique(sets)]
        top = found[name] = max(_begins(chance[part], right[part], share) for part in parts)
    return found


def _begins(chance: Numbers, right: Numbers, share: float) -> float:
    order = np.argsort(-chance)
    kept = (np.cumsum(right[order]) + 1) / (np.arange(1, len(order) + 1) + 2)
    enough = [at for at, part in enumerate(kept) if part >= share]
    return round(float(chance[order[enough[-1]]]), 4) if enough else NEVER


def judged(rows: Sequence[Row]) -> Iterator[Row]:
    """Each answer with the probability and level that the other half's fit gives it."""
    for half in (0, 1):
        fitted = fit([row for row in rows if half_of(row["id"]) != half])
        for row in (row for row in rows if half_of(row["id"]) == half):
            chance = confidence.probability(row["signals"], fitted)
            yield row | {"chance": chance, "level": confidence.level(chance, fitted)}


def table(rows: Sequence[Row]) -> Iterator[str]:
    """How often answers of each level, and of each fifth of probability, were right."""
    yield "| confidence | n | right | share |\n|---|---:|---:|---:|"
    for name in ("high", "medium", "low"):
        yield _line(name, [row for row in rows if row["level"] == name])
    yield "\n| probability | n | right | share |\n|---|---:|---:|---:|"
    for fifth in range(5):
        own = [row for row in rows if min(4, int(5 * row["chance"])) == fifth]
        yield _line(f"{fifth / 5:.1f} to {(fifth + 1) / 5:.1f}", own)


def _line(name: str, rows: Sequence[Row]) -> str:
    right = sum(row["right"] for row in rows)
    return f"| {name} | {len(rows)} | {right} | {right / len(rows) if rows else 0:.2f} |"


def main() -> None:
    """Print the tables; with `--write` keep what is fitted on all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("details", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = [{"set": at, **row} for at, path in enumerate(options.details) for row in lines(path)]
    rows = [row for row in rows if "stated" in row["signals"]]
    if options.write:
        path = Path(confidence.__file__).with_suffix(".json")
        path.write_text(json.dumps(fit(rows), indent=2) + "\n", "utf-8")
    known = list(judged(rows))
    for at, path in enumerate(options.details):
        print(f"\n{path.name}\n")
        print("\n".join(table([row for row in known if row["set"] == at])))


if __name__ == "__main__":
    main()
