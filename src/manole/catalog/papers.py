"""Reads the fields of files once and keeps them.

The fields that rules and the model read from a file depend only on its bytes, so they are kept in
the library's index directory under the hash of the content, with the version of the rules (and the
model's name). Asking again costs nothing, and an interrupted run continues where it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pydantic import TypeAdapter, ValidationError

from manole.catalog.derived import Derived
from manole.documents.fields import VERSION, Fields, TextLine, read_fields
from manole.index.store.records import FileRecord
from manole.index.view.page_text import lines_of
from manole.library import Library

_AT_ONCE = 16  # files that are read before their fields are written


@cache
def _adapter() -> TypeAdapter[Fields]:
    return TypeAdapter(Fields)


@dataclass(frozen=True, slots=True)
class Paper:
    """A file with its fields. Its lines are read when they are needed (`Papers.lines`)."""

    file: FileRecord
    fields: Fields


class Papers:
    """Reads the fields of a library's files, from the cache if it has them."""

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
                fields = await asyncio.to_thread(read_fields, lines, file.date)
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


def _load(text: str | None) -> Fields | None:
    if text is None:
        return None
    try:
        return _adapter().validate_json(text)
    except ValidationError:
        return None
