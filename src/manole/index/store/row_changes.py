"""Changes of rows of the passages table, at a cost that grows with the change, not with the table.

LanceDB's `merge_insert` is the only way to change rows in one commit. Three kinds of it read the
whole table, or a whole column: deleting the rows that the source lacks, giving some columns only,
and matching an id that has no index. So whole rows are given, found by the indexes on `id` and
`file_id`; and rows that have to go become rows of no file (`NOBODY`, without words) in that commit,
and are deleted in the next. A kill in between leaves an orphan, which the next sync removes
(`LanceStore.stale`).

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
    """Return the condition for rows of a file, not of `NOBODY`."""
    return col("file_id") != lit(NOBODY.id)


def with_ids(ids: Sequence[str]) -> Expr:
    """Return the condition for passages with these ids; the index on `file_id` serves it."""
    files = list({key.rpartition(":")[0] for key in ids})
    return col("file_id").isin(files) & col("id").isin(list(ids))


async def put_passages(
    table: Any,
    files: Sequence[tuple[FileRecord, Sequence[PassageRecord]]],
    vectors: Vectors | None = None,
    *,
    new: bool = False,
) -> pa.Table | None:
    """Replace all passages of these files, in one commit and a clean-up.

    `vectors` (n × dimensions) holds those of the passages, in order; without it these have none.
    `new` promises that the files had no passages. Returns the rows that were written.
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
    """Write the vectors (n × dimensions) of passages; ids that are gone are ignored."""
    there = await table.query().where(with_ids(ids)).to_arrow()
    if not there.num_rows:
        return
    place = {key: at for at, key in enumerate(ids)}
    found: list[str] = there["id"].to_pylist()
    made = rows.vector_table(found, vectors[[place[key] for key in found]], there.schema)
    await _upsert(table, with_columns(there, made))


async def put_files(table: Any, files: Sequence[FileRecord]) -> None:
    """Rewrite the columns in which passages repeat their file: path, times, words."""
    known = {file.id: file for file in files}
    there = await table.query().where(col("file_id").isin(list(known))).to_arrow()
    if not there.num_rows:
        return
    found = [rows.passage_record(row) for row in there.select(rows.PASSAGE_COLUMNS).to_pylist()]
    each = [(known[passage.file_id], [passage]) for passage in found]
    data = await asyncio.to_thread(rows.passage_table, each, there.schema)
    await _upsert(table, with_columns(data, there.select(["vector", "embedded"])))


def with_columns(table: pa.Table, other: pa.Table) -> pa.Table:
    """Return `table` with the columns of `other`, except `id`, in place of its own."""
    for name in other.schema.names:
        if name != "id":
            at = table.schema.get_field_index(name)
            table = table.set_column(at, table.schema.field(name), other[name])
    return table


async def _upsert(table: Any, data: pa.Table) -> None:
    merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    await merge.execute(data, on_bad_vectors="null")
