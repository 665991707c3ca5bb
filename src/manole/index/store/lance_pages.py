"""The table of pages beside those of `lance.py`: lines, their boxes and a multi-vector column.

Everything in it comes from the files, and a file's row has the number of its pages. So a table that
is damaged, or was made with another embedder, is dropped: the next sync finds the pages missing and
reads their files again.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from lancedb.expr import col

from manole.index.store import durability, rows
from manole.index.store.page_records import PAGED
from manole.index.store.records import FileRecord, PageRecord, Vectors
from manole.index.store.writer_lock import failures

NAME = "pages"
_COLUMNS = ["id", "file_id", "page", "texts", "boxes"]
_MISSING = "vectors IS NULL"
NO_PAGES = ("", 0)  # the counts of a file without pages


def pages_of(file: FileRecord) -> tuple[str, int]:
    """Return what `LancePages.counts` should give for a file."""
    count = int(file.metadata.get(PAGED, "0"))
    return (file.content_hash, count) if count else NO_PAGES


def schema(dimensions: int, embedder: str) -> pa.Schema:
    """Return the columns of the table of pages."""
    return pa.schema(
        [
            ("id", pa.string()),
            ("file_id", pa.string()),
            ("content_hash", pa.string()),
            ("page", pa.int32()),
            ("texts", pa.list_(pa.string())),
            ("boxes", pa.list_(pa.float32())),  # four numbers a line
            ("vectors", pa.list_(pa.list_(pa.float16(), dimensions))),  # one a line
        ],
        metadata={"manole.embedder": embedder},
    )


def made_for(schema: pa.Schema) -> tuple[str, int]:
    """Return the name and the dimensions of the embedder that a table of pages was made for."""
    name = (schema.metadata or {}).get(b"manole.embedder", b"").decode()
    return name, schema.field("vectors").type.value_type.list_size


class LancePages:
    """`PageStore` in LanceDB. Write inside `LanceStore.writing`."""

    def __init__(self, path: Path, connection: Any) -> None:
        self._path = path
        self._connection = connection
        self._table: Any = None
        self.embedder = ""

    async def load(self) -> None:
        """Open the table, if there is one."""
        with failures(self._path):
            names = (await self._connection.list_tables()).tables
            self._table = await self._connection.open_table(NAME) if NAME in names else None
            self.embedder = ""
            if self._table is not None:
                self.embedder, _ = made_for(await self._table.schema())

    async def prepare(self, dimensions: int, embedder: str) -> None:
        """Make the table, after dropping one that is damaged or of another embedder."""
        folder = self._path / "tables" / f"{NAME}.lance"
        if any(True for _ in durability.cut_short(folder)):
            shutil.rmtree(folder, ignore_errors=True)
        wanted = schema(dimensions, embedder)
        await self.load()
        with failures(self._path):
            if self._table is not None:
                made = await self._table.schema()
                if made.equals(wanted, check_metadata=True):
                    return
                await self._connection.drop_table(NAME)
            self._table = await self._connection.create_table(NAME, schema=wanted)
            self.embedder = embedder

    async def put(
        self,
        files: Sequence[FileRecord],
        pages: Sequence[PageRecord],
        vectors: Sequence[Vectors] | None = None,
        *,
        new: bool = False,
    ) -> None:
        """Put pages in place of all that these files had, with their `vectors` if these are given.

        `new` promises that the files had none.
        """
        hashes = {file.id: file.content_hash for file in files}
        mine = col("file_id").isin(list(hashes))
        with failures(self._path):
            if not pages:
                if new:
                    return
                there = self._table.query().where(mine).select(["id"]).limit(1)
                if (await there.to_arrow()).num_rows:
                    await self._table.delete(mine)
                return
            data = [_row(page, hashes[page.file_id]) for page in pages]
            table = pa.Table.from_pylist(data, schema=await self._table.schema())
            if vectors:
                at = table.schema.get_field_index("vectors")
                column = _column(vectors).cast(table.schema.field("vectors").type)
                table = table.set_column(at, table.schema.field("vectors"), column)
            if new:
                await self._table.add(table, on_bad_vectors="null")
                return
            merge = self._table.merge_insert("id").when_matched_update_all()
            merge = merge.when_not_matched_insert_all().when_not_matched_by_source_delete(mine)
            await merge.execute(table, on_bad_vectors="null")

    async def delete(self, file_ids: Sequence[str]) -> None:
        """Remove the pages of files."""
        if self._table is not None:
            with failures(self._path):
                await self._table.delete(col("file_id").isin(list(file_ids)))

    async def missing(self, limit: int) -> list[PageRecord]:
        """Return the pages without vectors."""
        if self._table is None:
            return []
        with failures(self._path):
            query = self._table.query().where(_MISSING).select(_COLUMNS).limit(limit)
            return [_record(row) for row in (await query.to_arrow()).to_pylist()]

    async def put_vectors(self, ids: Sequence[str], vectors: Sequence[Vectors]) -> None:
        """Add the vectors of pages; ids that are gone are ignored."""
        data = pa.table({"id": pa.array(ids, pa.string()), "vectors": _column(vectors)})
        with failures(self._path):
            await self._table.merge_insert("id").when_matched_update_all().execute(data)

    async def counts(self) -> dict[str, tuple[str, int]]:
        """Return the content hash and the number of pages of each file, by its id.

        The hash is "?" if pages were read from several versions of the file.
        """
        if self._table is None:
            return {}
        found: dict[str, tuple[str, int]] = {}
        with failures(self._path):
            for file_id, content_hash, count in await counted(self._table):
                before = found.get(file_id)
                digest = content_hash if before is None else "?"
                found[file_id] = (digest, count + (before[1] if before else 0))
        return found

    async def count(self) -> tuple[int, int]:
        """Return the number of pages, and of those that have vectors."""
        if self._table is None:
            return 0, 0
        with failures(self._path):
            total = int(await self._table.count_rows())
            return total, total - int(await self._table.count_rows(_MISSING))

    async def nearest(
        self, query: Vectors, limit: int, file_ids: Sequence[str] | None
    ) -> list[str]:
        """Return the ids of the best pages by unweighted MaxSim, in these files or in all."""
        if self._table is None or (file_ids is not None and not file_ids):
            return []
        with failures(self._path):
            search = self._table.query().nearest_to(list(query)).distance_type("cosine")
            if file_ids is not None:
                search = search.where(col("file_id").isin(list(file_ids)))
            found = await search.select(["id", "_distance"]).limit(limit).to_arrow()
            return list(found["id"].to_pylist())

    async def get(self, ids: Sequence[str]) -> dict[str, PageRecord]:
        """Return the pages that exist, with their lines, by id."""
        if self._table is None or not ids:
            return {}
        with failures(self._path):
            query = self._table.query().where(col("id").isin(list(ids)))
            table = await query.select(_COLUMNS).to_arrow()
        return {row["id"]: _record(row) for row in table.to_pylist()}

    async def vectors(self, ids: Sequence[str]) -> dict[str, tuple[PageRecord, Vectors]]:
        """Return the pages that have vectors, with these, by id."""
        if self._table is None or not ids:
            return {}
        found: dict[str, tuple[PageRecord, Vectors]] = {}
        with failures(self._path):
            for part in rows.chunks(ids):
                query = self._table.query().where(col("id").isin(part))
                table = await query.select([*_COLUMNS, "vectors"]).to_arrow()
                column = table["vectors"].combine_chunks()
                for i, row in enumerate(table.select(_COLUMNS).to_pylist()):
                    page = column[i].values
                    if page is None:
                        continue
                    flat = page.flatten().to_numpy(zero_copy_only=False).astype(np.float32)
                    found[row["id"]] = (_record(row), flat.reshape(len(page), -1))
        return found

    async def version(self) -> int:
        """Return the table's newest version; 0 where there is no table."""
        return 0 if self._table is None else int(await self._table.version())

    async def finish(self, cleanup: timedelta, most: int) -> None:
        """Fold the table and remove versions older than `cleanup`.

        Does nothing while there are fewer than `most` such versions and pieces of the table.
        """
        if self._table is None:
            return
        with failures(self._path):
            folder = self._path / "tables" / f"{NAME}.lance"
            old = await asyncio.to_thread(durability.removable, folder, cleanup)
            pieces = (await self._table.stats())["fragment_stats"]["num_fragments"]
            if max(old, pieces) >= most:
                await self._table.optimize(cleanup_older_than=cleanup)

    def close(self) -> None:
        """Release the table."""
        if self._table is not None:
            self._table.close()
            self._table = None


