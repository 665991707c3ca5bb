"""The index over passages' vectors: made, refreshed, tuned and checked without being asked.

Up to some ten thousand passages a search compares the question with every vector. From
`Limits.first` on there is an approximate index: IVF with RaBitQ codes of four bits a number (Gao
and Long, "RaBitQ: quantizing high-dimensional vectors with a theoretical error bound for
approximate nearest neighbor search", SIGMOD 2024), whose best candidates are compared exactly.

* Rows that are not in the index yet are found as well: LanceDB compares these one by one, until
  folding (`lance_folding.py`) puts them in, each time as a part of its own. The index is made anew
  when the number of vectors has doubled, or its parts have become many.
* The number of partitions searched (`nprobes`) and of candidates compared (`refine`) is measured.
  Stored vectors are turned at random, as a question's vector is turned from its passage's; the
  index's ten best are compared with the ten best of all. The least effort that finds
  `Limits.wanted` of these is kept, with its recall, in `vectors.json` beside the tables. A search
  for more than ten results shares these candidates, since each is read from another place.
* A filter that leaves few passages breaks an approximate index, since the partitions near the
  question may hold none of them. So the passages left are counted first, up to `Limits.exact`, and
  compared one by one; if there are more, every partition is searched.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from lancedb.index import IvfRq

from manole.files import read_json, write_file
from manole.index.store.records import Described, Tuned, Vectors
from manole.index.store.rows import vectors_of

NAME = "vector_idx"
FILE = "vectors.json"
MISSING = "embedded IS NULL"  # the condition for passages without a vector
BITS = 4  # of a number: one bit is a fifth faster and a third of the size, and finds less
PARTS = 24  # of an index, each 0.3 ms of a search
TOP = 10  # results whose recall is measured
AT_LEAST = 2  # candidates a result, where more than TOP are wanted; set by hand
TIED = 1e-3  # difference in cosine, set by hand, within which a result equals the tenth best
LIKENESS = 0.75  # cosine of a made-up question's vector and its passage's; set by hand
# From little effort to much, set by hand: partitions searched, candidates a result. The last
# searches all partitions; which of them is used is measured.
ALL = 100_000  # partitions; more than there are
EFFORTS = ((16, 8), (32, 8), (64, 8), (128, 12), (ALL, 20))


@dataclass(frozen=True, slots=True)
class Limits:
    """The sizes from which there is an index, and its quality. All set by hand."""

    first: int = 50_000  # vectors from which on there is an index
    partition: int = 8192  # vectors of one partition
    exact: int = 10_000  # passages left by a filter up to which all are compared
    wanted: float = 0.99  # share of the true ten best that a search has to find
    samples: int = 100  # questions by which that is measured


LIMITS = Limits()


class VectorIndex:
    """The vector index of the passages table in the library folder `path`."""

    columns: tuple[str, ...] = ("vector",)  # of the table, which `held` reads

    def __init__(self, path: Path, limits: Limits) -> None:
        self.limits = limits
        self._file = path / FILE
        self._read: tuple[tuple[int, int], Tuned | None] = ((0, 0), None)

    # Reading ---------------------------------------------------------------------------------

    async def nearest(self, table: Any, vector: Vectors, limit: int, condition: Any) -> pa.Table:
        """Return the `limit` nearest by cosine, as `id`, `_rowid` and `_distance`, nearest first.

        `condition` is an expression that restricts them, or `None`.
        """
        if condition is None:
            return await self._search(table, vector, limit)
        left = table.query().where(condition).select([]).with_row_id()
        few = (await left.limit(self.limits.exact + 1).to_arrow()).num_rows <= self.limits.exact
        return await self._search(table, vector, limit, condition, exactly=few)

    async def held(self, batch: pa.RecordBatch) -> tuple[list[bool], Vectors]:
        """Return which rows of a batch, with the `columns`, have a vector, and these vectors."""
        return pc.is_valid(batch["vector"]).to_pylist(), vectors_of(batch["vector"])

    async def describe(self, table: Any) -> Described | None:
        """Describe the index; return `None` where every search is exact."""
        found = [item for item in await table.list_indices() if item.name == NAME]
        if not found:
            return None
        index = found[0]
        rows = await count_embedded(table)
        return Described(
            kind=f"IVF_RQ, {BITS} bits",
            rows=rows,
            indexed=min(rows, index.num_indexed_rows),
            parts=index.num_segments,
            bytes=index.size_bytes,
            tuned=self.tuned,
        )

    @property
    def tuned(self) -> Tuned | None:
        """The last measurement; `None` without a readable file."""
        try:
            info = self._file.stat()
            stamp = (info.st_mtime_ns, info.st_ino)
            if self._read[0] != stamp:
                self._read = (stamp, read_json(self._file, lambda kept: Tuned(**kept)))
        except OSError:
            return None
        return self._read[1]

    async def _search(
        self,
        table: Any,
        vector: Vectors,
        limit: int,
        condition: Any = None,
        *,
        exactly: bool = False,
        effort: tuple[int, int] | None = None,
    ) -> pa.Table:
        tuned = self.tuned
        probes, each = effort or ((tuned.nprobes, tuned.refine) if tuned else EFFORTS[1])
        query = table.query().nearest_to(vector).distance_type("cosine")
        if exactly:
            query = query.bypass_vector_index()
        else:
            refine = max(min(each, AT_LEAST), math.ceil(each * TOP / limit))
            query = query.nprobes(probes if condition is None else ALL).refine_factor(refine)
        if condition is not None:
            query = query.where(condition)
        return await query.select(["id", "_distance"]).with_row_id().limit(limit).to_arrow()

    # Writing ---------------------------------------------------------------------------------

    async def keep_up(self, table: Any) -> bool:
        """Build, rebuild, measure or drop the index, as the table needs, inside the writer's lock.

        Returns whether anything was done. It may be interrupted at any moment: an unmeasured index
        is searched with middling effort, and the next call continues.
        """
        if await table.count_rows() < self.limits.first and not self._file.exists():
            return False
        if (await table.schema()).field("vector").type.list_size % 8:
            return False  # RaBitQ's codes take numbers by eights
        rows = await count_embedded(table)
        found = [item for item in await table.list_indices() if item.name == NAME]
        if rows < self.limits.first // 2 or (rows < self.limits.first and not found):
            return await self.drop(table)
        tuned = self.tuned
        doubled = tuned is not None and rows >= 2 * tuned.trained
        if not found or doubled or found[0].num_segments > PARTS:
            self._file.unlink(missing_ok=True)
            await self.build(table)
            await self._tune(table, trained=rows, rows=rows)
        elif tuned is None or rows >= 1.25 * tuned.rows:
            await self._tune(table, trained=tuned.trained if tuned else rows, rows=rows)
        else:
            return False
        return True

    def made_of(self, embedder: str, dimensions: int) -> None:
        """Note the embedder of the table's vectors: not needed for an index inside the table."""

    async def reconcile(self, table: Any) -> None:
        """Mark passages whose vectors are lost, to be embedded again: a table loses none."""

    def discard(self) -> None:
        """Remove what is kept beside the table, after all its vectors were replaced."""
        self._file.unlink(missing_ok=True)

    async def drop(self, table: Any) -> bool:
        """Drop the index. Returns whether there was one."""
        self._file.unlink(missing_ok=True)
        there = any(item.name == NAME for item in await table.list_indices())
        if there:
            await table.drop_index(NAME)
        return there

    async def build(self, table: Any) -> None:
        """Rebuild the index from all vectors: a minute for a million."""
        config = IvfRq(
            distance_type="cosine", num_bits=BITS, target_partition_size=self.limits.partition
        )
        await table.create_index("vector", config=config, name=NAME, replace=True)

    async def _tune(self, table: Any, *, trained: int, rows: int) -> None:
        questions = await self._questions(table)
        best = await best_cosines(table, questions)
        effort, found = EFFORTS[-1], 0.0
        for effort in EFFORTS:
            found = await self.recall(table, effort, questions, best)
            if found >= self.limits.wanted:
                break
        now = datetime.now(UTC).isoformat(timespec="seconds")
        tuned = Tuned(trained, rows, *effort, round(found, 4), len(questions), now)
        write_file(self._file, json.dumps(asdict(tuned), indent=1))

    async def recall(
        self, table: Any, effort: tuple[int, int], questions: Vectors, best: Vectors
    ) -> float:
        """Return the share of the true ten best that the index finds with this effort, 0 to 1.

        `questions` is n × dimensions, `best` the cosines from `best_cosines`.
        """
        hits = 0
        for question, scores in zip(questions, best, strict=True):
            found = await self._search(table, question, TOP, effort=effort)
            good = 1 - found["_distance"].to_numpy() > scores.min(initial=1) - TIED
            hits += int(np.count_nonzero(good))
        return hits / max(1, best.size)

    async def _questions(self, table: Any) -> Vectors:
        """Return vectors like those of questions: stored ones, each turned at random."""
        random = np.random.default_rng(0)
        rows = await table.count_rows()
        places = random.choice(rows, min(rows, 2 * self.limits.samples), replace=False)
        taken = await table.take_offsets(sorted(places.tolist())).select(["vector"]).to_arrow()
        stored = _unit(vectors_of(taken["vector"].combine_chunks()))[: self.limits.samples]
        aside = _unit(random.normal(size=stored.shape).astype(np.float32))
        turned = LIKENESS * stored + (1 - LIKENESS**2) ** 0.5 * aside
        return _unit(turned.astype(np.float32))


async def count_embedded(table: Any) -> int:
    """Return the number of passages with vectors."""
    total = int(await table.count_rows())
    return total - int(await table.count_rows(MISSING))


async def best_cosines(table: Any, questions: Vectors) -> Vectors:
    """Return the ten highest cosines of each question (n × 10), from one pass over all vectors.

    Cosines, not rows: a text that stands in a hundred files has a hundred equal places, and any ten
    of them will do.
    """
    scores: Vectors = np.full((len(questions), 0), 0.0, np.float32)
    async for batch in await table.query().select(["vector"]).to_batches():
        scores = np.hstack([scores, questions @ _unit(vectors_of(batch["vector"])).T])
        if scores.shape[1] > TOP:
            scores = np.partition(scores, -TOP, axis=1)[:, -TOP:]
    return scores


def _unit(vectors: Vectors) -> Vectors:
    """Return vectors (n × dimensions) scaled to length 1."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = vectors / np.maximum(lengths, np.float32(1e-12))
    return unit
