"""Teaches what a day in a sentence is for: two small layers over the embedder's vectors.

python training/due.py [OUT]

`due.tsv` has the sentences. What one in eight of them comes to, held out in turn, is told; then all
are learned (softmax regression with one hidden layer, by Adam, all rows at once: seconds on one
core). Takes numpy alone, and the shipped embedder.
"""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt

from manole.models.encode.days import LABELS, WEIGHTS, features

ROWS = Path(__file__).parent / "due.tsv"
HIDDEN, STEPS, RATE, DECAY, FOLDS = 64, 150, 0.02, 3e-3, 8
SURE = 0.7
Numbers = npt.NDArray[np.float64]
NAMES = ("hidden.weight", "hidden.bias", "labels.weight", "labels.bias")


def fit(vectors: Numbers, labels: npt.NDArray[np.int64], seed: int = 0) -> list[Numbers]:
    """Return the weights of both layers."""
    chance = np.random.default_rng(seed)
    inside, outside = vectors.shape[1], len(LABELS)
    weights = [
        chance.normal(0, inside**-0.5, (HIDDEN, inside)), np.zeros(HIDDEN),
        chance.normal(0, HIDDEN**-0.5, (outside, HIDDEN)), np.zeros(outside),
    ]  # fmt: skip
    means, squares = ([np.zeros_like(w) for w in weights] for _ in range(2))
    wanted = np.eye(outside)[labels]
    for step in range(1, STEPS + 1):
        hidden, said = forward(vectors, weights)
        wrong = (said - wanted) / len(vectors)
        back = wrong @ weights[2] * (1 - hidden**2)
        slopes = [back.T @ vectors, back.sum(0), wrong.T @ hidden, wrong.sum(0)]
        rate = RATE * (1 - step / STEPS) + 1e-3
        for at, slope in enumerate(slopes):
            slope = slope + DECAY * weights[at] * (weights[at].ndim > 1)
            means[at] = 0.9 * means[at] + 0.1 * slope
            squares[at] = 0.99 * squares[at] + 0.01 * slope**2
            spread = np.sqrt(squares[at] / (1 - 0.99**step)) + 1e-8
            weights[at] -= rate * means[at] / (1 - 0.9**step) / spread
    return weights


def forward(vectors: Numbers, weights: list[Numbers]) -> tuple[Numbers, Numbers]:
    """Return the hidden layer and the shares of labels."""
    hidden = np.tanh(vectors @ weights[0].T + weights[1])
    made = hidden @ weights[2].T + weights[3]
    made = np.exp(made - made.max(1, keepdims=True))
    return hidden, made / made.sum(1, keepdims=True)


def main() -> None:
    """Measure, teach, write."""
    rows = [line.split("\t") for line in ROWS.read_text("utf-8").splitlines() if line[0] != "#"]
    labels = np.array([LABELS.index(label) for _, label, _ in rows])
    vectors = features([text for *_, text in rows])
    middle, spread = vectors.mean(0), vectors.std()
    scaled = (vectors - middle) / spread
    part = np.random.default_rng(1).integers(0, FOLDS, len(rows))
    shares = np.zeros((len(rows), len(LABELS)))
    for fold in range(FOLDS):
        shares[part == fold] = forward(
            scaled[part == fold], fit(scaled[part != fold], labels[part != fold])
        )[1]
    told, right = shares.argmax(1), shares.argmax(1) == labels
    sure = (shares.max(1) >= SURE) & (told > 0)
    print(
        f"{len(rows)} rows; held out: right {right.mean():.3f}; sure of a kind: {sure.mean():.3f},"
        f" of these right {right[sure].mean():.3f}, mattering {(labels[sure] > 0).mean():.3f}"
    )
    for at, label in enumerate(LABELS):
        print(f"  {label}: recall {right[labels == at].mean():.3f}, "
              f"precision {right[told == at].mean():.3f}")  # fmt: skip
    weights = fit(scaled, labels)
    weights[1] -= weights[0] @ middle / spread  # the scale of vectors goes into the first layer
    weights[0] /= spread
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else WEIGHTS, weights)


def write(folder: Path, weights: list[Numbers]) -> None:
    """Write the layers as safetensors, and their sum."""
    header, body = {}, b""
    for name, numbers in zip(NAMES, weights, strict=True):
        data = numbers.astype("<f4").tobytes()
        place = [len(body), len(body) + len(data)]
        header[name] = {"dtype": "F32", "shape": numbers.shape, "data_offsets": place}
        body += data
    head = json.dumps(header).encode()
    (folder / "due.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + body)
    files = (
        folder / name
        for name in ("due.safetensors", "embedder.onnx", "reader.onnx", "tokenizer.json")
    )
    lines = (f"{sha256(f.read_bytes()).hexdigest()}  {f.name}\n" for f in files if f.exists())
    (folder / "SHA256SUMS").write_text("".join(lines))


if __name__ == "__main__":
    main()
