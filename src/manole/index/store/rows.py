"""Files and passages as Arrow rows, and back.

Three columns are made for searching. `words` are the words of the path, the title and the headings,
then the text; the text itself is cut out of it again (`text_at`), so it is stored once. `terms` is
what full-text search reads: those words without their endings, in the passage's language
(`text/analysis.py`). `day` is what date filters read: the document's own date, else the day on
which the file was last changed.

Vectors are half-precision numbers, and `embedded` marks the passages that have one, so that
counting the others reads one bit each.

File names on Linux are bytes. Python shows those that are not UTF-8 as lone surrogates, which
Arrow cannot hold; they are kept as characters of a private plane and turned back on reading.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from manole.documents.model import Box, Status
from manole.index.store.libraries import FORMAT
from manole.index.store.records import FileRecord, PassageRecord, Vectors
from manole.text.analysis import terms
from manole.text.language import languages_of

T = TypeVar("T")

UNIT = 1e-2  # off length 1: half precision is off by less than 1e-3, torn vectors by more
CHUNK = 1000  # ids in the condition of one query; set by hand

_STATUS = {status.value: status for status in Status}
_PRIVATE = 0x10FF00
_TO_PRIVATE = {0xDC00 + byte: _PRIVATE + byte for byte in range(0x80, 0x100)}
_FROM_PRIVATE = {private: surrogate for surrogate, private in _TO_PRIVATE.items()}

FILES = pa.schema(  # the fields of `FileRecord`, in their order
    [
        ("id", pa.string()),
        ("root", pa.string()),
        ("path", pa.string()),
        ("size", pa.int64()),
        ("mtime_ns", pa.int64()),
        ("content_hash", pa.string()),
        ("status", pa.string()),
        ("reason", pa.string()),
        ("format", pa.string()),
        ("title", pa.string()),
        ("date", pa.date32()),
        ("date_source", pa.string()),
        ("pages", pa.int32()),
        ("passages", pa.int32()),
        ("indexed_at", pa.timestamp("us", tz="UTC")),
        ("metadata", pa.string()),
    ]
)


# A row that is read again gets another time; one that is moved or touched, the other three.
LIST_MARKS = ["id", "root", "path", "mtime_ns", "indexed_at"]


def passages_schema(dimensions: int, embedder: str) -> pa.Schema:
    """Return the columns of the passages table.

    The embedder's name is part of the schema, so that vectors of two embedders are never mixed.
    """
    return pa.schema(
        [
            ("id", pa.string()),
            ("file_id", pa.string()),
            ("content_hash", pa.string()),  # of the file the passage was read from
            ("root", pa.string()),
            ("path", pa.string()),
            ("extension", pa.string()),
            ("day", pa.date32()),
            ("ordinal", pa.int32()),
            ("page", pa.int32()),
            ("line_start", pa.int32()),
            ("line_end", pa.int32()),
            ("start", pa.int64()),
            ("end", pa.int64()),
            ("words", pa.string()),
            ("text_at", pa.int32()),
            ("language", pa.string()),  # ISO 639, the likeliest
            ("terms", pa.string()),  # separated by blanks
            ("headings", pa.list_(pa.string())),
            ("boxes", pa.list_(pa.float32())),  # four numbers each
            ("title", pa.string()),
            ("date", pa.date32()),
            ("mtime_ns", pa.int64()),
            ("vector", pa.list_(pa.float16(), dimensions)),
            ("embedded", pa.bool_()),  # True, or null
        ],
        metadata={"manole.format": str(FORMAT), "manole.embedder": embedder},
    )


# Fields of a `PassageRecord` that a row has under the same name and that its file does not give.
_PLACED = ("id", "ordinal", "page", "line_start", "line_end", "start", "end")
PASSAGE_COLUMNS = [
    name
    for name in passages_schema(1, "").names
    if name not in {"content_hash", "extension", "day", "language", "terms", "vector", "embedded"}
]


def pack(text: str) -> str:
    """Return `text` in a form that Arrow can hold."""
    if text.isascii():
        return text
    return text.translate(_TO_PRIVATE).encode("utf-8", "replace").decode("utf-8")


def unpack(text: str) -> str:
    """Return the text that `pack` packed."""
    return text if text.isascii() else text.translate(_FROM_PRIVATE)


def path_words(path: str) -> str:
    """Return a path's words, separated by blanks: `bills gas 2024 pdf` for `bills/gas_2024.pdf`."""
    return " ".join(re.findall(r"[^\W_]+", path))


