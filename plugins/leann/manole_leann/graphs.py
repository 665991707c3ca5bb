"""The vectors of a library in graphs of LEANN, beside a passages table without them.

A vector is put into the table first, and found there by comparing it with the question. Once there
are enough of them (`Share`), `keep_up` makes a graph of them and takes them out of the table. So a
row shows where its vector is: in `vector`; or in a graph, if only `embedded` is set; or nowhere.

* A vector in a graph does not count if its row was changed, deleted or embedded again since, as the
  row shows. Of several graphs the newest counts.
* A graph is complete on disk before `graphs.json` names it, and named before its vectors leave the
  table. Readers look at the table first and at the graphs then. So a kill or another process's
  commit never hides a passage; at worst a vector is in both places.
* A graph that is lost or cut short is left out, and its passages are embedded again.

LEANN filters after it has searched. So the passages that a filter leaves are counted first, and
compared one by one if they are few; otherwise the search is widened until enough results pass.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from lancedb.expr import col

from manole.files import write_file
from manole.index.store.lance_folding import KEEP_VERSIONS
from manole.index.store.records import Described, Vectors
from manole.index.store.row_changes import with_ids
from manole.index.store.rows import chunks, vectors_of
from manole.index.store.vector_index import Limits, VectorIndex
from manole_leann.graph import Graph, Recompute, build

FOLDER = "leann"
FILE = "graphs.json"
IN_TABLE = "vector IS NOT NULL"
IN_GRAPH = "vector IS NULL AND embedded IS NOT NULL"
NEVER = 10**12  # vectors: LanceDB's own index is never made


@dataclass(frozen=True, slots=True)
class Share:
    """The sizes from which vectors go into a graph, and are compared one by one. Set by hand."""

    first: int = 1000  # vectors of the first graph, and of any other
    more: float = 0.25  # of those in graphs: from so many new ones on, or dead ones, they change
    parts: int = 8  # graphs of an index that recomputes; any other has one
    exact: int = 20_000  # passages a filter leaves up to which all are compared
    recomputed: int = 200  # the same, where each has to be embedded for it


@dataclass(frozen=True, slots=True)
class Kept:
    """The content of `graphs.json`: folders with the sizes of their files, and their embedder."""

    embedder: str
    dimensions: int
    recompute: bool
    graphs: dict[str, dict[str, int]]


class LeannIndex(VectorIndex):
    """The graphs in the library folder `path`. With `recompute`, new graphs keep no vectors."""

    columns = ("id", "vector", "embedded")

    def __init__(self, path: Path, share: Share, *, recompute: bool) -> None:
        super().__init__(path, Limits(first=NEVER, exact=share.exact))
        self.share = share
        self.recompute = recompute
        self.embed: Recompute | None = None  # what embeds passages again, by their ids
        self.folder = path / FOLDER
        self._loaded: tuple[tuple[int, int], list[Graph]] = ((0, 0), [])
        self._loading = threading.Lock()
        self._made_of = ("", 0)

    # Reading ---------------------------------------------------------------------------------

    async def nearest(self, table: Any, vector: Vectors, limit: int, condition: Any) -> pa.Table:
        """Return the `limit` nearest by cosine as `id`, `_rowid`, `_distance`, nearest first."""
        if condition is None:
            fresh = await super().nearest(table, vector, limit, None)
            found = await self._in_graphs(table, vector, limit, None)
            return _best([fresh, found], limit)
        query = table.query().where(condition).select(["id", "vector", "embedded"])
        left = await query.with_row_id().limit(self.share.exact + 1).to_arrow()
        if left.num_rows <= self.share.exact:
            fresh = await asyncio.to_thread(_nearest_of, left, vector, limit)
            rest = _in_graph(left)
            graphs = await self.graphs()
            few = rest.num_rows <= self.share.recomputed
            if few or not any(graph.pruned for graph in graphs):
                found = await asyncio.to_thread(self._compared, graphs, rest, vector, limit)
            else:
                found = await self._in_graphs(table, vector, limit, condition)
        else:
            fresh = await super()._search(table, vector, limit, condition)
            found = await self._in_graphs(table, vector, limit, condition)
        return _best([fresh, found], limit)

    async def describe(self, table: Any) -> Described | None:
        """Describe the graphs; `None` without any."""
        graphs = await self.graphs()
        if not graphs:
            return None
        kind = "LEANN, vectors recomputed" if graphs[-1].pruned else "LEANN, HNSW"
        kept = self._kept()
        held = int(await table.count_rows(IN_GRAPH))
        return Described(
            kind=kind,
            rows=held + int(await table.count_rows(IN_TABLE)),
            indexed=held,
            parts=len(graphs),
            bytes=sum(sum(files.values()) for files in kept.graphs.values()) if kept else 0,
            tuned=None,
        )

    async def held(self, batch: pa.RecordBatch) -> tuple[list[bool], Vectors]:
        """See `VectorIndex`. Those that the table gave up are taken from the graphs."""
        ids: list[str] = batch["id"].to_pylist()
        own = pc.is_valid(batch["vector"]).to_pylist()
        held = pc.and_(pc.is_null(batch["vector"]), pc.is_valid(batch["embedded"])).to_pylist()
        apart = [key for key, there in zip(ids, held, strict=True) if there]
        graphs = await self.vectors(apart) if apart else {}
        vectors = iter(vectors_of(batch["vector"]))
        which = zip(ids, own, strict=True)
        each = [next(vectors) if has else graphs.get(key) for key, has in which]
        found = [vector for vector in each if vector is not None]
        made = np.stack(found) if found else np.zeros((0, self._made_of[1]), np.float32)
        return [vector is not None for vector in each], made

    async def graphs(self) -> list[Graph]:
        """Return the graphs, oldest first; read again after another process changed them."""
        return await asyncio.to_thread(self._graphs)

    async def vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors of these passages in graphs, recomputed if need be."""
        graphs = await self.graphs()
        return await asyncio.to_thread(_vectors, graphs, ids)

    def _graphs(self) -> list[Graph]:
        with self._loading:
            try:
                info = (self.folder / FILE).stat()
            except OSError:
                return []
            stamp = (info.st_mtime_ns, info.st_ino)
            if self._loaded[0] != stamp:
                kept = self._kept()
                names = self._whole(kept) if kept else []
                same = {graph.name: graph for graph in self._loaded[1]}
                self._loaded = (
                    stamp,
                    [same.get(name) or Graph(self.folder / name, self.embed) for name in names],
                )
            return self._loaded[1]

    def _kept(self) -> Kept | None:
        """Return the content of the file, if its graphs are of the table's embedder."""
        try:
            kept = Kept(**json.loads((self.folder / FILE).read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return None
        return kept if (kept.embedder, kept.dimensions) == self._made_of else None

    def _whole(self, kept: Kept) -> list[str]:
        """Return the graphs whose files are all there in their sizes."""
        return [name for name, sizes in kept.graphs.items() if _sizes(self.folder / name) == sizes]

    async def _in_graphs(self, table: Any, vector: Vectors, limit: int, condition: Any) -> pa.Table:
        """Return the nearest vectors in graphs, of rows that point there and pass `condition`."""
        graphs = await self.graphs()
        total = sum(map(len, graphs))
        width = limit + 16 if condition is None else 4 * limit
        while total:
            scored = await asyncio.to_thread(_searched, graphs, vector, width)
            rows = await self._rows(table, list(scored), condition)
            if rows.num_rows >= limit or width >= total:
                break
            width *= 4
        if not total:
            return _nothing()
        distances = [1 - scored[key] for key in rows["id"].to_pylist()]
        return rows.append_column("_distance", pa.array(distances, pa.float32()))

    async def _rows(self, table: Any, ids: list[str], condition: Any) -> pa.Table:
        """Return the rows (`id`, `_rowid`) of these passages whose vectors are in a graph."""
        parts = []
        for part in chunks(ids):
            wanted = with_ids(part)
            wanted = wanted if condition is None else wanted & condition
            query = table.query().where(wanted).select(["id", "vector", "embedded"])
            parts.append(_in_graph(await query.with_row_id().to_arrow()))
        return pa.concat_tables(parts) if parts else _nothing().drop_columns(["_distance"])

    def _compared(
        self, graphs: list[Graph], rows: pa.Table, vector: Vectors, limit: int
    ) -> pa.Table:
        """Return the nearest of these rows, by comparing each."""
        known = _vectors(graphs, rows["id"].to_pylist())
        scores = [
            float(known[key] @ vector) if key in known else -2.0 for key in rows["id"].to_pylist()
        ]
        rows = rows.append_column("_distance", pa.array(1 - np.array(scores), pa.float32()))
        return _best([rows.filter(pc.less(rows["_distance"], 2.5))], limit)

    # Writing ---------------------------------------------------------------------------------

    def made_of(self, embedder: str, dimensions: int) -> None:
        """See `VectorIndex`. Only graphs of this embedder count."""
        if self._made_of != (embedder, dimensions):
            self._made_of = (embedder, dimensions)
            self._loaded = ((0, 0), [])

    async def reconcile(self, table: Any) -> None:
        """Mark passages whose graph is lost, to be embedded again."""
        if not await table.count_rows(IN_GRAPH):
            return
        graphs = await self.graphs()
        known = {key for graph in graphs for key in graph.ids}
        rows = await table.query().where(IN_GRAPH).select(["id"]).to_arrow()
        lost = [key for key in rows["id"].to_pylist() if key not in known]
        for part in chunks(lost):
            wanted = col("id").isin(part).to_sql()
            await table.update(where=wanted, updates_sql={"embedded": "NULL"})

    async def keep_up(self, table: Any) -> bool:
        """Put new vectors into a graph if there are enough, inside the writer's lock.

        Returns whether it did. It may be interrupted at any moment.
        """
        fresh = int(await table.count_rows(IN_TABLE))
        graphs = await self.graphs()
        total = sum(map(len, graphs))
        dead = total - int(await table.count_rows(IN_GRAPH)) if total else 0
        enough = fresh >= max(self.share.first, self.share.more * total)
        worn = dead > self.share.more * total
        if not enough and not worn:
            return False
        whole = not self.recompute or worn or len(graphs) >= self.share.parts
        if whole and any(graph.pruned for graph in graphs) and self.embed is None:
            return False  # a sync will do it
        parts = [await self._fresh(table)]
        if whole and graphs:
            rows = await table.query().where(IN_GRAPH).select(["id"]).to_arrow()
            known = await self.vectors(rows["id"].to_pylist())
            if known:
                parts.append((list(known), np.stack(list(known.values()))))
        ids = [key for keys, _ in parts for key in keys]
        vectors = np.concatenate([made for _, made in parts if len(made)])
        await asyncio.to_thread(self._add, ids, vectors, not whole)
        if fresh:
            await table.update(where=IN_TABLE, updates_sql={"vector": "NULL"})
        await table.optimize(cleanup_older_than=KEEP_VERSIONS)  # rows that gave theirs up
        return True

    def discard(self) -> None:
        """Remove all graphs."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._loaded = ((0, 0), [])

    async def _fresh(self, table: Any) -> tuple[list[str], Vectors]:
        ids: list[str] = []
        parts: list[Vectors] = []
        query = table.query().where(IN_TABLE).select(["id", "vector"])
        async for batch in await query.to_batches():
            ids += batch["id"].to_pylist()
            parts.append(vectors_of(batch["vector"]))
        return ids, np.concatenate(parts) if parts else np.zeros((0, self._made_of[1]), np.float32)

    def _add(self, ids: Sequence[str], vectors: Vectors, beside: bool) -> None:
        """Make a graph, beside the existing ones or in their place."""
        kept = self._kept()
        old = {name: kept.graphs[name] for name in self._whole(kept)} if kept else {}
        there = [int(item.name) for item in _folders(self.folder)]
        name = f"{max(there, default=0) + 1:06}"
        try:
            build(self.folder / name, ids, vectors, recompute=self.recompute)
        except BaseException:
            shutil.rmtree(self.folder / name, ignore_errors=True)
            raise
        graphs = (old if beside else {}) | {name: _sizes(self.folder / name)}
        made = Kept(*self._made_of, self.recompute, graphs)
        write_file(self.folder / FILE, json.dumps(asdict(made), indent=1))
        for item in _folders(self.folder):
            if item.name not in graphs:
                shutil.rmtree(item, ignore_errors=True)


def _folders(folder: Path) -> list[Path]:
    return [item for item in folder.glob("*") if item.is_dir() and item.name.isdigit()]


def _sizes(folder: Path) -> dict[str, int]:
    return {item.name: item.stat().st_size for item in sorted(folder.glob("*"))}


def _nothing() -> pa.Table:
    names = {"id": pa.string(), "_rowid": pa.uint64(), "_distance": pa.float32()}
    return pa.schema(list(names.items())).empty_table()


def _in_graph(rows: pa.Table) -> pa.Table:
    """Return those of the rows (with `vector` and `embedded`) whose vector is in a graph."""
    held = pc.and_(pc.is_null(rows["vector"]), pc.is_valid(rows["embedded"]))
    return rows.filter(held).select(["id", "_rowid"])


def _best(parts: Sequence[pa.Table], limit: int) -> pa.Table:
    """Return the nearest of several tables, each passage once."""
    names = ["id", "_rowid", "_distance"]
    every = pa.concat_tables([part.select(names).cast(_nothing().schema) for part in parts])
    every = every.sort_by([("_distance", "ascending"), ("id", "ascending")])
    seen: set[str] = set()
    first = [key not in seen and not seen.add(key) for key in every["id"].to_pylist()]  # type: ignore[func-returns-value]  # add returns None
    return every.filter(pa.array(first, pa.bool_())).slice(0, limit)


def _nearest_of(rows: pa.Table, vector: Vectors, limit: int) -> pa.Table:
    """Return the nearest of all `rows` (`id`, `vector`, `_rowid`), nearest first."""
    rows = rows.filter(rows["vector"].is_valid())
    parts = [vectors_of(chunk) for chunk in rows["vector"].chunks]
    stored = np.concatenate(parts) if parts else np.zeros((0, len(vector)), np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", stored, stored)) * np.linalg.norm(vector)
    distances = (1 - stored @ vector / np.maximum(lengths, 1e-12)).astype(np.float32)
    order = np.lexsort((rows["_rowid"].to_numpy(), distances))[:limit]
    best = rows.select(["id", "_rowid"]).take(pa.array(order))
    return best.append_column("_distance", pa.array(distances[order]))


def _newest(graphs: Sequence[Graph], graph: int, key: str) -> bool:
    return not any(key in later.labels for later in graphs[graph + 1 :])


def _searched(graphs: Sequence[Graph], vector: Vectors, width: int) -> dict[str, float]:
    """Return the ids and similarities of the nearest of every graph."""
    found: dict[str, float] = {}
    for number, graph in enumerate(graphs):
        for node, score in zip(*graph.search(vector, width), strict=True):
            key = graph.ids[node]
            if _newest(graphs, number, key):
                found[key] = float(score)
    return found


def _vectors(graphs: Sequence[Graph], ids: Sequence[str]) -> dict[str, Vectors]:
    """Return the vectors of these passages, from the newest graph that has each."""
    left = set(ids)
    found: dict[str, Vectors] = {}
    for graph in reversed(graphs):
        here = [key for key in ids if key in left and key in graph.labels]
        if here:
            nodes = np.array([graph.labels[key] for key in here], np.int64)
            vectors, there = graph.vectors(nodes)
            found |= {key: vectors[at] for at, key in enumerate(here) if there[at]}
            left.difference_update(here)
    return {key: found[key] for key in ids if key in found}
