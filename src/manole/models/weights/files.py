"""Files on disk: hashing, copying, records of verified weights, and small files kept as JSON.

A record spares later starts from hashing a gigabyte again: as long as a file has the size and the
time of modification that the record names, it is taken to have the bytes that were hashed.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from manole.errors import HashMismatchError, WeightsError
from manole.files import read_json, write_file
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


def hash_file(
    spec: ModelSpec,
    file: WeightFile,
    path: Path,
    progress: OnProgress | None,
    copy: Path | None = None,
) -> str:
    """Return the SHA-256 of `path`, as hex digits, and report progress. Raises `OSError`.

    Its bytes are also written to `copy`, durably.
    """
    digest, done, total = hashlib.sha256(), 0, path.stat().st_size
    stage: Stage = "join" if copy else "verify"
    with path.open("rb") as opened, copy.open("wb") if copy else nullcontext() as target:
        while chunk := opened.read(CHUNK):
            digest.update(chunk)
            if target:
                target.write(chunk)
            done += len(chunk)
            if progress:
                progress(Progress(spec.name, file.name, done, total, stage))
        if target:
            target.flush()
            os.fsync(target.fileno())
    return digest.hexdigest()


def find_local(place: Path, spec: ModelSpec, file: WeightFile) -> Path | None:
    """Return the file at or in `place` that may be `file`: by size, else by name."""
    folders = [folder for folder in (place, place / spec.name) if folder.is_dir()]
    found = [place] if place.is_file() else [p for f in folders for p in sorted(f.iterdir())]
    hub = [Path(source.filename).name for source in file.sources if isinstance(source, HubSource)]
    sized = [p for p in found if p.is_file() and p.stat().st_size == file.size > 0]
    # A file of the right name and the wrong size is worth an error that shows its hash.
    named = [p for p in found if p.is_file() and p.name in (file.name, *hub)]
    return next(iter(sized or named), None)


def read_record(place: Path) -> dict[str, Any]:
    """Return the record of a file (sha256, size, mtime_ns); empty if there is none."""
    return read_json(_record_path(place), lambda record: dict(record.items())) or {}


def verified_hash(place: Path) -> str | None:
    """Return the recorded SHA-256 of the file at `place` if it is unchanged since, or `None`."""
    record = read_record(place)
    try:
        unchanged = record.items() >= _identity(place).items()
    except OSError:
        return None
    return record.get("sha256") if unchanged else None


def write_record(place: Path, digest: str) -> None:
    """Record that the file at `place` has this hash. Raises `OSError`."""
    write_file(_record_path(place), json.dumps({**_identity(place), "sha256": digest}))


def read_kept(file: Path, kind: type[Kept]) -> Kept:
    """Read `file`; return an empty `kind` if it is missing, damaged or not this user's."""
    with suppress(OSError):
        if is_own(file):
            return read_json(file, kind.model_validate) or kind()
    return kind()


def write_kept(file: Path, kept: BaseModel) -> None:
    """Replace `file` in one piece; make its folder if need be. Raises `OSError`."""
    write_file(file, kept.model_dump_json(indent=2), make=True)


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


@contextmanager
def disk_errors(name: str) -> Iterator[None]:
    """Turn an error of the disk into one that a user can act upon."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = "the disk is full" if full else error.strerror or str(error)
        raise WeightsError(
            f"{name} could not be stored: {reason} ({error.filename or 'weights cache'}).",
            "Free some space, or set cache_dir (MANOLE_CACHE_DIR) to another disk. "
            "What was fetched is kept.",
        ) from None


def _identity(place: Path) -> dict[str, int]:
    info = place.stat()
    return {"size": info.st_size, "mtime_ns": info.st_mtime_ns}


def _record_path(place: Path) -> Path:
    return place.with_name(f"{place.name}.verified.json")


def check_space(folder: Path, need: int, name: str) -> None:
    """Raise `WeightsError` unless `need` bytes and 32 MiB (set by hand) are free for `folder`."""
    free = shutil.disk_usage(folder).free
    if free < need + 32 * CHUNK:
        raise WeightsError(
            f"{name} needs {need / 1e6:,.0f} MB of free disk for {folder}; "
            f"there are {free / 1e6:,.0f} MB.",
            "Free some space, or set cache_dir (MANOLE_CACHE_DIR) to a larger disk.",
        )


def too_large(name: str, most: int) -> HashMismatchError:
    """Return the error for a file that is larger than it can be."""
    return HashMismatchError(
        f"{name} is larger than the {human_size(most)} it may have. It was removed.",
        "Its source delivers other files than were published; take them from another.",
    )


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