def context(path: str, title: str | None, headings: Sequence[str]) -> str:
    """Return the words that place a passage: path, title and headings, each at most once."""
    parts = dict.fromkeys((path_words(path), title or "", *headings))
    return "\n".join(part for part in parts if part)


def file_table(files: Iterable[FileRecord]) -> pa.Table:
    """Return the rows of the files table."""
    return pa.Table.from_pylist([_file_row(item) for item in files], schema=FILES)


def _file_row(file: FileRecord) -> dict[str, Any]:
    return {name: getattr(file, name) for name in FILES.names} | {
        "root": pack(file.root),
        "path": pack(file.path),
        "status": file.status.value,
        "reason": None if file.reason is None else pack(file.reason),
        "title": None if file.title is None else pack(file.title),
        "metadata": json.dumps(file.metadata),
    }


def file_records(table: pa.Table | pa.RecordBatch) -> list[FileRecord]:
    """Return the records of file rows, made column by column: there may be 100,000."""
    columns: dict[str, Iterable[Any]] = {name: _values(table[name]) for name in FILES.names}
    columns["root"] = [sys.intern(unpack(root)) for root in columns["root"]]  # all share it
    columns["format"] = [kept and sys.intern(kept) for kept in columns["format"]]
    columns["path"] = map(unpack, columns["path"])
    columns["status"] = map(_STATUS.__getitem__, columns["status"])
    columns["metadata"] = ({} if kept == "{}" else json.loads(kept) for kept in columns["metadata"])
    return [FileRecord(*row) for row in zip(*columns.values(), strict=True)]


@dataclass(frozen=True, slots=True)
class FileList:
    """Every file, in path order, with the marks of its row.

    Making a record of each of a hundred thousand rows takes most of a second. Reading only the
    marks, which show whether a row was rewritten, and comparing these takes a tenth of that.
    """

    files: list[FileRecord]
    marks: pa.Table

    @classmethod
    def of(cls, batches: list[pa.RecordBatch]) -> FileList:
        """Make the list of these rows."""
        files = [file for batch in batches for file in file_records(batch)]
        return cls(in_order(files), _marks(batches))

    def changed(self, marks: pa.Table) -> list[str]:
        """Return the ids of rows that are new or changed, given the marks as they are now."""
        fresh = marks.join(self.marks, LIST_MARKS, join_type="left anti")
        found: list[str] = fresh["id"].to_pylist()
        return found

    def mended(self, marks: pa.Table, changed: list[str], fresh: list[pa.RecordBatch]) -> FileList:
        """Return the list as it is now, given the `changed` ids and the `fresh` rows of these.

        Returns this very list if nothing changed and nothing is gone.
        """
        gone = self.marks.select(["id"]).join(marks.select(["id"]), "id", join_type="left anti")
        stale = {*changed, *gone["id"].to_pylist()}
        if not stale:
            return self
        same = marks.join(self.marks, LIST_MARKS, join_type="left semi")
        files = [file for file in self.files if file.id not in stale]
        files += [file for batch in fresh for file in file_records(batch)]
        return FileList(in_order(files), pa.concat_tables([same.select(LIST_MARKS), _marks(fresh)]))


def in_order(files: list[FileRecord]) -> list[FileRecord]:
    """Sort files into path order, in place."""
    files.sort(key=lambda file: (file.path, file.root))
    return files


def _marks(batches: list[pa.RecordBatch]) -> pa.Table:
    schema = pa.schema([FILES.field(name) for name in LIST_MARKS])
    return pa.Table.from_batches([batch.select(LIST_MARKS) for batch in batches], schema)


def _values(column: pa.Array) -> list[Any]:
    """Return a column's values; times by way of integers, which is five times as fast."""
    times = pa.types.is_timestamp(column.type)
    values: list[Any] = (column.cast(pa.int64()) if times else column).to_pylist()
    if not times:
        return values
    return [None if at is None else datetime.fromtimestamp(at / 1e6, UTC) for at in values]


def day_of(own: date | None, mtime_ns: int) -> date | None:
    """Return the day that date filters use: its own, else that of `mtime_ns`, if that is valid."""
    if own is not None:
        return own
    try:
        return datetime.fromtimestamp(mtime_ns / 1e9, UTC).astimezone().date()
    except (OverflowError, ValueError, OSError):
        return None


