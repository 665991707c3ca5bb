"""The store: LanceDB's tables, and the vectors in graphs of LEANN.

Files, texts, words, filters, pages and changes are the business of `lance.py`, the places of
vectors that of `graphs.py`. With `recompute` the graphs keep no vectors either, and each search
embeds again the passages that it visits: a tenth of the size, and seconds to minutes a question.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from manole.index.store.lance import LanceStore
from manole.index.store.local_disk import LocalDisk
from manole.index.store.records import Embed, Vectors
from manole.index.store.rows import embedding_text
from manole_leann.graphs import LeannIndex, Share

SHARE = Share()


async def open_index(
    path: Path,
    *,
    recompute: bool = False,
    embed: Embed | None = None,
    share: Share | None = None,
) -> LanceStore:
    """Open the index in `path` for reading; see `LanceStore.open`.

    With `recompute`, new graphs keep no vectors. `embed` computes them again, which reading such an
    index needs as well.
    """
    vectors = LeannIndex(path, share or SHARE, recompute=recompute)
    store = await LanceStore.opened(LocalDisk(path), vectors, kind="leann")
    if embed is not None:
        vectors.embed = _Again(store, embed)
    return store


async def discard(path: Path) -> None:
    """Remove tables and graphs in `path`. Raises `IndexBusyError`."""
    await LanceStore.discard(path)
    await asyncio.to_thread(LeannIndex(path, SHARE, recompute=False).discard)


class _Again:
    """A function that embeds passages of the store again, by their ids. Called in threads."""

    def __init__(self, store: LanceStore, embed: Embed) -> None:
        self._store = store
        self._embed = embed

    def __call__(self, ids: Sequence[str]) -> tuple[Vectors, npt.NDArray[np.bool_]]:
        """Return the vectors, zero where a passage is gone, and which passages exist."""
        passages = asyncio.run(self._store.named(ids))
        out = np.zeros((len(ids), self._store.dimensions), np.float32)
        there = np.array([key in passages for key in ids], bool)
        if passages:
            texts = [embedding_text(passages[key]) for key in ids if key in passages]
            out[there] = self._embed(texts)
        return out, there
