"""Rows of an older format in today's schema: what they lack is made of what they have."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from manole.index.store import rows

# Columns that older tables lack.
EMBEDDED, MADE = "embedded", ("language", "terms")


def fits(found: pa.Schema, schema: pa.Schema) -> bool:
    """Return whether rows of one schema can be brought into another by `fitted`, without loss."""
    if found.equals(schema):
        return True
    lacking = set(schema.names) - set(found.names)
    if [name for name in schema.names if name not in lacking] != found.names:
        return False
    if not lacking <= {EMBEDDED, *MADE} or len(lacking & set(MADE)) == 1:
        return False
    return all(
        field.type == schema.field(field.name).type
        or (field.name == "vector" and _width(field.type) == _width(schema.field("vector").type))
        for field in found
    )


def fitted(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return the batch in this schema, which it must fit."""
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


def _width(kind: pa.DataType) -> int:
    """Return the length of a list of that type of floats; 0 for anything else."""
    is_list = pa.types.is_fixed_size_list(kind) and pa.types.is_floating(kind.value_type)
    return int(kind.list_size) if is_list else 0
