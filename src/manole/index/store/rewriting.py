"""All passages written anew: in today's format, or with the vectors of another embedder.

They are read and written a batch at a time, as one commit. Rows of an older format lack columns,
which are made of those that they have.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from manole.index.store import rows

ANEW = 2048  # rows of a batch, set by hand: a few megabytes
EMBEDDED, MADE = "embedded", ("language", "terms")  # columns that older tables lack


async def rewrite(
    connection: Any,
    table: Any,
    schema: pa.Schema,
    fit: Callable[[pa.RecordBatch], pa.RecordBatch],
    columns: list[str] | None = None,
) -> None:
    """Replace all rows of `table` by what `fit` makes of each batch of the `columns`.

    Memory holds a few batches. When cancelled, it returns only after the last write, so that the
    writer's lock is held until then.
    """
    query = table.query() if columns is None else table.query().select(columns)
    old = await query.to_batches(max_batch_length=ANEW)
    loop, stopped = asyncio.get_running_loop(), threading.Event()

    def batches() -> Iterator[pa.RecordBatch]:
        while True:
            batch = asyncio.run_coroutine_threadsafe(_next(old), loop).result()
            made = None if batch is None else fit(batch)
            if stopped.is_set():  # also after the last batch, so that nothing is committed
                raise RuntimeError("stopped")
            if made is None:
                return
            yield made

    reader = pa.RecordBatchReader.from_batches(schema, batches())
    replacing = connection.create_table(
        table.name, reader, schema=schema, mode="overwrite", on_bad_vectors="null"
    )
    # In a thread with a loop of its own, because the writer waits for the reader.
    writing = loop.run_in_executor(None, asyncio.run, replacing)
    try:
        await asyncio.shield(writing)
    except asyncio.CancelledError:
        stopped.set()
        while not writing.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([writing])
        writing.exception()  # the error is our own stop
        raise


def with_vectors(
    schema: pa.Schema, made: pa.Table | None
) -> Callable[[pa.RecordBatch], pa.RecordBatch]:
    """Return a function that puts the vectors `made` (`id`, `vector`), or none, into a batch."""
    kind = schema.field("vector").type
    places = {} if made is None else {key: at for at, key in enumerate(made["id"].to_pylist())}
    vectors = pa.nulls(0, kind) if made is None else made["vector"].combine_chunks()

    def fit(batch: pa.RecordBatch) -> pa.RecordBatch:
        at = pa.array([places.get(key) for key in batch["id"].to_pylist()], pa.int64())
        own = vectors.take(at).cast(kind)
        embedded = pc.if_else(own.is_valid(), True, pa.scalar(None, pa.bool_()))
        fresh = {"vector": own, "embedded": embedded}
        columns = [
            fresh[field.name] if field.name in fresh else batch[field.name].cast(field.type)
            for field in schema
        ]
        return pa.RecordBatch.from_arrays(columns, schema=schema)

    return fit


def fitted(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch of an older format in this schema."""
    if batch.schema.equals(schema, check_metadata=True):
        return batch
    columns = []
    for field in schema:
        if field.name in batch.schema.names:
            columns.append(batch.column(field.name).cast(field.type))
        elif field.name == EMBEDDED:
            there = batch.column("vector").is_valid()
            columns.append(pc.if_else(there, True, pa.scalar(None, pa.bool_())))
        else:
            columns.append(pa.nulls(batch.num_rows, field.type))
    made = pa.RecordBatch.from_arrays(columns, schema=schema)
    if set(MADE) <= set(schema.names) - set(batch.schema.names):
        return rows.with_terms(made)
    return made


async def _next(batches: Any) -> pa.RecordBatch | None:
    return await anext(batches, None)
