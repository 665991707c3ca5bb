"""The store `leann` (an extra): LanceDB's tables, and the vectors in graphs of LEANN.

Files, texts, words, filters, pages and the way a change is made are `lance.py`'s; `leann_index.py`
says where vectors are. With `recompute` the graphs keep no vectors either, and each search embeds
again the passages that it visits: a tenth of the size, and seconds to minutes a question.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from manole.errors import StoreError
from manole.index.store.lance import LanceStore
from manole.index.store.lance_tables import KEEP_VERSIONS
from manole.index.store.leann_index import LeannIndex, Share
from manole.index.store.protocol import Vectors
from manole.index.store.rows import embedding_text, vectors_of
from manole.index.store.vector_index import Limits
from manole.index.store.writer_lock import failures

Embed = Callable[[Sequence[str]], Vectors]  # texts to unit vectors
SHARE = Share()


class LeannStore(LanceStore):
    """One library's tables and graphs. Open with `LeannStore.open`."""

    kind = "leann"
    _of_vectors = ("id", "vector", "embedded")
    vectors: LeannIndex

    def __init__(
        self,
        path: Path,
        connection: Any,
        dimensions: int = 0,
        embedder: str = "",
        limits: Limits | None = None,
        *,
        recompute: bool = False,
        embed: Embed | None = None,
        share: Share | None = None,
    ) -> None:
        super().__init__(path, connection, dimensions, embedder, limits)
        self.vectors = LeannIndex(path, share or SHARE, recompute=recompute)
        if embed is not None:
            self.vectors.embed = _Again(self, embed)

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        dimensions: int = 0,
        embedder: str = "",
        limits: Limits | None = None,
        recompute: bool = False,
        embed: Embed | None = None,
        share: Share | None = None,
    ) -> LeannStore:
        """Open the index in `path` for reading; see `LanceStore.open`.

        `recompute`: what is written keeps no vectors. `embed` is the embedder that computes them
        again, which also reading such an index needs.
        """
        if find_spec("leann_backend_hnsw") is None:
            raise StoreError(
                f"The index {path.name} is kept by LEANN, an extra that is not installed.",
                'Install it: pip install "manole[leann]".',
            )
        store = cls(
            path, await cls._connect(path), dimensions, embedder, limits,
            recompute=recompute, embed=embed, share=share,
        )  # fmt: skip
        await store._open()
        return store

    @classmethod
    async def discard(cls, path: Path) -> None:
        """Remove tables and graphs in `path`. Raises `IndexBusyError`."""
        await cls._discard(path)
        await asyncio.to_thread(LeannIndex(path, SHARE, recompute=False).discard)

    # Inside ----------------------------------------------------------------------------------

    async def _held(self, batch: pa.RecordBatch) -> tuple[list[bool], Vectors]:
        ids: list[str] = batch["id"].to_pylist()
        own = pc.is_valid(batch["vector"]).to_pylist()
        held = pc.and_(pc.is_null(batch["vector"]), pc.is_valid(batch["embedded"])).to_pylist()
        apart = [key for key, there in zip(ids, held, strict=True) if there]
        graphs = await self.vectors.vectors(apart) if apart else {}
        vectors = iter(vectors_of(batch["vector"]))
        which = zip(ids, own, strict=True)
        each = [next(vectors) if has else graphs.get(key) for key, has in which]
        found = [vector for vector in each if vector is not None]
        made = np.stack(found) if found else np.zeros((0, self.dimensions), np.float32)
        return [vector is not None for vector in each], made

    def _read_made(self, schema: pa.Schema) -> None:
        super()._read_made(schema)
        self.vectors.made_of(self.embedder, self.dimensions)

    async def _put_vectors_anew(self, schema: pa.Schema, made: pa.Table | None) -> None:
        await super()._put_vectors_anew(schema, made)
        await asyncio.to_thread(self.vectors.discard)

    async def _prepare(self, dimensions: int, embedder: str, pages: tuple[str, int] | None) -> None:
        await super()._prepare(dimensions, embedder, pages)
        with failures(self.path):
            await self.vectors.reconcile(self._tables["passages"])

    async def _keep_up(self) -> bool:
        """Make indexes and graphs; rows that gave their vectors up are folded at once."""
        changed = await super()._keep_up()
        if changed:
            with failures(self.path):
                await self._tables["passages"].optimize(cleanup_older_than=KEEP_VERSIONS)
        return changed


class _Again:
    """Embeds passages of the store again, by their ids. It is called in threads."""

    def __init__(self, store: LeannStore, embed: Embed) -> None:
        self._store = store
        self._embed = embed

    def __call__(self, ids: Sequence[str]) -> tuple[Vectors, npt.NDArray[np.bool_]]:
        """Their vectors, zero where a passage is gone, and which there are."""
        passages = asyncio.run(self._store.named(ids))
        out = np.zeros((len(ids), self._store.dimensions), np.float32)
        there = np.array([key in passages for key in ids], bool)
        if passages:
            texts = [embedding_text(passages[key]) for key in ids if key in passages]
            out[there] = self._embed(texts)
        return out, there
