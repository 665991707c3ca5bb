"""The plan of a sync: the folders as they are, compared with the files of the index.

A file whose size and modified time are as before is unchanged and is not opened. Of the others,
those with the same bytes as before are only touched, and a new file with the bytes of one that is
gone is that file under a new name.

A plan may be limited to a few files and folders (`Places`): then nothing else is looked at, and
only the known files of these are needed. A `Place` is a root with files: a folder, or a bucket.

What cannot be read today is not gone: a folder without permission, and one of several roots that is
missing or empty (a disk that is not mounted leaves an empty folder). Where more than half of all
files are gone from the disk, `check_drop` refuses.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from manole.documents.formats import most_bytes
from manole.documents.model import MEMBERS
from manole.documents.opened import SEPARATOR, FoundFile, content_hash, lies_in
from manole.documents.opener import open_found
from manole.documents.scan import OnError, locate, readable, scan, scan_parts
from manole.errors import UsageError, WouldDropError
from manole.index.store.records import FileRecord
from manole.index.sync.options import Places, SyncOptions

TELL_EVERY = 500  # files between two reports; set by hand
EMPTY = "it is empty; its files stay in the index"


@dataclass(slots=True)
class Plan:
    """The result of a scan. `read` pairs each file with its earlier record, if there is one."""

    read: list[tuple[FoundFile, FileRecord | None]] = field(default_factory=list)
    moved: list[tuple[FileRecord, FileRecord]] = field(default_factory=list)
    touched: list[FileRecord] = field(default_factory=list)
    gone: list[FileRecord] = field(default_factory=list)
    unchanged: list[FileRecord] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)  # folders, and why
    # Of containers that are read: the known files inside, by path, and the ids of those to be read
    # whether they changed or not.
    inside: dict[tuple[str, str], dict[str, FileRecord]] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)


class Place(Protocol):
    """A root that `compare` reads. `name` is its name in the index."""

    name: str

    @property
    def away(self) -> str | None:
        """The reason why it cannot be read today, if so; its files stay in the index."""

    def scan(self, note: OnError) -> Iterable[FoundFile]:
        """Return its files; `note` is called for folders that cannot be looked into."""

    def digest(self, found: FoundFile) -> str:
        """Return the content hash of a file, or "" if it cannot or need not be read."""

    def has(self, path: str) -> bool:
        """Return whether there is such a file, left out or not."""


class Folder:
    """A folder of this machine, or `only` these places below it."""

    def __init__(
        self,
        root: Path,
        why: str | None,
        *,
        only: Places | None,
        exclude: Sequence[str],
        hidden: bool,
        max_bytes: int,
        stop: threading.Event | None = None,
    ) -> None:
        self.name = _absolute(root)
        self._stop = stop
        self.away = why
        self._root = root
        self._only = only
        self._exclude = exclude
        self._hidden = hidden
        self._max_bytes = max_bytes

    def scan(self, note: OnError) -> Iterable[FoundFile]:
        """Return its files, as `manole.documents.scan` finds them."""
        rules = {"exclude": self._exclude, "hidden": self._hidden, "on_error": note}
        if self._only is None:
            return scan(self._root, **rules)  # type: ignore[arg-type]  # each of its own type
        return scan_parts(self._root, self._only.get(self._root, ()), **rules)  # type: ignore[arg-type]

    def digest(self, found: FoundFile) -> str:
        """Return the content hash; "" for a file over the limit."""
        return digest(found, self._max_bytes, self._stop)

    def has(self, path: str) -> bool:
        """Return whether there is such a file."""
        return os.path.lexists(locate(Path(self.name), path))


def make_plan(
    known: Iterable[FileRecord],
    roots: Sequence[Path],
    options: SyncOptions,
    *,
    reread: Callable[[FileRecord], bool],
    tell: Callable[[int, str], None],
    stop: threading.Event | None = None,
) -> Plan:
    """Scan `roots`, or the places of `options` below them, and compare with `known`.

    Files for which `reread` holds are read again whether they changed or not. `tell` is called with
    the number of files found so far. With `options.yes` the files of an empty root are gone. `stop`
    ends the hashing of a file. Raises `UsageError` if no root can be looked into.
    """
    files = list(known)
    away = _away(roots, () if options.yes else {file.root for file in files})
    places = [
        Folder(
            root,
            away.get(root),
            only=options.only,
            exclude=options.exclude,
            hidden=options.hidden,
            max_bytes=options.max_bytes,
            stop=stop,
        )
        for root in roots
    ]
    return compare(files, places, reread=reread, tell=tell)


def compare(
    known: Iterable[FileRecord],
    places: Sequence[Place],
    *,
    reread: Callable[[FileRecord], bool],
    tell: Callable[[int, str], None],
) -> Plan:
    """Scan these roots and compare with `known`; see `make_plan`."""
    left = {(file.root, file.path): file for file in known}
    inner = _Inside(left)
    plan = Plan()
    fresh: list[tuple[FoundFile, Place]] = []
    count = 0
    for place in places:
        closed: list[str] = []
        if place.away is not None:
            closed.append("")
            plan.unreadable.append((place.name, place.away))

        def note(path: str, error: OSError, closed: list[str] = closed) -> None:
            closed.append(path)
            plan.unreadable.append((path, error.strerror or str(error)))

        for found in () if place.away is not None else place.scan(note):
            count += 1
            if count % TELL_EVERY == 1:
                tell(count, found.path)
            old = left.pop((found.root, found.path), None)
            if old is None:
                fresh.append((found, place))
                continue
            files = [old, *inner.of(old)]
            again = {file.id for file in files if reread(file)}
            if again or not is_whole(files):
                same = False
            elif (found.size, found.mtime_ns) == (old.size, old.mtime_ns):
                plan.unchanged += files
                same = True
            elif same := found.size == old.size and place.digest(found) == old.content_hash != "":
                plan.touched += [replace(file, mtime_ns=found.mtime_ns) for file in files]
            if not same:
                plan.read.append((found, old))
                plan.again |= again
                plan.inside[found.root, found.path] = {file.path: file for file in files[1:]}
        # What cannot be looked into today is not gone.
        for key, old in list(left.items()):
            if old.root == place.name and _below(old.path, closed):
                plan.unchanged.append(left.pop(key))
    tell(count, "")
    _find_moved(plan, fresh, [file for file in left.values() if not reread(file)])
    for old, new in plan.moved[:]:
        for file in inner.of(old):
            path = new.path + file.path.removeprefix(old.path)
            moved = replace(file, root=new.root, path=path, mtime_ns=new.mtime_ns)
            plan.moved.append((file, moved))
    kept = {old.id for old, _ in plan.moved} | {old.id for _, old in plan.read if old}
    plan.gone = [file for file in left.values() if file.id not in kept]
    return plan


class _Inside:
    """The known files inside others, by their outermost containers."""

    def __init__(self, left: dict[tuple[str, str], FileRecord]) -> None:
        self._left = left
        self._paths: dict[tuple[str, str], list[str]] = {}
        for root, path in left:
            outer, packed, _ = path.partition(SEPARATOR)
            if packed:
                self._paths.setdefault((root, outer), []).append(path)

    def of(self, file: FileRecord) -> list[FileRecord]:
        """Take those inside this file from what is left."""
        keys = [(file.root, path) for path in self._paths.pop((file.root, file.path), ())]
        return [self._left.pop(key) for key in keys if key in self._left]


def is_whole(files: Sequence[FileRecord]) -> bool:
    """Return whether all files inside a container, and inside these, were recorded."""
    if len(files) == 1 and MEMBERS not in files[0].metadata:
        return True
    counted = Counter(file.path.rpartition(SEPARATOR)[0] for file in files)
    return all(int(f.metadata.get(MEMBERS, "0")) == counted[f.path] for f in files)


def check_drop(plan: Plan, total: int, there: Callable[[FileRecord], bool] | None = None) -> None:
    """Raise `WouldDropError` if more than half of `total` files are gone from the disk.

    Files that are `there` (by default, on this machine's disks) and merely left out from now on do
    not count.
    """
    if len(plan.gone) * 2 <= total:
        return
    there = there or _on_disk
    lost = Counter(file.root for file in plan.gone if not there(file))
    if lost.total() * 2 <= total:
        return
    where = " and ".join(f"{count} below {readable(root)}" for root, count in lost.most_common())
    raise WouldDropError(
        f"{lost.total()} of {total} files are no longer there ({where}); nothing was changed.",
        "Is a disk missing, or was the folder moved? If they are meant to be gone, "
        "`manole index --yes` drops them from the index.",
    )


def places_of(paths: Iterable[Path], roots: Sequence[Path]) -> dict[Path, list[str]]:
    """Group absolute paths by root, without those below another one or below no root."""
    found: dict[Path, list[str]] = {}
    for root in roots:
        inner = sorted({path.relative_to(root).parts for path in paths if _inside(path, root)})
        kept: list[tuple[str, ...]] = []
        for parts in inner:  # a folder comes before what lies in it
            if not kept or parts[: len(kept[-1])] != kept[-1]:
                kept.append(parts)
        if kept:
            found[root] = ["/".join(parts) for parts in kept]
    return found


def stored(places: Places) -> dict[str, list[str]]:
    """Return the places as the index names them."""
    return {_absolute(root): [readable(path) for path in paths] for root, paths in places.items()}


def digest(found: FoundFile, max_bytes: int, stop: threading.Event | None = None) -> str:
    """Return the content hash; "" if the file cannot or need not be read, or `stop` is set.

    A file inside another one has its mark instead.
    """
    if found.member:
        return found.mark
    if found.size > most_bytes(found.path, max_bytes):
        return ""
    try:
        with open_found(found) as file:
            return content_hash(file, stop)
    except OSError:
        return ""


def _on_disk(file: FileRecord) -> bool:
    return os.path.lexists(locate(Path(file.root), file.path))


def _away(roots: Sequence[Path], filled: Collection[str]) -> dict[Path, str]:
    """Return the roots that cannot be read today, and why; those in `filled` had files before.

    Raises `UsageError` if none can be looked into.
    """
    closed: dict[Path, str] = {}
    empty: dict[Path, str] = {}
    for root in roots:
        try:
            with os.scandir(root) as entries:
                bare = next(entries, None) is None
        except OSError as error:
            closed[root] = error.strerror or str(error)
            continue
        if bare and len(roots) > 1 and _absolute(root) in filled:
            empty[root] = EMPTY
    if len(closed) == len(roots):
        root, why = next(iter(closed.items()))
        raise UsageError(
            f"{readable(str(root))} cannot be looked into: {why}.",
            "Is a disk missing, or was the folder moved? Its index stays as it is.",
        )
    return closed | empty


def _find_moved(
    plan: Plan, fresh: Iterable[tuple[FoundFile, Place]], gone: Iterable[FileRecord]
) -> None:
    """Pair new files with files that are gone and had the same bytes."""
    by_content: dict[tuple[int, str], list[FileRecord]] = {}
    for file in gone:
        if file.content_hash:
            by_content.setdefault((file.size, file.content_hash), []).append(file)
    sizes = {size for size, _ in by_content}
    for found, place in fresh:
        same = None
        if found.size in sizes:
            same = by_content.get((found.size, place.digest(found)))
        if not same:
            plan.read.append((found, None))
            continue
        old = same.pop()
        new = replace(old, root=found.root, path=found.path, mtime_ns=found.mtime_ns)
        if new.extension != old.extension or _named(old.date_source):
            plan.read.append((found, old))  # its name gave its kind or its date
        else:
            plan.moved.append((old, new))


def _named(date_source: str | None) -> bool:
    return date_source is not None and "name" in date_source


def _below(path: str, folders: Sequence[str]) -> bool:
    return any(lies_in(path, folder) for folder in folders)


def _inside(path: Path, root: Path) -> bool:
    return path == root or root in path.parents


def _absolute(root: Path) -> str:
    return os.path.abspath(root)  # noqa: PTH100  (`resolve` would rename a linked root)
