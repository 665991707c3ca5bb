"""The journal entries of a library: read from the index, exports in JSON from their files.

Entries are not stored. A journal of a thousand days is read in some 50 ms, and the rules for an
entry can change without a new index.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal

from manole.documents.journal import Entry, exported, may_hold_entries, read_entries
from manole.documents.opened import FoundFile
from manole.documents.opener import open_found
from manole.errors import ManoleError
from manole.index.store.protocol import PassageReader
from manole.index.store.records import FileRecord
from manole.index.view.page_text import lines_of

# Set by hand:
FEWEST = 3  # entries: fewer dated texts are no journal, unless declared
_LARGEST_EXPORT = 256 * 2**20  # bytes


async def entries_of(
    store: PassageReader,
    files: Sequence[FileRecord],
    kind: Literal["auto", "files", "journal"],
    find: Callable[[FileRecord], FoundFile],
) -> list[Entry]:
    """Return the entries of `files`, oldest first. `find` finds a file of the library."""
    if kind == "files":
        return []
    texts: list[FileRecord] = []
    exports: list[FileRecord] = []
    for file in files:
        if file.passages and may_hold_entries(file.path, file.format or ""):
            (exports if file.format == "json" else texts).append(file)
    passages = await store.passages_of([file.id for file in texts])
    declared = kind == "journal"
    found = await asyncio.to_thread(
        lambda: [
            entry
            for file in texts
            for entry in read_entries(
                file.path,
                lines_of(passages[file.id]),
                file.format or "",
                own_date=file.date,
                declared=declared,
            )
        ]
    )
    for file in exports:
        if file.size <= _LARGEST_EXPORT:
            found += await asyncio.to_thread(_export, file, find)
    if len(found) < FEWEST and not declared:
        return []
    return sorted(found, key=lambda e: (e.date, e.when.isoformat() if e.when else "", e.file))


def _export(file: FileRecord, find: Callable[[FileRecord], FoundFile]) -> list[Entry]:
    """Read an export, found by its record: another folder may have a file of the same name."""
    try:
        with open_found(find(file)) as opened:
            return exported(file.path, opened.read().decode("utf-8-sig"))
    except (ManoleError, OSError, UnicodeDecodeError):
        return []
