"""Reads a library for a name: its passages, its catalog, the words and names that it has.

A library of more than `WHOLE` files is not read for it: it is searched, and the files found are.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from manole.agent.dossier.names import Name, Spoken
from manole.agent.plan.open_catalog import filled
from manole.catalog.catalog import Catalog
from manole.catalog.sheets import is_sheet
from manole.index.store.records import FileRecord, PassageRecord
from manole.text.language import language_of
from manole.text.names import person
from manole.tools.base import TurnState

WHOLE, _FOUND = 500, 300  # files that are all read, and passages of a search in more; by hand
CONTACTS = "vcf"
_CARD = re.compile(r"^Contact: *(.+)$", re.MULTILINE)
_RARE = 0.1  # share of the passages in a language below which it is not one of the library


@dataclass
class Read:
    """A library as it was read for a name, or its part that a search found."""

    state: TurnState
    files: dict[str, FileRecord]
    passages: list[tuple[FileRecord, PassageRecord]]
    whole: bool
    catalog: Catalog
    spoken: Spoken = field(default_factory=Spoken)


async def read(state: TurnState, name: str) -> Read:
    """Read a library, or of a large one what a search for the name finds."""
    files = await state.files()
    whole = len(files) <= WHOLE
    if not whole:
        filters = state.scope.filters()
        hits = await state.library.search(name, _FOUND, filters)
        loose = Name.read(name, Spoken())
        own = [f.path for f in files if loose.stands(f.path) or loose.stands(_of_mail(f))]
        paths = dict.fromkeys([*own[:_FOUND], *(hit.passage.path for hit in hits)])
        state = replace(state, scope=replace(state.scope, paths=tuple(paths) or ("\0",)))
        files = [file for file in files if file.path in paths]
    catalog = await filled(state, {"papers", "entries", "tasks"})
    store = await state.library.reader()
    found = await store.passages_of([file.id for file in files if file.passages])
    passages = [(f, p) for f in files for p in found.get(f.id, ())]
    known = Read(state, {f.path: f for f in files}, passages, whole, catalog)
    await asyncio.to_thread(_listen, known)
    return known


def _of_mail(file: FileRecord) -> str:
    known = file.metadata
    return " ".join(filter(None, (known.get(key) for key in ("from", "to", "cc", "subject"))))


def _listen(read: Read) -> None:
    """Count the words and the known names of what was read."""
    spoken, languages = read.spoken, Counter[str]()
    for file, passage in read.passages:
        language = language_of(passage.text)
        languages[language] += 1
        spoken.add(passage.text, language)
        if file.format == CONTACTS:
            spoken.known.update(one.strip() for one in _CARD.findall(passage.text))
    most = sum(languages.values()) * _RARE
    spoken.languages = {one for one, count in languages.items() if count >= most}
    for row in rows(read.catalog, "SELECT path, issuer, recipient FROM papers"):
        if not is_sheet(str(row["path"])):
            spoken.known.update(str(row[key]) for key in ("issuer", "recipient") if row[key])
    for row in rows(read.catalog, "SELECT sender, recipients FROM messages"):
        people = f"{row['sender'] or ''},{row['recipients'] or ''}".split(",")
        spoken.known.update(filter(None, (person(one) for one in people)))


def rows(catalog: Catalog, sql: str) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a query over the catalog, by the names of their columns."""
    names, found = catalog.run(sql, None)
    for row in found:
        yield dict(zip(names, row, strict=True))
