"""All passages written anew, without vectors, for another embedder.

They are read and written a batch at a time, as one commit.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

ANEW = 2048  # rows of a batch, set by hand: a few megabytes
MADE_OF_VECTORS = {"vector", "embedded"}


async def rewrite(connection: Any, table: Any, schema: pa.Schema) -> None:
    """Replace all rows of `table` by the same in `schema`, without vectors.

    Memory holds a few batches. When cancelled, it returns only after the last write, so that the
    writer's lock is held until then.
    """
    kept = [name for name in schema.names if name not in MADE_OF_VECTORS]
    old = await table.query().select(kept).to_batches(max_batch_length=ANEW)
    loop, stopped = asyncio.get_running_loop(), threading.Event()

    def batches() -> Iterator[pa.RecordBatch]:
        while True:
            batch = asyncio.run_coroutine_threadsafe(_next(old), loop).result()
            made = None if batch is None else without_vectors(batch, schema)
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


def without_vectors(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return the batch in this schema, with null for each vector."""
    columns = [
        pa.nulls(batch.num_rows, field.type)
        if field.name in MADE_OF_VECTORS
        else batch[field.name].cast(field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


async def _next(batches: Any) -> pa.RecordBatch | None:
    return await anext(batches, None)
