"""What a sync has to do: the folders as they are, compared with the files the index knows.

A file whose size and modified time are as before is unchanged and is not opened. Of the others,
those with the same bytes as before are only touched, and a new file with the bytes of one that is
gone is that file under a new name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from manole.documents.scan import FoundFile, content_hash, scan
from manole.index.store import FileRecord

TELL_EVERY = 500  # files


@dataclass(slots=True)
class Plan:
    """What a scan found. `read` has with each file what was known of it before, if anything."""

    read: list[tuple[FoundFile, FileRecord | None]] = field(default_factory=list)
    moved: list[tuple[FileRecord, FileRecord]] = field(default_factory=list)
    touched: list[FileRecord] = field(default_factory=list)
    gone: list[FileRecord] = field(default_factory=list)
    unchanged: list[FileRecord] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)  # folders, and why


def make_plan(
    known: Iterable[FileRecord],
    roots: Sequence[Path],
    *,
    exclude: Sequence[str],
    hidden: bool,
    reread: Callable[[FileRecord], bool],
    max_bytes: int,
    tell: Callable[[int, str], None],
) -> Plan:
    """Scan `roots` and compare with `known`.

    Files for which `reread` holds are read again whether they changed or not; those over
    `max_bytes` are not hashed. `tell` hears of the number of files found so far.
    """
    left = {(file.root, file.path): file for file in known}
    plan = Plan()
    fresh: list[FoundFile] = []
    count = 0
    for root in roots:
        closed: list[str] = []

        def note(path: str, error: OSError, closed: list[str] = closed) -> None:
            closed.append(path)
            plan.unreadable.append((path, error.strerror or str(error)))

        for found in scan(root, exclude=exclude, hidden=hidden, on_error=note):
            count += 1
            if count % TELL_EVERY == 1:
                tell(count, found.path)
            old = left.pop((found.root, found.path), None)
            if old is None:
                fresh.append(found)
            elif reread(old):
                plan.read.append((found, old))
            elif (found.size, found.mtime_ns) == (old.size, old.mtime_ns):
                plan.unchanged.append(old)
            elif found.size == old.size and digest(found, max_bytes) == old.content_hash != "":
                plan.touched.append(replace(old, mtime_ns=found.mtime_ns))
            else:
                plan.read.append((found, old))
        # What cannot be looked into today is not gone.
        for key, old in list(left.items()):
            if old.root == os.path.abspath(root) and _below(old.path, closed):  # noqa: PTH100
                plan.unchanged.append(left.pop(key))
    tell(count, "")
    _find_moved(plan, fresh, [file for file in left.values() if not reread(file)], max_bytes)
    kept = {old.id for old, _ in plan.moved} | {old.id for _, old in plan.read if old}
    plan.gone = [file for file in left.values() if file.id not in kept]
    return plan


def digest(found: FoundFile, max_bytes: int) -> str:
    """The file's content hash, or "" when it cannot or need not be read."""
    if found.size > max_bytes:
        return ""
    try:
        return content_hash(found.absolute)
    except OSError:
        return ""


def _find_moved(
    plan: Plan, fresh: Iterable[FoundFile], gone: Iterable[FileRecord], max_bytes: int
) -> None:
    """Pair new files with files that are gone and had the same bytes."""
    by_content: dict[tuple[int, str], list[FileRecord]] = {}
    for file in gone:
        if file.content_hash:
            by_content.setdefault((file.size, file.content_hash), []).append(file)
    sizes = {size for size, _ in by_content}
    for found in fresh:
        same = None
        if found.size in sizes:
            same = by_content.get((found.size, digest(found, max_bytes)))
        if not same:
            plan.read.append((found, None))
            continue
        old = same.pop()
        new = replace(old, root=found.root, path=found.path, mtime_ns=found.mtime_ns)
        if new.extension != old.extension or _named(old.date_source):
            plan.read.append((found, old))  # its name said what it is, or of which day
        else:
            plan.moved.append((old, new))


def _named(date_source: str | None) -> bool:
    return date_source is not None and "name" in date_source


def _below(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)
