"""Files on disk: hashing, copying, records of verified weights, and small files kept as JSON.

A record spares later starts from hashing a gigabyte again. As long as size, inode and times of the
file are those of the record, and nobody else can have written the record, the file is taken to have
the bytes that were hashed. (Whoever changes a file can set back its time of modification, but not
the time of its inode's change.)
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from manole import private
from manole.errors import WeightsError
from manole.models.catalog.table import HubSource, ModelSpec, WeightFile

if TYPE_CHECKING:
    from pydantic import BaseModel

CHUNK = 1 << 20  # bytes read at once; set by hand

Kept = TypeVar("Kept", bound="BaseModel")
Stage = Literal["wait", "download", "join", "verify"]


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a fetch. `wait`: another process is fetching the same model."""

    model: str
    file: str
    done_bytes: int
    total_bytes: int
    stage: Stage


OnProgress = Callable[[Progress], None]


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, as hex digits. Raises `OSError`."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_file(spec: ModelSpec, file: WeightFile, path: Path, progress: OnProgress | None) -> str:
    """Return the SHA-256 of `path`, as hex digits, and report progress. Raises `OSError`."""
    digest = hashlib.sha256()
    for chunk in _chunks(spec, file, path, progress, "verify"):
        digest.update(chunk)
    return digest.hexdigest()


def copy_file(
    spec: ModelSpec, file: WeightFile, source: Path, target: Path, progress: OnProgress | None
) -> str:
    """Copy durably; return the SHA-256 of the bytes. Raises `OSError`."""
    digest = hashlib.sha256()
    with target.open("wb") as writing:
        for chunk in _chunks(spec, file, source, progress, "join"):
            writing.write(chunk)
            digest.update(chunk)
        writing.flush()
        os.fsync(writing.fileno())
    return digest.hexdigest()


def _chunks(
    spec: ModelSpec, file: WeightFile, path: Path, progress: OnProgress | None, stage: Stage
) -> Iterator[bytes]:
    """Yield the bytes of `path` in chunks, each reported once it was used."""
    done, total = 0, path.stat().st_size
    with path.open("rb") as opened:
        while chunk := opened.read(CHUNK):
            yield chunk
            done += len(chunk)
            if progress:
                progress(Progress(spec.name, file.name, done, total, stage))


def candidates(place: Path, spec: ModelSpec, file: WeightFile) -> list[Path]:
    """Return the files at `place` that may be `file`: by size, or by name if that is unknown."""
    if place.is_file():
        found = [place]
    else:
        folders = [f for f in (place, place / spec.name) if f.is_dir()]
        found = [p for folder in folders for p in sorted(folder.iterdir()) if p.is_file()]
    hub = [Path(source.filename).name for source in file.sources if isinstance(source, HubSource)]
    named = [p for p in found if p.name in (file.name, *hub)]
    if file.size:
        right = [p for p in found if p.stat().st_size == file.size]
        # A file of the right name and the wrong size is worth an error that shows its hash.
        return right or named
    return named


def read_record(place: Path) -> dict[str, Any]:
    """Return the record of a file (`_identity`, sha256, published); empty if we wrote none."""
    try:
        data = json.loads(_record_path(place).read_text("utf-8"))
        own = is_own(_record_path(place))
    except (OSError, ValueError):
        return {}
    return data if own and isinstance(data, dict) else {}


def verified_hash(place: Path) -> str | None:
    """Return the recorded SHA-256 of the file at `place` if it is unchanged since, or `None`."""
    record = read_record(place)
    try:
        unchanged = record.items() >= _identity(place).items()
    except OSError:
        return None
    return record.get("sha256") if unchanged else None


def write_record(place: Path, digest: str, *, published: bool) -> None:
    """Record that the file at `place` has this hash."""
    private.settle(place)  # first, as it changes the inode's time
    record = {**_identity(place), "sha256": digest, "published": published}
    write_whole(_record_path(place), json.dumps(record))


def write_whole(path: Path, text: str) -> None:
    """Replace a file with `text` in one piece, for its owner alone. Raises `OSError`."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        fresh.write_text(text, "utf-8")
        private.settle(fresh)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def read_kept(file: Path, kind: type[Kept]) -> Kept:
    """Read `file`; return an empty `kind` if it is missing, damaged or not this user's."""
    try:
        return kind.model_validate_json(file.read_bytes() if is_own(file) else "{}")
    except (OSError, ValueError):
        return kind()


def write_kept(file: Path, kept: BaseModel) -> None:
    """Replace `file` in one piece; make its folder if need be. Raises `OSError`."""
    private.make(file.parent)
    write_whole(file, kept.model_dump_json(indent=2))


def remove_record(place: Path) -> None:
    """Let the file at `place` count as not verified. Raises `OSError`."""
    _record_path(place).unlink(missing_ok=True)


def is_verified(place: Path, expected: str | None) -> bool:
    """Return whether the file is unchanged since it was found to have the expected hash.

    If none is expected, any recorded hash will do: the user trusted that file.
    """
    found = verified_hash(place)
    return found is not None and expected in (None, found)


def is_own(path: Path) -> bool:
    """Return whether only this user or root can write a file. Raises `OSError`."""
    info = path.stat()
    return info.st_uid in (os.getuid(), 0) and not info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def disk_errors(spec: ModelSpec) -> Iterator[None]:
    """Turn an error of the disk into one that a user can act upon."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = "the disk is full" if full else error.strerror or str(error)
        raise WeightsError(
            f"{spec.name} could not be stored: {reason} ({error.filename or 'weights cache'}).",
            "Free some space, or set cache_dir (MANOLE_CACHE_DIR) to another disk. "
            "What was fetched is kept.",
        ) from None


def _identity(place: Path) -> dict[str, int]:
    """Return values that change whenever the file is replaced or written. Raises `OSError`."""
    info = place.stat()
    return {
        "size": info.st_size,
        "mtime_ns": info.st_mtime_ns,
        "ctime_ns": info.st_ctime_ns,
        "inode": info.st_ino,
    }


def _record_path(place: Path) -> Path:
    return place.with_name(f"{place.name}.verified.json")


def folder_bytes(folder: Path) -> int:
    """Return the bytes of all files below `folder`; files that vanish meanwhile count as 0."""
    total = 0
    for parent, _, names in os.walk(folder):  # skips folders that are gone
        for name in names:
            with suppress(OSError):
                total += Path(parent, name).lstat().st_size
    return total


def human_size(size: float) -> str:
    """Format bytes for people, in decimal units: `1.2 MB`."""
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    raise AssertionError("unreachable")
