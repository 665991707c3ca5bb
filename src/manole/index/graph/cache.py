"""The map between runs: one file beside the index.

The file is a format name and a checksum, then an Arrow stream. It is replaced as a whole, so that
readers, other writers and a power cut find the old one or the new one. A file that is missing,
damaged, of another format or of another embedder counts as none: everything can be read from the
index again.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from manole.index.graph.facts import FileFacts
from manole.index.graph.model import NEIGHBOURS
from manole.index.graph.similar import Neighbours, Whole
from manole.index.store.durability import write_file

FILE = "graph.arrow"
_FORMAT = b"manole graph 1\n"  # another one whenever what is read from a text changes
_DIGEST = 32  # bytes
_THING = pa.struct([("kind", pa.string()), ("name", pa.string())])

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kept:
    """The facts of files by their ids, and the neighbours of those with a mean.

    `ids` names the files of the rows of `vectors` and `neighbours`.
    """

    facts: dict[str, FileFacts]
    ids: list[str]
    vectors: Whole
    neighbours: Neighbours


def load(path: Path, embedder: str) -> Kept | None:
    """Return the facts kept for this embedder, if there are any."""
    try:
        if (body := _body(path.read_bytes())) is None:
            return None
        return _kept(pa.ipc.open_stream(pa.py_buffer(body)).read_all(), embedder)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        log.warning("%s cannot be read, and is made anew: %s", path, error)
        return None


def is_whole(path: Path) -> bool:
    """Return whether every byte is as it was written; another version's file is not checked."""
    try:
        content = path.read_bytes()
    except OSError:
        return False
    if not content.startswith(_FORMAT):
        return content.startswith(_FORMAT.split()[0])
    return _body(content) is not None


def save(path: Path, kept: Kept, embedder: str) -> None:
    """Write the facts to disk. If that fails, they are read again next time."""
    table = _table(kept, embedder)
    stream = pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    body = memoryview(stream.getvalue())
    try:
        write_file(path, b"".join((_FORMAT, _digest(body), body)))
    except OSError as error:
        log.warning("%s cannot be written: %s", path, error.strerror)


def _body(content: bytes) -> memoryview | None:
    """Return what follows format and checksum; `None` if these do not fit."""
    body = memoryview(content)[len(_FORMAT) + _DIGEST :]
    return body if content.startswith(_FORMAT + _digest(body)) else None


def _digest(body: memoryview) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGEST).digest()


def _table(kept: Kept, embedder: str) -> pa.Table:
    """Return the files as a table: those with a mean first, in the order of their rows."""
    rows = set(kept.ids)
    ids = [*kept.ids, *(id_ for id_ in kept.facts if id_ not in rows)]
    facts = [kept.facts[id_] for id_ in ids]
    missing = len(ids) - len(kept.ids)
    columns = {
        "id": pa.array(ids, pa.string()),
        "state": pa.array([item.state for item in facts], pa.string()),
        "passages": pa.array([item.vectors for item in facts], pa.int32()),
        "things": pa.array(
            [[{"kind": kind, "name": name} for kind, name in item.things] for item in facts],
            pa.list_(_THING),
        ),
        "mentions": pa.array([item.mentions for item in facts], pa.list_(pa.string())),
        "mean": _lists(kept.vectors, missing),
        "rows": _lists(kept.neighbours.rows, missing),
        "products": _lists(kept.neighbours.products, missing),
    }
    about = {"embedder": embedder, "rows": str(len(kept.ids))}
    return pa.table(columns).replace_schema_metadata(about)


def _kept(table: pa.Table, embedder: str) -> Kept | None:
    about = table.schema.metadata
    if about[b"embedder"] != embedder.encode():
        return None
    ids = table["id"].to_pylist()
    count = int(about[b"rows"])
    vectors = _matrix(table["mean"])[:count].astype(np.int16)
    neighbours = Neighbours(
        _matrix(table["rows"])[:count].astype(np.int32),
        _matrix(table["products"])[:count].astype(np.int32),
    )
    if neighbours.rows.shape != (count, NEIGHBOURS) or neighbours.rows.max(initial=-1) >= count:
        return None
    facts = {}
    columns = [table[name].to_pylist() for name in ("state", "passages", "things", "mentions")]
    for at, (id_, state, passages, things, named) in enumerate(zip(ids, *columns, strict=True)):
        facts[id_] = FileFacts(
            state,
            passages,
            vectors[at] if at < count else None,
            tuple((thing["kind"], thing["name"]) for thing in things),
            tuple(named),
        )
    return Kept(facts, ids[:count], vectors, neighbours)


def _lists(matrix: Whole | np.ndarray, missing: int) -> pa.Array:
    """Return a matrix as a column of lists, followed by `missing` rows of zeros."""
    width = matrix.shape[1]
    whole = np.concatenate([matrix, np.zeros((missing, width), matrix.dtype)])
    return pa.FixedSizeListArray.from_arrays(pa.array(whole.reshape(-1)), width)


def _matrix(column: pa.ChunkedArray) -> np.ndarray:
    width = column.type.list_size
    flat: np.ndarray = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return flat.reshape(-1, width)
