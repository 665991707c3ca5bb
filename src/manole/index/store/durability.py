"""Durable commits of a Lance table, and the files that a power cut left incomplete.

Lance writes data files, then a manifest that names them; it calls no fsync (LanceDB 0.40). So,
after a commit, `Durable.flush` syncs every file that is new since the last one, and the folders
that hold them. A power cut before that may leave a manifest, or a file that it names, cut short.
Whole files end with a mark (`LANC`; `ARROW1` where rows were deleted), so `cut_short` finds the
others without reading them through. `local_disk.py` then reads the newest version in full, and
takes it back when that fails: the version before it is whole, because it was synced.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from manole.files import sync_path

ENDINGS = {".lance": b"LANC", ".idx": b"LANC", ".manifest": b"LANC", ".arrow": b"ARROW1"}
WRITTEN_ONCE = (*ENDINGS, ".txn", ".bin")


class Durable:
    """The files below `folder` that are on the disk, and the means to sync the others.

    With `trust`, all files that are there now count as synced.
    """

    def __init__(self, folder: Path, *, trust: bool = True) -> None:
        self._folder = folder
        self._known = self._look() if trust else {}

    def flush(self) -> None:
        """Sync files that appeared or changed since the last call, and their folders."""
        found = self._look()
        folders: set[Path] = set()
        for name in found.keys() - self._known.keys() | {
            name for name, stamp in found.items() if stamp and self._known.get(name) != stamp
        }:
            path = Path(name)
            sync_path(path)
            # A new folder's own name stands in its parent, so all the way up.
            folders.update(item for item in path.parents if item.is_relative_to(self._folder))
        for folder in folders:
            sync_path(folder)
        self._known = found

    def _look(self) -> dict[str, tuple[int, int] | None]:
        """Return each file with a stamp that changes when it is written.

        Lance writes each of its own files once, under a new name, so that the names of these
        thousands are enough (`None`). Others have their inode and modified time.
        """
        found: dict[str, tuple[int, int] | None] = {}
        for path in _walk(self._folder):
            if path.endswith(WRITTEN_ONCE):
                found[path] = None
                continue
            with contextlib.suppress(FileNotFoundError):  # an old version, cleaned up meanwhile
                info = os.stat(path)  # noqa: PTH116
                found[path] = (info.st_ino, info.st_mtime_ns)
        return found


def cut_short(table: Path) -> Iterator[Path]:
    """Yield files of the table that are cut short, of whatever version."""
    return (path for path in map(Path, _walk(table)) if not _whole(path))


def manifests(table: Path) -> list[Path]:
    """Return the manifests of a table's versions, newest first (their names count down)."""
    folder = table / "_versions"
    return sorted(folder.glob("*.manifest")) if folder.is_dir() else []


def removable(table: Path, keep: timedelta) -> int:
    """Return the number of versions but the newest that are older than `keep`."""
    until = time.time() - keep.total_seconds()
    count = 0
    for path in manifests(table)[1:]:
        with contextlib.suppress(FileNotFoundError):  # cleaned up meanwhile
            count += path.stat().st_mtime < until
    return count


def drop_newest(table: Path) -> bool:
    """Remove the newest version; return whether there was one."""
    found = manifests(table)
    if not found:
        return False
    found[0].unlink()
    (table / "_versions" / "latest_version_hint.json").unlink(missing_ok=True)
    sync_path(table / "_versions")
    return True


def newest_is_whole(table: Path) -> bool:
    """Return whether there is a newest manifest that is not cut short."""
    found = manifests(table)
    return bool(found) and _whole(found[0])


def _whole(path: Path) -> bool:
    ending = ENDINGS.get(path.suffix)
    if ending is None:
        return True
    try:
        with path.open("rb") as stream:
            if stream.seek(0, os.SEEK_END) < len(ending):
                return False
            stream.seek(-len(ending), os.SEEK_END)
            return stream.read() == ending
    except FileNotFoundError:  # a writer cleaned it up meanwhile
        return True


def _walk(folder: Path) -> Iterator[str]:
    """Yield the paths of all files below."""
    for base, _, names in os.walk(folder):
        for name in names:
            yield f"{base}/{name}"
