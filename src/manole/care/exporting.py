"""The export of an index into one file, for another machine.

The writer's lock is held meanwhile, so that one consistent state is exported; readers go on. A sync
in progress must end first, and a new one waits its turn. The file is complete under its own name or
not there at all, and only its owner may read it, because it holds the texts of the files.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from manole.care.archive import CONVERSATIONS, FORMAT, Manifest, Writer
from manole.care.findings import command
from manole.errors import ArchiveError, NotIndexedError, UsageError
from manole.index.store import rows
from manole.index.store.copying import Tables
from manole.index.store.durability import sync_path
from manole.index.store.lance import LanceStore
from manole.index.store.libraries import LibraryInfo, read_meta
from manole.index.store.opening import LANCEDB, kept_by
from manole.index.store.writer_lock import writer_lock
from manole.index.sync.report import OnProgress, Progress


async def export_index(
    info: LibraryInfo,
    target: Path,
    *,
    version: str,
    conversations: Path | None = None,
    force: bool = False,
    progress: OnProgress | None = None,
) -> Manifest:
    """Write the index that `info` describes into the file `target`, with Manole's `version`.

    `conversations`: a copy of the library's, to include. `force` replaces an existing file.
    Raises `UsageError`, `NotIndexedError`, `IndexBusyError`, `IndexVersionError`, `StoreError`, and
    `ArchiveError` if the file cannot be written.
    """
    if info.problem or not info.roots:
        again = command("manole", "index", "--force", roots=info.roots)
        raise NotIndexedError(
            f"The index {info.name} cannot be exported: {info.problem or 'it names no folder'}.",
            f"{again} builds it again from your files.",
        )
    with _written(target, force) as file:
        return await _write(info, file, version, conversations, progress)


@contextlib.contextmanager
def _written(target: Path, force: bool) -> Iterator[IO[bytes]]:
    """Open a file that gets its name, durably, if the block ends without an error."""
    folder = target.absolute().parent
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}.", "Name a file in one there is.")
    if target.is_dir() or (target.exists() and not force):
        raise UsageError(f"{target} is there already.", "Name another file, or give --force.")
    try:
        handle, name = tempfile.mkstemp(dir=folder, prefix=f".{target.name[:100]}-", suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(target)
            sync_path(folder)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise ArchiveError(
            f"{target} cannot be written: {error.strerror or error}.",
            "Name a file on a disk with space.",
        ) from error


async def _write(
    info: LibraryInfo,
    file: IO[bytes],
    version: str,
    conversations: Path | None,
    progress: OnProgress | None,
) -> Manifest:
    if kept_by(info.path) not in (None, LANCEDB):
        raise UsageError(
            f"The index {info.name} is kept by {kept_by(info.path)}, which cannot be exported.",
            "Index its folders on the other machine; or, for an index that can be exported, run "
            "`manole index --force --store lancedb FOLDER` first.",
        )
    store = await LanceStore.open(info.path)  # which mends the traces of a power cut
    exists = store.exists
    await store.close()
    if not exists:
        again = command("manole", "index", roots=info.roots)
        raise NotIndexedError(f"The index {info.name} was never finished.", f"{again} goes on.")
    writer = Writer(file)
    try:
        async with writer_lock(info.path):
            meta = read_meta(info.path)
            tables = await Tables.open(info.path)
            await _copy_rows(tables, writer, progress)
            if conversations is not None:
                await asyncio.to_thread(writer.file, CONVERSATIONS, conversations)
    except BaseException:
        writer.abandon()
        raise
    pages = tables.made.pages or (None, 0)
    manifest = Manifest(
        format=FORMAT,
        manole=version,
        index_format=rows.FORMAT,
        created=str(meta.get("created", "")),
        updated=meta.get("updated"),
        roots=list(info.roots),
        exclude=list(info.exclude),
        title=info.title,
        embedder=str(meta.get("embedder", tables.made.embedder)),
        made=tables.made.embedder,
        dimensions=tables.made.dimensions,
        pages=pages[0],
        pages_dimensions=pages[1],
        members=writer.members,
    )
    await asyncio.to_thread(writer.close, manifest)
    return manifest


async def _copy_rows(tables: Tables, writer: Writer, progress: OnProgress | None) -> None:
    names = list(tables.made.schemas())
    total, done = sum([await tables.count(name) for name in names]), 0
    for name in names:
        async for batch in tables.batches(name):
            await asyncio.to_thread(writer.batch, name, batch)
            done += batch.num_rows
            if progress:
                progress(Progress("export", done, total))
