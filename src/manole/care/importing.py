"""The import of an exported index.

The index is built from its rows in a folder of its own, checked, and moved to its place as the last
step. A kill, a full disk or a bad file leave nothing but that folder, which `tidy` removes.

Nothing in the archive is trusted: `archive.py` checks its form, and this module its content. A path
must lie in one of its folders. An embedder must run here or be the endpoint in the settings,
because questions are sent to it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from manole import private
from manole.care.archive import CONVERSATIONS, Manifest, Reader
from manole.care.findings import command
from manole.errors import ArchiveError, LibraryError, StoreError, UsageError
from manole.index.store import rows
from manole.index.store.copying import Made, make_tables
from manole.index.store.durability import sync_path
from manole.index.store.lance import LanceStore
from manole.index.store.libraries import folder_of, library_name, write_meta
from manole.index.store.writer_lock import writer_lock
from manole.index.sync.report import OnProgress, Progress
from manole.index.sync.roots import is_system
from manole.models.catalog.encoders import ENCODERS
from manole.models.endpoints import chosen_embedder, embedder_name
from manole.models.weights.files import human_size
from manole.settings import Settings

_OUTSIDE = r"^/|(^|/)\.\.(/|$)|\x00"  # in a path: it does not lie below its root
_INDEXES = 1.3  # bytes of the finished index per byte of its rows; set by hand


@dataclass(frozen=True, slots=True)
class Imported:
    """The imported index. `missing` are folders that do not exist on this machine.

    `conversations` is a copy of the included ones, which the caller reads and removes.
    """

    name: str
    roots: tuple[str, ...]
    missing: tuple[str, ...]
    files: int
    passages: int
    conversations: Path | None


async def import_index(
    file: Path,
    settings: Settings,
    *,
    folders: Sequence[Path] = (),
    force: bool = False,
    progress: OnProgress | None = None,
) -> Imported:
    """Import the index in `file`, for its own folders or for `folders`, one for each of them.

    Raises `UsageError`, `LibraryError` if that library has an index and `force` is not given,
    `IndexBusyError`, `ArchiveError` for a damaged or foreign file, and `StoreError`.
    """
    with await asyncio.to_thread(Reader, file) as reader:
        manifest = reader.manifest
        _check_made(file, manifest, settings)
        roots = _new_roots(manifest.roots, folders)
        name = library_name([Path(root) for root in roots])
        place = folder_of(name, settings)
        work = await asyncio.to_thread(_work, settings, manifest, roots, place, force)
        try:
            await _build(reader, work / name, roots, progress)
            conversations = None
            if reader.has(CONVERSATIONS):
                conversations = await asyncio.to_thread(_conversations, reader, settings)
            if await asyncio.to_thread(place.exists):
                async with writer_lock(place):
                    await asyncio.to_thread(_exchange, work / name, place, work / "replaced")
            else:
                await asyncio.to_thread(_move, work / name, place)
        finally:
            await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)
    missing = tuple(root for root in roots if not os.path.isdir(root))  # noqa: ASYNC240, PTH112
    counts = manifest.rows("files"), manifest.rows("passages")
    return Imported(name, tuple(roots), missing, *counts, conversations)


def _check_made(file: Path, manifest: Manifest, settings: Settings) -> None:
    """Raise `ArchiveError` if this version with these settings cannot use the archive."""
    if manifest.index_format not in (rows.FORMAT, *rows.OLDER):
        raise ArchiveError(
            f"{file} holds an index of format {manifest.index_format}; this version reads "
            f"{rows.FORMAT}.",
            "Index the files here instead, or export it again with a version that is alike.",
        )
    known = {chosen_embedder(settings), embedder_name(settings)}
    for embedder in {manifest.embedder, manifest.made}:
        if embedder not in ENCODERS and embedder not in known:
            raise ArchiveError(
                f"{file} was made with the embedder {embedder}, which is not the one set here.",
                "Questions would be sent to it. If you trust it, set index.embedder to it first: "
                f"{command('manole', '--set', f'index.embedder={embedder}', 'import', file)}",
            )
    for root in manifest.roots:
        if not Path(root).is_absolute() or os.path.normpath(root) != root or "\0" in root:
            raise ArchiveError(f"{file} names the folder {root!r}, which is no absolute path.")
        if is_system(Path(root)):
            raise ArchiveError(f"{file} names {root!r}, which holds the system's own state.")
    if len(set(manifest.roots)) != len(manifest.roots):
        raise ArchiveError(f"{file} names a folder twice.")


def _new_roots(old: Sequence[str], folders: Sequence[Path]) -> list[str]:
    """Return the roots to use here, in order."""
    if not folders:
        return list(old)
    if len(folders) != len(old):
        raise UsageError(
            f"The index has {len(old)} {'folder' if len(old) == 1 else 'folders'}, and "
            f"{len(folders)} --folder {'was' if len(folders) == 1 else 'were'} given.",
            f"Give one for each, in this order: {', '.join(old)}.",
        )
    new = [Path(os.path.abspath(folder.expanduser())) for folder in folders]  # noqa: PTH100
    for folder in new:
        if not folder.is_dir():
            raise UsageError(f"There is no folder {folder}.", "Check its name.")
        if is_system(folder):
            raise UsageError(
                f"{folder} holds the system's own state, no documents.", "Name a folder of yours."
            )
        if any(other is not folder and folder.is_relative_to(other) for other in new):
            raise UsageError(f"{folder} lies in another of the folders, or is given twice.")
    return [str(folder) for folder in new]


def _work(
    settings: Settings, manifest: Manifest, roots: Sequence[str], place: Path, force: bool
) -> Path:
    """Make a folder to build the index in, with an empty one of the index's name in it."""
    if place.exists() and not force:
        raise LibraryError(
            f"There is an index of {', '.join(roots)} already: {place.name}.",
            "`--force` replaces it.",
        )
    try:
        private.make(place.parent)
        need = _INDEXES * sum(member.size for member in manifest.members)
        free = shutil.disk_usage(settings.data_dir).free
        if free < need:
            raise StoreError(
                f"The index needs about {human_size(need)} on the disk of {settings.data_dir}; "
                f"{human_size(free)} are free.",
                "Free some, or set data_dir to another disk.",
            )
        work = Path(tempfile.mkdtemp(dir=settings.data_dir, prefix=".import-"))
        (work / place.name).mkdir()
    except OSError as error:
        raise StoreError(
            f"{settings.data_dir} cannot be written: {error.strerror}.", "Check its disk."
        ) from error
    return work