async def counted(table: Any) -> list[tuple[str, str, int]]:
    """Count a table's rows by `file_id` and `content_hash`."""
    each = await table.query().select(["file_id", "content_hash"]).to_arrow()
    groups = each.group_by(["file_id", "content_hash"]).aggregate([([], "count_all")])
    return [(row["file_id"], row["content_hash"], row["count_all"]) for row in groups.to_pylist()]


def _row(page: PageRecord, digest: str) -> dict[str, Any]:
    return {
        "id": page.id,
        "file_id": page.file_id,
        "content_hash": digest,
        "page": page.page,
        "texts": list(page.texts),
        "boxes": rows.flat(page.boxes),
        "vectors": None,
    }


def _column(vectors: Sequence[Vectors]) -> pa.ListArray:
    """Return the vectors of pages as a column of the table."""
    ends = np.cumsum([0, *(len(page) for page in vectors)])
    flat = np.concatenate(list(vectors)).astype(np.float16)
    inner = pa.FixedSizeListArray.from_arrays(pa.array(flat.reshape(-1)), flat.shape[1])
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), inner)


def _record(row: dict[str, Any]) -> PageRecord:
    boxes = rows.boxes(row["boxes"])
    return PageRecord(row["id"], row["file_id"], row["page"], tuple(row["texts"]), boxes)
