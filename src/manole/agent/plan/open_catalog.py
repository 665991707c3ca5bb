"""The catalog of an open library, filled on demand, and its sheets."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from weakref import WeakKeyDictionary

from manole.agent.plan.diary_notes import fill_entries
from manole.catalog.catalog import Catalog
from manole.catalog.derived import Papers
from manole.catalog.notes import fill_ahead, fill_notes
from manole.catalog.records import with_records
from manole.catalog.relations import DIARY, NOTES
from manole.catalog.sheets import Sheet, is_sheet
from manole.documents.formats import RECORDS, STATEMENTS
from manole.documents.tables import tables_in
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
# Of those who ask at once one makes the catalog of a library, and one at a time fills it.
_Locks = WeakKeyDictionary[Library | Catalog, asyncio.Lock]
_filling: WeakKeyDictionary[asyncio.AbstractEventLoop, _Locks] = WeakKeyDictionary()
_NAME, _MANY = "catalog.sqlite3", 5_000  # files from which filling takes longer than restoring
_SCOPES = 8  # catalogs kept in memory for each library
_SHEETS, _READ = 200, 20_000_000  # sheets, and bytes of all of them, that fit in memory
_ROWS = 50_000  # of one sheet: a larger one takes seconds to read
FUNCTIONS = {"value": (2, quantity)}  # functions of queries: number of arguments, and code


async def catalog_of(state: TurnState) -> Catalog:
    """Return the library's catalog, with its files."""
    library, every = state.library, await state.library.files()
    made = _catalogs.setdefault(library, {})
    async with _alone(library):
        known = made.get(state.scope)
        if known is None or (known[0] is not every and known[0] != every):
            catalog = Catalog(await state.files(), FUNCTIONS)
            await asyncio.to_thread(_fill, catalog, library, state.scope)
            known = made[state.scope] = (every, catalog)
            for scope in list(made)[:-_SCOPES]:
                del made[scope]
    return known[1]


def _alone(one: Library | Catalog) -> asyncio.Lock:
    """Return the lock of a library or catalog in this event loop."""
    locks = _filling.setdefault(asyncio.get_running_loop(), WeakKeyDictionary())
    return locks.setdefault(one, asyncio.Lock())


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
    """Return the library's catalog with these relations filled. Raises `CatalogError`."""
    catalog = await catalog_of(state)
    async with _alone(catalog):
        if "papers" in relations and "papers" not in catalog.filled:
            papers = await Papers(state.library).read([f for f in catalog.files if f.passages])
            await asyncio.to_thread(catalog.fill_papers, [(p.file, p.fields) for p in papers])
        if not DIARY.isdisjoint(relations) and "entries" not in catalog.filled:
            await asyncio.to_thread(fill_entries, catalog, await entries_in(state))
        if not NOTES.isdisjoint(relations) and "tasks" not in catalog.filled:
            await fill_notes(catalog, state.library)
        if "events" in relations and "events" not in catalog.filled:
            await fill_ahead(catalog, state.library)
    if len(catalog.files) <= SMALL and set(relations) - catalog.relations.keys():
        await sheets(state)
    await asyncio.to_thread(catalog.fill_sheets, relations)
    return catalog


async def with_days_ahead(state: TurnState) -> Catalog:
    """Return the library's catalog with the days that its prose speaks of before they come."""
    catalog = await catalog_of(state)
    async with _alone(catalog):
        if catalog.ahead is None:
            await fill_ahead(catalog, state.library)
    return catalog


async def with_texts(state: TurnState) -> Catalog:
    """Return the library's catalog with the words of its files."""
    catalog = await catalog_of(state)
    async with _alone(catalog):
        if "files_words" not in catalog.filled:
            texts = await _texts(state.library, catalog.files)
            await asyncio.to_thread(catalog.fill_texts, texts)
    return catalog


async def sheets(state: TurnState) -> dict[str, Sheet]:
    """Return the sheets of a library by their names in queries; small files come first."""
    catalog = await catalog_of(state)
    files = [f for f in catalog.files if is_sheet(f.path) or f.format in RECORDS | STATEMENTS]
    small = sorted((f for f in files if f.passages), key=lambda file: file.size)[:_SHEETS]
    sizes = accumulate(file.size for file in small)
    paths = [file.path for file, size in zip(small, sizes, strict=True) if size <= _READ]
    async with _alone(catalog):
        paths += (await with_records(catalog, state.library))[: _SHEETS - len(paths)]
        known = await sheets_in(state, paths)
        await asyncio.to_thread(catalog.add_families)
    return known


async def tables_of(state: TurnState) -> dict[str, Sheet]:
    """Return the sheets of a library, and behind them those that several have in common."""
    return {**await sheets(state), **(await catalog_of(state)).families}


async def sheets_in(state: TurnState, paths: Sequence[str]) -> dict[str, Sheet]:
    """Return the tables of files by their names in queries, in the order of the files."""
    catalog = await catalog_of(state)
    papers = Papers(state.library)
    files = {file.path: file for file in catalog.files}
    read: dict[str, list[Sheet]] = {}
    for path in [p for p in paths if p not in catalog.searched and p in files]:
        lines = await papers.lines(files[path])
        tables = await asyncio.to_thread(tables_in, lines, files[path].format or "", path)
        read[path] = [Sheet.read(path, table) for table in tables if len(table.rows) <= _ROWS]
    if read:
        await asyncio.to_thread(catalog.add_files, read)
    order = {path: n for n, path in enumerate(paths)}
    known = [item for item in list(catalog.sheets.items()) if item[1].file in order]
    return dict(sorted(known, key=lambda item: order[item[1].file]))


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