def passage_table(
    files: Sequence[tuple[FileRecord, Sequence[PassageRecord]]], schema: pa.Schema
) -> pa.Table:
    """Return the rows of the passages table, without vectors."""
    rows = []
    for file, passages in files:
        shared = {
            "file_id": file.id,
            "content_hash": file.content_hash,
            "root": pack(file.root),
            "path": pack(file.path),
            "extension": pack(file.extension),
            "day": day_of(file.date, file.mtime_ns),
            "title": None if file.title is None else pack(file.title),
            "date": file.date,
            "mtime_ns": file.mtime_ns,
        }
        for passage in passages:
            before = pack(context(file.path, file.title, passage.headings))
            own = {name: getattr(passage, name) for name in _PLACED}
            made = {
                "words": f"{before}\n{pack(passage.text)}",
                "text_at": len(before) + 1,
                "headings": [pack(heading) for heading in passage.headings],
                "boxes": flat(passage.boxes),
            }
            rows.append(shared | own | made)
    table = pa.Table.from_pylist(rows, schema=schema)
    return with_terms(table)


def with_terms(table: pa.Table) -> pa.Table:
    """Return the rows with languages and terms, made from their words (`manole.text.analysis`)."""
    languages: list[str | None] = []
    found: list[str | None] = []
    columns = (table[name].to_pylist() for name in ("file_id", "words", "text_at"))
    for key, rows in groupby(zip(*columns, strict=True), key=itemgetter(0)):
        own = list(rows)
        if not key:  # rows of no file (`row_changes.NOBODY`)
            languages += [None] * len(own)
            found += [None] * len(own)
            continue
        each = languages_of([words[at:] for _, words, at in own])
        languages += each
        found += [" ".join(terms(row[1], of)) for row, of in zip(own, each, strict=True)]
    for name, values in (("language", languages), ("terms", found)):
        at = table.schema.get_field_index(name)
        table = table.set_column(at, table.schema.field(name), pa.array(values, pa.string()))
    return table


def passage_record(row: dict[str, Any]) -> PassageRecord:
    """Return the record of a row that has `PASSAGE_COLUMNS`."""
    return PassageRecord(
        **{name: row[name] for name in (*_PLACED, "file_id", "title", "date", "mtime_ns")},
        root=unpack(row["root"]),
        path=unpack(row["path"]),
        text=row["words"][row["text_at"] :],
        headings=tuple(row["headings"] or ()),
        boxes=boxes(row["boxes"] or []),
    )


def chunks(items: Sequence[T]) -> Iterator[list[T]]:
    """Split items, such as ids, into lists that fit one query."""
    return (list(items[at : at + CHUNK]) for at in range(0, len(items), CHUNK))


def flat(boxes: Iterable[Box]) -> list[float]:
    """Return the sides of boxes in a row, four numbers each."""
    return [side for box in boxes for side in box.sides]


def boxes(sides: Sequence[float]) -> tuple[Box, ...]:
    """Return the boxes from their sides; the inverse of `flat`."""
    return tuple(Box(*sides[at : at + 4]) for at in range(0, len(sides), 4))


def vector_table(ids: Sequence[str], vectors: Vectors, schema: pa.Schema) -> pa.Table:
    """Return ids and vectors (n × dimensions) as the columns that a table of this schema has."""
    column = schema.field("vector").type
    numbers = pa.array(np.ascontiguousarray(vectors).reshape(-1), pa.float32())
    made = pa.FixedSizeListArray.from_arrays(numbers.cast(column.value_type), vectors.shape[1])
    table = pa.table({"id": pa.array(ids, pa.string()), "vector": made})
    return table.append_column("embedded", pa.array([True] * len(ids)))


def vectors_of(column: pa.FixedSizeListArray) -> Vectors:
    """Return the vectors of a column without its nulls, n × dimensions."""
    numbers: Vectors = column.drop_null().flatten().to_numpy(zero_copy_only=False)
    return numbers.astype(np.float32).reshape(-1, column.type.list_size)


def are_whole(vectors: Vectors) -> npt.NDArray[np.bool_]:
    """Return which of the vectors (n × dimensions) are finite and of length 1, up to `UNIT` (n)."""
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(vectors, axis=1)
    whole: npt.NDArray[np.bool_] = np.abs(lengths - 1) <= UNIT
    return whole


def embedding_text(passage: PassageRecord) -> str:
    """Return the text that the embedder reads: title and headings, then the passage.

    The path is left to BM25: with it, hit@1 of vectors on XQuAD fell from .904 to .888.
    """
    before = context("", passage.title, passage.headings)
    return f"{before}\n{passage.text}" if before else passage.text
