"""Vectors and texts for `scale.py`, in any number, the same on every run.

A million real passages would take a day to embed. So some ten thousand are, and the rest is derived
from them: each vector lies between that of a real passage and one of its eight nearest (up to half
of the way), moved aside at random by `ASIDE` of its length, and is made a unit vector again. Texts
are made-up words by Zipf's law, `LENGTH` of them a passage, of a vocabulary that grows with the
library. Questions are vectors of real questions, or of real passages that nothing is derived from.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from manole.library import Library
from manole.settings import Settings

Floats = npt.NDArray[np.float32]
NEIGHBOURS = 8
ASIDE = 0.35
HELD_BACK = 500  # passages that stand for questions, where there are none
LENGTH = 90  # words of a passage
VOCABULARY = 60_000
_SYLLABLES = """
ba ce di fo gu ha ke li mo nu pa re si to vu wa xe yi zo bra cle dri fro gru sta
""".split()  # noqa: SIM905


async def _passages(folders: list[Path]) -> Floats:
    """The vectors of all passages in `folders`, embedded by the project's own embedder."""
    with tempfile.TemporaryDirectory() as temporary:
        settings = Settings(data_dir=Path(temporary), cache_dir=Settings.load().cache_dir)
        index = settings.index.model_copy(update={"pages": "off", "ocr": False})
        settings = settings.model_copy(update={"index": index})
        async with await Library.open(folders, settings) as library:
            await library.sync()
            store = await library.store()
            parts = [part.vectors async for part in store.scan_contents()]
    return np.concatenate(parts)


async def _questions(files: list[Path]) -> Floats:
    """The vectors of the questions in JSONL files (field `question`)."""
    with tempfile.TemporaryDirectory() as temporary:
        settings = Settings(data_dir=Path(temporary), cache_dir=Settings.load().cache_dir)
        async with await Library.open(Path(temporary), settings) as library:
            embed = library.embedder.embed_query
            lines = [line for file in files for line in file.read_text().splitlines()]
            return np.stack([embed(json.loads(line)["question"]) for line in lines])


def base(cache: Path, folders: list[Path], files: list[Path]) -> tuple[Floats, Floats]:
    """Vectors of real passages, and of questions; kept in `cache` once they are there."""
    kept = cache / "base.npz"
    if not kept.exists():
        if not folders:
            raise SystemExit("Name folders of documents to embed with --texts.")
        random = np.random.default_rng(0)
        stored = np.unique(asyncio.run(_passages(folders)), axis=0)
        random.shuffle(stored)
        if files:
            asked = asyncio.run(_questions(files))
        else:
            asked, stored = stored[:HELD_BACK], stored[HELD_BACK:]
        np.savez(kept, stored=stored, asked=asked)
    loaded = np.load(kept)
    return loaded["stored"], loaded["asked"]


def vectors(stored: Floats, count: int, seed: int = 1) -> Floats:
    """`count` unit vectors derived from real ones. See the module."""
    random = np.random.default_rng(seed)
    near = np.concatenate(
        [
            np.argpartition(-(stored[at : at + 1000] @ stored.T), NEIGHBOURS, axis=1)[
                :, : NEIGHBOURS + 1
            ]
            for at in range(0, len(stored), 1000)
        ]
    )
    out = np.empty((count, stored.shape[1]), np.float32)
    for at in range(0, count, 50_000):
        size = min(50_000, count - at)
        first = random.integers(0, len(stored), size)
        second = near[first, random.integers(0, NEIGHBOURS + 1, size)]
        share = random.uniform(0, 0.5, (size, 1)).astype(np.float32)
        made = (1 - share) * stored[first] + share * stored[second]
        aside = random.normal(size=made.shape).astype(np.float32)
        aside *= ASIDE / np.linalg.norm(aside, axis=1, keepdims=True)
        made += aside
        out[at : at + size] = made / np.linalg.norm(made, axis=1, keepdims=True)
    return out


class Words:
    """Made-up words by Zipf's law."""

    def __init__(self, seed: int = 1) -> None:
        self._random = np.random.default_rng(seed)
        spell = np.random.default_rng(0)
        pieces = spell.integers(0, len(_SYLLABLES), (VOCABULARY, 4))
        sizes = spell.integers(2, 5, VOCABULARY)
        self.words = [
            "".join(_SYLLABLES[piece] for piece in row[:size])
            for row, size in zip(pieces, sizes, strict=True)
        ]
        weights = 1 / (np.arange(VOCABULARY) + 2.7)
        self._sums = np.cumsum(weights / weights.sum())

    def texts(self, count: int, length: int = LENGTH) -> list[str]:
        """`count` texts of `length` words each."""
        picked = np.searchsorted(self._sums, self._random.random((count, length)))
        picked = np.minimum(picked, VOCABULARY - 1)
        return [" ".join(self.words[i] for i in row) for row in picked]

    def questions(self, count: int) -> list[str]:
        """Questions of six words each, as content words are: none of the fifty most common."""
        picked = 50 + np.searchsorted(self._sums, self._random.random((count, 6)) * 0.8)
        return [" ".join(self.words[min(i, VOCABULARY - 1)] for i in row) for row in picked]
