"""The catalog of an open library, filled on demand, and its sheets."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path, PurePosixPath
from weakref import WeakKeyDictionary

from manole.agent.plan.diary_notes import fill_entries
from manole.agent.sheets.query_table import sheets_of
from manole.agent.sheets.sheet import Sheet
from manole.catalog.catalog import Catalog
from manole.catalog.derived import Papers
from manole.catalog.kinds import kind_of
from manole.catalog.notes import fill_notes
from manole.catalog.records import with_records
from manole.catalog.relations import DIARY, NOTES, RELATIONS
from manole.documents.formats import RECORDS
from manole.index.search.scope import Scope
from manole.index.store.records import FileRecord
from manole.joined import ALL
from manole.library import Library
from manole.text.numbers import quantity
from manole.tools.base import TurnState
from manole.tools.journal import entries_in

# For each open library and scope: the list of files, and the catalog made from it.
_Made = dict[Scope, tuple[Sequence[FileRecord], Catalog]]
_catalogs: WeakKeyDictionary[Library, _Made] = WeakKeyDictionary()
SMALL = 1000  # files up to which papers and sheets are read before a question needs them: seconds
_NAME, _MANY = "catalog.sqlite3", 5_000  # files from which filling takes longer than restoring
_SCOPES = 8  # catalogs kept in memory for each library
_SHEETS, _READ = 200, 20_000_000  # sheets, and bytes of all of them, that fit in memory
FUNCTIONS = {"value": (2, quantity)}  # functions of queries: number of arguments, and code
_sheets: WeakKeyDictionary[Catalog, dict[str, Sheet]] = WeakKeyDictionary()


async def catalog_of(state: TurnState) -> Catalog:
    """Return the library's catalog, with its files."""
    library, every = state.library, await state.library.files()
    made = _catalogs.setdefault(library, {})
    known = made.get(state.scope)
    if known is None or known[0] is not every:
        catalog = Catalog(await state.files(), FUNCTIONS)
        await asyncio.to_thread(_fill, catalog, library, state.scope)
        known = made[state.scope] = (every, catalog)
        for scope in list(made)[:-_SCOPES]:
            del made[scope]
    return known[1]


def _fill(catalog: Catalog, library: Library, scope: Scope) -> None:
    """Fill in files, folders and messages; for a large library from the copy beside its index."""
    kept = library.path / _NAME if not scope and len(catalog.files) >= _MANY else None
    if kept is not None and catalog.restore(kept):
        return
    catalog.fill_files()
    catalog.fill_folders(_folders(library, scope))
    catalog.fill_messages()
    if kept is not None:
        catalog.keep(kept)


async def filled(state: TurnState, relations: Collection[str]) -> Catalog:
    """Return the library's catalog with these relations filled."""
    catalog = await catalog_of(state)
    if "papers" in relations and "papers" not in catalog.filled:
        papers = await Papers(state.library).read([f for f in catalog.files if f.passages])
        await asyncio.to_thread(catalog.fill_papers, [(p.file, p.fields) for p in papers])
    if not DIARY.isdisjoint(relations) and "entries" not in catalog.filled:
        await asyncio.to_thread(fill_entries, catalog, await entries_in(state))
    if not NOTES.isdisjoint(relations) and "tasks" not in catalog.filled:
        await fill_notes(catalog, state.library)
    return catalog


async def with_texts(state: TurnState) -> Catalog:
    """Return the library's catalog with the words of its files."""
    catalog = await catalog_of(state)
    if "files_words" not in catalog.filled:
        texts = await _texts(state.library, catalog.files)
        await asyncio.to_thread(catalog.fill_texts, texts)
    return catalog


async def sheets(state: TurnState) -> Mapping[str, Sheet]:
    """Return the sheets of a library by their names in queries; small files come first."""
    catalog = await catalog_of(state)
    if catalog not in _sheets:
        files = [
            f
            for f in catalog.files
            if kind_of(f.extension[1:]) == "spreadsheet" or f.format in RECORDS
        ]
        small = sorted((f for f in files if f.passages), key=lambda file: file.size)[:_SHEETS]
        sizes = accumulate(file.size for file in small)
        paths = [file.path for file, size in zip(small, sizes, strict=True) if size <= _READ]
        paths += (await with_records(catalog, state.library))[: _SHEETS - len(paths)]
        read = await sheets_of(state, paths)
        named = ((_called(s.table.name or s.file), s) for s in reversed(read) if s.rows)
        _sheets[catalog] = {name: sheet for name, sheet in named if name not in RELATIONS}
    return _sheets[catalog]


def _called(file: str) -> str:
    """Return a file's table name: `monthly_costs` for "reports/Monthly costs.xlsx"."""
    plain = re.sub(r"\W+", "_", PurePosixPath(file).stem.lower()).strip("_") or "sheet"
    plain = f"{plain}_table" if plain in RELATIONS else plain
    return f"t_{plain}" if plain[0].isdigit() else plain


def _folders(library: Library, scope: Scope) -> Iterator[str]:
    """Yield the folders on disk but hidden ones; none for several roots, whose names may clash."""
    if len(library.roots) > 1 or library.name == ALL or scope.dated:
        return
    (root,) = library.roots
    for place in scope.paths or ("",):
        for folder, below, _ in os.walk(root / place):
            below[:] = [name for name in below if not name.startswith(".")]
            for name in below:
                yield Path(folder, name).relative_to(root).as_posix()


async def _texts(library: Library, files: Sequence[FileRecord]) -> dict[str, list[str]]:
    found = {}
    for file in files:
        if file.passages:
            found[file.path] = [p.text for p in await library.passages(file)]
    return found
