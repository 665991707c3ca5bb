"""Checks of one library's index: its description, its folders, its tables, and their agreement.

The files are checked first (a mark that was left, files cut short), because opening the store would
mend them; only an index that looks whole is opened. Nothing is checked during a sync, whose
half-done work looks like damage.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from manole.care.findings import REPAIR, Finding, Fix, command, good, is_locked, problem, warning
from manole.errors import IndexBusyError, ManoleError
from manole.index.store import durability
from manole.index.store.libraries import (
    FORMAT,
    META,
    LibraryInfo,
    folder_of,
    library_name,
    read_meta,
    write_meta,
)
from manole.models.weights.files import folder_bytes, human_size
from manole.settings import Settings

NOW_BUSY = "a sync is at work; it is looked at when that is done"


async def check_index(
    info: LibraryInfo, settings: Settings, *, thorough: bool = False
) -> list[Finding]:
    """Check the index that `info` describes. `thorough` reads every vector."""
    topic = f"library {info.name}"
    writing = info.path / "write.lock"
    if is_locked(writing):
        return [warning(topic, NOW_BUSY, info.path)]
    found = [*check_description(topic, info), *_beside(topic, info)]
    if not any(finding.where == str(info.path / META) for finding in found):
        found += [_root(topic, root) for root in info.roots]
        found += await check_tables(topic, info, settings, thorough=thorough)
    if any(finding.level != "good" for finding in found) and is_locked(writing):
        return [warning(topic, NOW_BUSY, info.path)]
    return found


def check_strays(settings: Settings) -> list[Finding]:
    """Check for folders among the libraries that are no libraries."""
    folder = folder_of("", settings)
    if not folder.is_dir():
        return []
    return [
        warning(
            f"library {item.name}",
            f"a folder of {human_size(folder_bytes(item))} without a description: no library",
            item,
            "Index its files again, or remove the folder.",
        )
        for item in sorted(folder.iterdir())
        if item.is_dir() and not (item / META).is_file() and any(item.iterdir())
    ]


def check_description(topic: str, info: LibraryInfo) -> list[Finding]:
    """Check the description; return no finding if it is right."""
    place = info.path / META
    rebuild = command("manole", "index", "--force", roots=info.roots) if info.roots else ""
    if not read_meta(info.path):
        again = "Name its folders: `manole index --force FOLDER`."
        fix = Fix(f"describe {info.name}", partial(_describe, info))
        return [problem(topic, "its description cannot be read", place, again, fix)]
    made = read_meta(info.path).get("format")
    if made != FORMAT:
        text = f"it was made by another version: format {made}; this one reads {FORMAT}"
        return [problem(topic, text, place, f"{rebuild} builds it again from your files.")]
    if not info.roots:
        again = "Name its folders: `manole index --force FOLDER`."
        return [problem(topic, "its description names no folder", place, again)]
    return []


def _beside(topic: str, info: LibraryInfo) -> list[Finding]:
    """Check whether an earlier repair left tables beside the index."""
    aside = info.path / "broken"
    if not aside.is_dir():
        return []
    text = (
        f"tables that were damaged beyond repair are kept aside, {human_size(folder_bytes(aside))}"
    )
    again = "Everything in them comes from your files; remove the folder when you like."
    return [warning(topic, text, aside, again)]


def _root(topic: str, root: str) -> Finding:
    place = Path(root)
    if not place.exists():
        text = "the folder is not there; its files stay in the index as they were"
        return problem(topic, text, root, "Mount its disk, or move it back.")
    if not place.is_dir():
        return problem(topic, "it is not a folder any more", root, "Move the folder back.")
    if not os.access(place, os.R_OK | os.X_OK):
        return problem(topic, "the folder cannot be read", root, f"chmod u+rx {root}")
    return good(topic, f"its folder can be read: {root}", root)


async def check_tables(
    topic: str, info: LibraryInfo, settings: Settings, *, thorough: bool = False
) -> list[Finding]:
    """Check the tables, first as files, then by opening them."""
    again = command("manole", "index", roots=info.roots)
    mend = Fix(f"order {info.name}", partial(_in_order, info.path, info.name))
    damaged = await asyncio.to_thread(_damage, topic, info, mend)
    if damaged:
        return damaged
    tables = info.path / "tables"
    missing = [name for name in ("files", "passages") if not (tables / f"{name}.lance").is_dir()]
    if missing:
        text = f"it has no table of {' and '.join(missing)}: it was never finished"
        return [problem(topic, text, tables, f"{again} builds it.")]
    from manole.care.contents import check_contents  # opens the store, which takes a while

    try:
        return await check_contents(topic, info, settings, again, mend, thorough=thorough)
    except ManoleError as error:
        rebuild = command("manole", "index", "--force", roots=info.roots)
        text = error.message.rstrip(".")
        return [problem(topic, text, tables, f"{rebuild} builds it again from your files.")]


def _damage(topic: str, info: LibraryInfo, mend: Fix) -> list[Finding]:
    """Check for the traces of a kill or a power cut, without opening anything."""
    found = []
    for table in sorted((info.path / "tables").glob("*.lance")):
        again = f"{REPAIR}; opening the index does it, too."
        if durability.manifests(table) and not durability.newest_is_whole(table):
            text = "the newest version of this table is cut short"
            found.append(problem(topic, text, durability.manifests(table)[0], again, mend))
            continue
        cut = list(durability.cut_short(table))
        if cut:
            text = f"{len(cut)} {'file is' if len(cut) == 1 else 'files are'} cut short"
            found.append(problem(topic, text, cut[0], again, mend))
    if not found and (info.path / "dirty").exists():
        text = "the last sync did not end; what it had committed is there"
        again = f"{command('manole', 'index', roots=info.roots)} goes on from there."
        found.append(warning(topic, text, info.path / "dirty", again, mend))
    return found


async def _in_order(path: Path, name: str) -> str:
    from manole.index.store.upkeep import put_in_order, table_folders

    before = sum(map(folder_bytes, table_folders(path)))
    notice = await put_in_order(path)
    freed = before - sum(map(folder_bytes, table_folders(path)))
    done = f"{name}: put in order, {human_size(max(freed, 0))} freed"
    return f"{done}. {notice}" if notice else f"{done}."


async def _describe(info: LibraryInfo) -> str:
    """Rewrite the description if the name proves that these are the library's folders."""
    from manole.index.store.opening import open_store
    from manole.index.store.rows import unpack
    from manole.index.store.upkeep import file_values
    from manole.index.store.writer_lock import writer_lock

    async with writer_lock(info.path):
        roots = sorted(map(unpack, await file_values(info.path, "root")))
        if not roots or library_name([Path(root) for root in roots]) != info.name:
            return f"{info.name}: its folders cannot be told from its files; nothing was changed."
        store = await open_store(info.path)
        try:
            passages, _ = await store.count()
            counts = {"files": len(await store.files()), "passages": passages}
            made = {"embedder": store.embedder, "store": store.kind}
            write_meta(info.path, {"roots": roots, **made, **counts})
        finally:
            await store.close()
    return f"{info.name}: its description was written anew, from its tables."


async def attempt(fix: Callable[[], Awaitable[str]]) -> str:
    """Run a fix; return an error as a sentence instead of raising it."""
    try:
        return await fix()
    except IndexBusyError as error:
        return f"Not now: {error.message}"
    except ManoleError as error:
        return f"Could not be done: {error.message}"
