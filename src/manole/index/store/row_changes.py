"""How rows of the passages table are changed, so that it costs what changes, not what is there.

LanceDB's `merge_insert` is the one way to change rows in one commit. Three kinds of it read the
whole table, or a whole column of it: one that deletes what its source lacks, one that gives some
columns only, and one over an id that has no index. So whole rows are given, found by the indexes on
`id` and `file_id`; and rows that have to go are turned into rows of no file (`NOBODY`, without
words) in that same commit, and deleted in the next. A kill in between leaves these as an orphan,
which the next sync removes (`LanceStore.stale`).

Rows of files that are new to the store are appended, and nothing is looked up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
from lancedb.expr import Expr, col, lit

from manole.documents.model import Status
from manole.index.store import rows
from manole.index.store.records import FileRecord, PassageRecord, Vectors

NOBODY = FileRecord(
    id="", root="", path="", size=0, mtime_ns=0, content_hash="", status=Status.INDEXED
)
_NOTHING = PassageRecord(
    id="", file_id="", root="", path="", ordinal=0, page=None, line_start=0, line_end=0,
    start=0, end=0, text="",
)  # fmt: skip


def of_someone() -> Expr:
    """The condition for a row that is no remains of a change."""
    return col("file_id") != lit(NOBODY.id)


async def put_passages(
    table: Any,
    files: Sequence[tuple[FileRecord, Sequence[PassageRecord]]],
    vectors: Vectors | None = None,
    *,
    new: bool = False,
) -> pa.Table | None:
    """Put passages in place of all that these files had, in one commit and a clean-up.

    With `vectors`, one of each passage in the same order, they are complete. `new` promises that
    they had nothing. Gives the rows that were written.
    """
    mine = col("file_id").isin([file.id for file, _ in files])
    there: list[str] = []
    if not new:
        there = (await table.query().where(mine).select(["id"]).to_arrow())["id"].to_pylist()
    fresh = {passage.id for _, passages in files for passage in passages}
    left = [key for key in there if key not in fresh]
    if len(left) == len(there) and not fresh:
        if left:
            await table.delete(mine)
        return None
    gone = [replace(_NOTHING, id=key) for key in left]
    schema = await table.schema()
    data = await asyncio.to_thread(rows.passage_table, files, schema)
    if vectors is not None and data.num_rows:
        data = with_columns(data, rows.vector_table(data["id"].to_pylist(), vectors, schema))
    whole = pa.concat_tables([data, rows.passage_table([(NOBODY, gone)], schema)])
    if there:
        await _upsert(table, whole)
    else:
        await table.add(whole, on_bad_vectors="null")
    if left:
        await table.delete(col("file_id") == lit(NOBODY.id))
    return data


async def put_vectors(table: Any, ids: Sequence[str], vectors: Vectors) -> None:
    """Give passages their vectors; those that are gone are ignored."""
    there = await _rows(table, ids)
    if not there.num_rows:
        return
    place = {key: at for at, key in enumerate(ids)}
    found: list[str] = there["id"].to_pylist()
    made = rows.vector_table(found, vectors[[place[key] for key in found]], there.schema)
    await _upsert(table, with_columns(there, made))


async def put_files(table: Any, files: Sequence[FileRecord]) -> None:
    """Write into the passages of these files what they have of them: path, times, words."""
    known = {file.id: file for file in files}
    there = await table.query().where(col("file_id").isin(list(known))).to_arrow()
    if not there.num_rows:
        return
    found = [rows.passage_record(row) for row in there.select(rows.PASSAGE_COLUMNS).to_pylist()]
    each = [(known[passage.file_id], [passage]) for passage in found]
    data = await asyncio.to_thread(rows.passage_table, each, there.schema)
    kept = [name for name in ("vector", "embedded") if name in there.schema.names]
    await _upsert(table, with_columns(data, there.select(kept)))


def with_columns(table: pa.Table, other: pa.Table) -> pa.Table:
    """`table` with those columns of `other`, row by row, that it has; but for `id`."""
    for name in other.schema.names:
        if name != "id":
            at = table.schema.get_field_index(name)
            table = table.set_column(at, table.schema.field(name), other[name])
    return table


async def _upsert(table: Any, data: pa.Table) -> None:
    merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    await merge.execute(data, on_bad_vectors="null")


async def _rows(table: Any, ids: Sequence[str]) -> pa.Table:
    """Whole rows of passages, by their ids."""
    files = list({key.rpartition(":")[0] for key in ids})
    wanted = col("file_id").isin(files) & col("id").isin(list(ids))
    return await table.query().where(wanted).to_arrow()
