"""All passages written anew, a batch at a time, as one commit."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

ANEW = 2048  # rows of a batch


async def rewrite(
    connection: Any,
    table: Any,
    schema: pa.Schema,
    fit: Callable[[pa.RecordBatch], pa.RecordBatch],
    columns: list[str] | None = None,
) -> None:
    """Put what `fit` makes of each batch of the `columns` in place of all rows of `table`.

    Memory holds a few batches. If cancelled, it returns only once nothing is written any more, so
    that the writer's lock is held until then.
    """
    query = table.query() if columns is None else table.query().select(columns)
    old = await query.to_batches(max_batch_length=ANEW)
    loop, stopped = asyncio.get_running_loop(), threading.Event()

    def batches() -> Iterator[pa.RecordBatch]:
        while batch := asyncio.run_coroutine_threadsafe(_next(old), loop).result():
            fitted = fit(batch)
            if stopped.is_set():
                raise RuntimeError("stopped")
            yield fitted
        if stopped.is_set():
            raise RuntimeError("stopped")

    reader = pa.RecordBatchReader.from_batches(schema, batches())
    made = connection.create_table(
        table.name, reader, schema=schema, mode="overwrite", on_bad_vectors="null"
    )
    # In a thread with a loop of its own, because the writer waits for the reader.
    writing = loop.run_in_executor(None, asyncio.run, made)
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
    """Return a function that gives a batch the vectors `made` (`id`, `vector`), or none."""
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


async def _next(batches: Any) -> pa.RecordBatch | None:
    return await anext(batches, None)