def _conversations(reader: Reader, settings: Settings) -> Path:
    """Copy the conversations out of the archive, into a folder that outlives the work folder."""
    folder = tempfile.mkdtemp(dir=settings.data_dir, prefix=".import-")
    place = Path(folder) / CONVERSATIONS
    try:
        reader.copy(CONVERSATIONS, place)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return place


async def _build(
    reader: Reader, built: Path, roots: Sequence[str], progress: OnProgress | None
) -> None:
    """Make the index in the folder `built`."""
    manifest = reader.manifest
    pages = None if manifest.pages is None else (manifest.pages, manifest.pages_dimensions)
    made = Made(manifest.made, manifest.dimensions, pages)
    schemas = made.schemas()
    total = sum(manifest.rows(name) for name in schemas)
    done = 0
    seen: set[str] = set()

    def batches(name: str) -> Iterator[pa.RecordBatch]:
        nonlocal done
        for batch in reader.batches(name, schemas[name]):
            if name == "files":
                _check_ids(reader.path, batch, seen)
            yield _placed(reader.path, batch, manifest.roots, roots) if name != "pages" else batch
            done += batch.num_rows
            if progress:
                progress(Progress("import", done, total))

    if any(member.table not in schemas for member in manifest.members if member.rows):
        raise ArchiveError(f"{reader.path} is damaged: it has pages of an unknown embedder.")
    await make_tables(built, made, batches)
    store = await LanceStore.open(built)
    try:
        _, orphans = await store.stale()  # the next sync reads misfits of an interrupted one again
        if orphans:
            raise ArchiveError(
                f"{reader.path} is damaged: it has passages of {len(orphans)} unknown files.",
                "Nothing was put in place. Export it again.",
            )
    finally:
        await store.close()
    changes = {
        "roots": list(roots),
        "exclude": manifest.exclude,
        "title": manifest.title,
        "embedder": manifest.embedder,
        "files": manifest.rows("files"),
        "passages": manifest.rows("passages"),
        "updated": manifest.updated or datetime.now(UTC).isoformat(),
    }
    write_meta(built, changes)


def _check_ids(file: Path, batch: pa.RecordBatch, seen: set[str]) -> None:
    ids = batch.column("id").to_pylist()
    if None in ids or len({*ids} | seen) != len(ids) + len(seen):
        raise ArchiveError(f"{file} is damaged: two files have the same id.")
    seen.update(ids)


def _placed(
    file: Path, batch: pa.RecordBatch, old: Sequence[str], new: Sequence[str]
) -> pa.RecordBatch:
    """Return the batch with the roots used here. Raises `ArchiveError` for a path elsewhere."""
    known = pa.array([rows.pack(root) for root in old], pa.string())
    which = pc.index_in(batch.column("root"), value_set=known)
    paths = batch.column("path")
    outside = pc.any(pc.match_substring_regex(paths, _OUTSIDE)).as_py()
    if which.null_count or paths.null_count or outside:
        raise ArchiveError(
            f"{file} is damaged, or not what it claims to be: a file lies outside its folders.",
            "Nothing was put in place.",
        )
    column = pa.array([rows.pack(root) for root in new], pa.string()).take(which)
    at = batch.schema.get_field_index("root")
    return batch.set_column(at, batch.schema.field(at), column)


def _move(built: Path, place: Path) -> None:
    """Move the finished index to its place. Raises `StoreError`."""
    try:
        built.rename(place)
        sync_path(place.parent)
    except OSError as error:
        raise StoreError(f"{place} cannot be written: {error.strerror}.") from error


def _exchange(built: Path, place: Path, old: Path) -> None:
    """Replace the index at `place`, which is moved to `old`, and moved back after a failure."""
    place.rename(old)
    try:
        _move(built, place)
    except BaseException:
        old.rename(place)
        raise
