"""Which texts of a library have tables: drawn ones, records, definitions of code, bookings."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from weakref import WeakKeyDictionary

from manole.catalog.catalog import Catalog
from manole.catalog.texts import texts_of
from manole.documents.fields.model import TextLine
from manole.documents.tables import tables_in
from manole.documents.tables.blocks import RECORDED
from manole.index.store.records import FileRecord
from manole.library import Library

_LARGEST = 5_000_000  # bytes of a file: a hundred thousand lines, which take a second or two
_TEXTS = RECORDED | {"pdf"}
_known: WeakKeyDictionary[Catalog, list[str]] = WeakKeyDictionary()


async def with_records(catalog: Catalog, library: Library) -> list[str]:
    """Return the paths of the texts that have such tables; small files come first."""
    if catalog not in _known:
        files = [f for f in catalog.files if f.format in _TEXTS and f.size <= _LARGEST]
        files.sort(key=lambda file: file.size)
        found: list[str] = []
        async for texts in texts_of(library, files):
            found += await asyncio.to_thread(_having, texts)
        _known[catalog] = found
    return _known[catalog]


def _having(texts: Sequence[tuple[FileRecord, list[TextLine]]]) -> list[str]:
    return [file.path for file, lines in texts if tables_in(lines, file.format or "", file.path)]
