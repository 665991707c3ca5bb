"""Copies of an index: out into a folder, and from there into place, here or on another machine.

The writer's lock is held meanwhile; readers go on. A copy is made in a work folder, checked as the
doctor checks an index, synced to the disk and renamed: it is there whole or not at all.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from manole import private
from manole.care.findings import Level
from manole.care.indexes import check_description, check_tables
from manole.errors import LibraryError, StoreError, UsageError
from manole.files import sync_path
from manole.index.store import libraries, vector_index, vocabulary
from manole.index.store.durability import Durable
from manole.index.store.lance_tables import SETTLED
from manole.index.store.opening import LANCEDB, kept_by, open_store
from manole.index.store.upkeep import pages_made
from manole.index.store.writer_lock import writer_lock
from manole.index.sync.roots import check_roots
from manole.models.catalog.encoders import ENCODERS
from manole.models.endpoints import chosen_embedder, embedder_name
from manole.models.weights.files import folder_bytes, human_size
from manole.settings import Settings

_PARTS = {libraries.META, SETTLED, "tables", vector_index.FILE, vocabulary.FILE}


async def copy_out(name: str, target: Path, settings: Settings) -> libraries.LibraryInfo:
    """Copy the index of a library into the new folder `target`.

    Raises `UsageError`, `IndexBusyError`, and `StoreError` also for an index that is damaged.
    """
    place = _real(target)
    if place.is_relative_to(_real(settings.data_dir)):
        raise UsageError(f"{place} lies among the indexes themselves.", "Name a folder elsewhere.")
    async with _copied(libraries.library_info(name, settings).path, place, settings) as work:
        (work / ".manoleignore").write_text("*\n")  # in a folder that is indexed it is no document
    return libraries.described(place, ())


async def take_in(copy: Path, folders: Sequence[Path], settings: Settings) -> libraries.LibraryInfo:
    """Put a copy in place, for `folders`, one for each of its own; none: where they were.

    Raises as `copy_out`, and `LibraryError` for a copy that would send questions elsewhere.
    """
    old = [Path(root) for root in libraries.described(_real(copy), ()).roots]
    if not old:
        raise UsageError(f"{copy} is no copy of an index.", "`manole library copy` makes one.")
    given = folders or old
    new = check_roots(given, settings) if all(map(os.path.isdir, given)) else []
    if len(new) != len(old):
        needed = f"Give a --folder for each of these, in this order: {', '.join(map(str, old))}."
        raise UsageError("The folders that the index is of are not all named, or not here.", needed)
    place = libraries.folder_of(libraries.library_name(new), settings)
    async with _copied(_real(copy), place, settings) as work:
        pairs = zip(map(str, old), map(str, new), strict=True)
        await _fit(work, {} if new == old else dict(pairs), settings)
    return libraries.described(place, new)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path.expanduser()))


@contextlib.asynccontextmanager
async def _copied(source: Path, place: Path, settings: Settings) -> AsyncIterator[Path]:
    """Yield a copy of an index in a work folder; afterwards put it in `place`."""
    with _placed(place, folder_bytes(source)) as work:
        async with writer_lock(source):
            await _check(source, settings)
            for _ in _copying(source, work):
                await asyncio.sleep(0)  # here it can be stopped
        yield work
        await _check(work, settings)


@contextlib.contextmanager
def _placed(place: Path, need: int) -> Iterator[Path]:
    """Yield a path to make a folder at, which is put in `place` if the block ends without an error.

    It lies too deep to be taken for a library. `need`: bytes.
    """
    if place.exists():
        taken = "`manole library remove` removes an index; a copy may have any name."
        raise UsageError(f"{place} is there already.", taken)
    try:
        private.make(place.parent)
        if shutil.disk_usage(place.parent).free < need:
            room = f"A copy needs {human_size(need)}, and less is free in {place.parent}."
            raise StoreError(room, "Free some, or choose another disk.")
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".copy-") as folder:
            yield (work := Path(folder, place.name))
            Durable(work, trust=False).flush()
            work.rename(place)
            sync_path(place.parent)
    except OSError as error:
        why = error.strerror or str(error)
        raise StoreError(f"{place} cannot be written: {why}.", "Check its disk.") from error


def _copying(source: Path, work: Path) -> Iterator[Path]:
    """Copy what an index cannot be without, file by file; the rest is made anew when needed."""
    parts = {*_PARTS, kept_by(source) or LANCEDB}  # a store's own folder has its name
    for base, folders, names in os.walk(source):
        into = work / Path(base).relative_to(source)
        into.mkdir(0o700)
        if into == work:
            folders[:], names = parts.intersection(folders), list(parts.intersection(names))
        for name in names:
            yield shutil.copyfile(Path(base, name), into / name)


async def _check(path: Path, settings: Settings) -> None:
    """Raise `StoreError` for an index that is damaged, unfinished or of another version."""
    info = libraries.described(path, ())
    found = check_description(info.name, info)
    for item in found or await check_tables(info.name, info, settings):
        if item.level is Level.PROBLEM or item.where == str(path / "dirty"):
            raise StoreError(f"The index {info.name} is not copied: {item.text}.", item.remedy)


async def _fit(path: Path, where: dict[str, str], settings: Settings) -> None:
    """Refuse another's embedder, and write where the folders of an index are now, if anywhere."""
    store = await open_store(path)
    try:
        made = {store.embedder, str(libraries.read_meta(path).get("embedder"))}
        if other := made - {*ENCODERS, chosen_embedder(settings), embedder_name(settings)}:
            said = f"The copy was made with {other.pop()}, and questions would be sent to that."
            raise LibraryError(said, "If you trust it, set index.embedder to it first.")
        if where:
            files, pages, wide = await store.files(), await pages_made(path), store.dimensions
            async with store.writing(dimensions=wide, embedder=store.embedder, pages=pages):
                await store.touch([replace(f, root=where.get(f.root, f.root)) for f in files])
                await store.finish()
            libraries.write_meta(path, {"roots": list(where.values())})
    finally:
        await store.close()
