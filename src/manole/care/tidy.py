"""The bound of the cache folder, and removal of the remains of interrupted writers.

Words of pictures, captions and thumbnails are kept by the content of their file, so they never
expire and only grow. Over the bound (`BOUND`) they are removed in this order: contents that no
index has any more, then thumbnails (drawn again in an instant), then the rest; of each, the least
recently used first. The time of use is the later of a file's times of access and modification,
because some file systems record no access.

Weights, compiled engines and evaluated prefixes are not touched: a person chose the first two, and
the prefixes have a bound of their own (`models/engine/prefixes.py`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from manole import private
from manole.errors import ManoleError
from manole.index.store.libraries import folder_of, libraries
from manole.models.weights.files import human_size
from manole.settings import Settings

BOUNDED = ("pictures", "captions", "voices", "thumbnails")
BOUND = 2 * 2**30  # bytes of them all, at most; set by hand
# Seconds, set by hand.
EVERY = 3600.0  # between two runs
ORPHANED = 24 * 3600.0  # after which an unfinished file has no writer any more
UNFINISHED = (".tmp", ".part", ".new")
LEFT = re.compile(r"\.(?:copy|example)-|build-")  # work folders of other modules
_STAMP = "tidied"
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Entry:
    """A kept file. `digest` is the hash of the content it was made from."""

    path: Path
    kind: str
    digest: str
    bytes: int
    used: float


@dataclass(frozen=True, slots=True)
class Tidied:
    """The result of `tidy`: the numbers of removed files, and bytes."""

    entries: int = 0
    orphans: int = 0
    freed: int = 0
    kept: int = 0

    def __str__(self) -> str:
        done = [
            f"{count} {what} removed"
            for what, count in (("entries", self.entries), ("unfinished files", self.orphans))
            if count
        ]
        return f"{', '.join(done) or 'nothing to remove'}; {human_size(self.freed)} freed"


async def tidy(settings: Settings, *, now: bool = False, bound: int = BOUND) -> Tidied:
    """Bring the caches within their bound, at the end of a sync.

    Unless `now`, it does so at most once an hour, and otherwise returns an empty result. Files that
    cannot be removed stay; raises nothing.
    """
    if not now and not await asyncio.to_thread(_is_due, settings):
        return Tidied()
    orphans, freed = await asyncio.to_thread(_remove_orphans, settings)
    entries = await asyncio.to_thread(lambda: list(kept(settings.cache_dir)))
    total = sum(entry.bytes for entry in entries)
    if total <= bound:
        return Tidied(orphans=orphans, freed=freed, kept=total)
    known = await _known(settings)
    ranked = sorted(entries, key=lambda entry: _worth(entry, known))
    removed, less = await asyncio.to_thread(_remove, ranked, total - bound)
    return Tidied(removed, orphans, freed + less, total - less)


def kept(cache_dir: Path) -> Iterator[Entry]:
    """Yield every file of the bounded caches."""
    for kind in BOUNDED:
        for base, _, names in os.walk(cache_dir / kind):
            for name in names:
                path = Path(base, name)
                with contextlib.suppress(OSError):  # another process may have removed it
                    info = path.lstat()
                    digest = _DIGEST.match(name)
                    used = max(info.st_atime, info.st_mtime)
                    yield Entry(path, kind, digest[0] if digest else "", info.st_size, used)


def orphans(settings: Settings) -> Iterator[Path]:
    """Yield files and folders that an interrupted writer left a day ago or longer."""
    until = time.time() - ORPHANED
    data, cache = settings.data_dir, settings.cache_dir
    folders = [data, folder_of("", settings), cache, cache / "engines"]
    folders += [info.path for info in libraries(settings)]
    for kind in BOUNDED:
        folders += [Path(base) for base, _, _ in os.walk(cache / kind)]
    for folder in folders:
        with contextlib.suppress(OSError):
            for path in folder.iterdir():
                ended = path.name.endswith(UNFINISHED) and path.is_file()
                if (ended or LEFT.match(path.name)) and path.lstat().st_mtime < until:
                    yield path


async def _known(settings: Settings) -> set[str]:
    """Return the hashes of contents in any index; an index that cannot be read adds none."""
    from manole.index.store.upkeep import file_values

    found: set[str] = set()
    for info in libraries(settings):
        with contextlib.suppress(ManoleError):
            found |= await file_values(folder_of(info.name, settings), "content_hash")
    return found


def _worth(entry: Entry, known: set[str]) -> tuple[bool, bool, float]:
    """Return the sort key of an entry: the least valuable come first."""
    indexed = entry.digest in known
    return indexed, indexed and entry.kind != "thumbnails", entry.used


def _remove(entries: list[Entry], excess: int) -> tuple[int, int]:
    """Remove files until `excess` bytes are gone; return their number and bytes."""
    count = freed = 0
    for entry in entries:
        if freed >= excess:
            break
        with contextlib.suppress(OSError):
            entry.path.unlink()
            count, freed = count + 1, freed + entry.bytes
    return count, freed


def _remove_orphans(settings: Settings) -> tuple[int, int]:
    count = freed = 0
    for path in list(orphans(settings)):
        with contextlib.suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                inside = sum(item.lstat().st_size for item in path.rglob("*") if item.is_file())
                shutil.rmtree(path)
                freed += inside
            else:
                freed += path.lstat().st_size
                path.unlink()
            count += 1
    return count, freed


def _is_due(settings: Settings) -> bool:
    """Return whether the last run is an hour ago, and note this one."""
    stamp = settings.cache_dir / _STAMP
    with contextlib.suppress(OSError):
        if 0 <= time.time() - stamp.stat().st_mtime < EVERY:
            return False
    try:
        private.make(settings.cache_dir)
        stamp.touch(0o600)
    except OSError:
        return False
    return True
