"""Recovers a readable index after a power cut or a kill.

For each table, the newest version is read in full. One that cannot be read is taken back, and the
version before it is tried; if none is left, all tables are set aside and the index begins anew.
Once the newest version is known to be whole, files that are cut short belong to no version (a kill
leaves those) and are removed. Indexes are no part of reading a table, so one is built again when a
file of its own is cut short, and all of them after a power cut (`writer_lock.py` tells); a file of
an index that was never finished is only removed.

The table of pages is made from the files again at any time: damaged, it is removed.
"""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path

from manole.index.store import durability
from manole.index.store.records import FileRecord

TAKEN_BACK = "The index was cut short; its last complete state is back in place."
SET_ASIDE = "The index was damaged beyond repair; it has to be built again."


def looks_broken(tables: Path, names: Sequence[str]) -> bool:
    """Return whether any file is cut short, of whatever version."""
    return any(True for name in names for _ in durability.cut_short(folder_of(tables, name)))


def folder_of(tables: Path, name: str) -> Path:
    """Return where a table's files lie."""
    return tables / f"{name}.lance"


async def mend(
    tables: Path,
    names: Sequence[str],
    spare: Sequence[str],
    readable: Callable[[str], Awaitable[bool]],
    build_indexes: Callable[[str, set[str] | None], Awaitable[None]],
    *,
    power_cut: bool,
) -> str | None:
    """Mend the tables in the folder `tables`, under the writer's lock.

    `spare` are tables that the next sync makes anew. `readable` reads a table's newest version in
    full; `build_indexes` rebuilds those of its indexes whose folder has one of these names, or all.
    After a `power_cut`, a correct ending does not prove that a file is whole. Returns a sentence
    for the user, or `None` if nothing was lost.
    """
    notice = None
    for name in spare:
        folder = folder_of(tables, name)
        if folder.exists() and not (durability.newest_is_whole(folder) and await readable(name)):
            shutil.rmtree(folder)
    for name in names:
        folder = folder_of(tables, name)
        if not folder.exists():
            continue
        if not durability.manifests(folder) and not any(folder.glob("data/*")):
            shutil.rmtree(folder)  # it was just being made
            continue
        while durability.manifests(folder):
            if durability.newest_is_whole(folder) and await readable(name):
                break
            durability.drop_newest(folder)
            notice = TAKEN_BACK
        if not durability.manifests(folder):
            _set_aside(tables)
            return SET_ASIDE
        left = list(durability.cut_short(folder))
        indexes = folder / "_indices"
        broken = {path.parent.name for path in left if path.is_relative_to(indexes)}
        if power_cut or broken:
            await build_indexes(name, None if power_cut else broken)
        for path in left:
            path.unlink(missing_ok=True)
    return notice


def misfits(
    files: Iterable[FileRecord], passages: Iterable[tuple[str, str, int]]
) -> tuple[set[str], set[str]]:
    """Find what an interrupted commit left; `passages` are counts by file id and content hash.

    Returns the ids of files whose passages do not fit their row, and the ids without a row.
    """
    found: dict[str, list[tuple[str, int]]] = {}
    for file_id, content_hash, count in passages:
        found.setdefault(file_id, []).append((content_hash, count))
    wrong = set()
    for file in files:
        expected = [(file.content_hash, file.passages)] if file.passages else []
        if found.pop(file.id, []) != expected:
            wrong.add(file.id)
    return wrong, set(found)


def _set_aside(tables: Path) -> None:
    """Move the tables aside, in place of any moved before, and begin with an empty folder."""
    aside = tables.with_name("broken")
    shutil.rmtree(aside, ignore_errors=True)
    tables.rename(aside)
    tables.mkdir()
