"""Values derived from contents, made once and kept beside the index under a content hash.

They are plans and fields of papers, and summaries that the model wrote (`agent/plan`,
`answer/summary.py`). Each can be made again, so errors of the cache are ignored. The fields that
rules and the model read from a file depend only on its bytes, so their key is the hash of the
content with the version of the rules (and the model's name). An interrupted run continues where it
was.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from manole.documents.fields import VERSION, Fields, TextLine, read_fields
from manole.documents.tables.bookings import booking_table
from manole.index.store.records import FileRecord
from manole.index.view.page_text import lines_of
from manole.library import Library

NAME = "fields.sqlite3"
_AT_ONCE = 16  # files that are read before their fields are written: little is lost by a kill


@cache
def _adapter() -> TypeAdapter[Fields]:
    return TypeAdapter(Fields)


@dataclass(frozen=True, slots=True)
class Paper:
    """A file with its fields. Its lines are read when they are needed (`Papers.lines`)."""

    file: FileRecord
    fields: Fields


class Papers:
    """The fields of a library's files, from the cache where it has them."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.kept = Derived(library.path)
        self._lines: dict[str, list[TextLine]] = {}

    async def read(self, files: Sequence[FileRecord]) -> list[Paper]:
        """Return the fields of `files`, in their order."""
        keys = [f"{file.content_hash}:{file.date}:rules{VERSION}" for file in files]
        kept = await asyncio.to_thread(self.kept.get, keys)
        read: dict[str, Fields] = {}
        missing: list[tuple[FileRecord, str]] = []
        for file, key in zip(files, keys, strict=True):
            known = _load(kept.get(key)) if file.content_hash else None
            if known is None:
                missing.append((file, key))
            else:
                read[file.id] = known
        for start in range(0, len(missing), _AT_ONCE):
            part = missing[start : start + _AT_ONCE]
            texts = await asyncio.gather(*(self.lines(file) for file, _ in part))
            fresh: dict[str, str] = {}
            for (file, key), lines in zip(part, texts, strict=True):
                fields = await asyncio.to_thread(_fields, file, lines)
                read[file.id] = fields
                if file.content_hash:
                    fresh[key] = _adapter().dump_json(fields).decode()
            await asyncio.to_thread(self.kept.put, fresh)
        return [Paper(file, read[file.id]) for file in files]

    async def lines(self, file: FileRecord) -> list[TextLine]:
        """Return the lines of a file as indexed."""
        if file.id not in self._lines:
            found = await self._library.passages(file) if file.passages else []
            self._lines[file.id] = lines_of(found)
        return self._lines[file.id]


def _fields(file: FileRecord, lines: list[TextLine]) -> Fields:
    """Return the fields of a file; a statement has none, as its amounts are of many payments."""
    stated = file.format == "pdf" and booking_table(lines, file.path)
    return Fields() if stated else read_fields(lines, file.date)


def _load(text: str | None) -> Fields | None:
    if text is None:
        return None
    try:
        return _adapter().validate_json(text)
    except ValidationError:
        return None


class Derived:
    """The cache in a library's index directory: texts by key. Blocks: call it in a thread."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME

    def get(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the values under `keys`; none if the cache cannot be read."""
        if not keys or not self._path.exists():
            return {}
        try:
            with closing(_open(self._path)) as store:
                query = (
                    "SELECT key, value FROM fields WHERE key IN (SELECT value FROM json_each(?))"
                )
                return dict(store.execute(query, [json.dumps(list(keys))]).fetchall())
        except sqlite3.Error:
            return {}

    def put(self, values: Mapping[str, str]) -> None:
        """Store `values`. A value that cannot be written is made again next time."""
        if not values:
            return
        with suppress(sqlite3.Error), closing(_open(self._path)) as store, store:
            store.executemany("INSERT OR REPLACE INTO fields VALUES (?, ?)", values.items())


def _open(path: Path) -> sqlite3.Connection:
    store = sqlite3.connect(path, timeout=5)
    store.execute("CREATE TABLE IF NOT EXISTS fields (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    return store
