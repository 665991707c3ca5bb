"""Files of a library, opened so that the file that is read is the one that was found.

Between a scan and the reading of a file, anybody who may write to a shared folder can put something
else in its place: a link to another person's file, a pipe, another folder. So a file is opened
once, from its root down, folder by folder, and no step follows a link; it must be a regular file,
and the one that the scan found. Readers get this `OpenFile`, never a path.

A root itself may be reached through links, because a person named it. Hard links and bind mounts
cannot be told from the file itself.

A file is the one that was found if device and inode are the same. Some network file systems have
no lasting inodes; there size and modified time are compared.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import stat
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any


def _flags(*names: str) -> int:
    """Return the flags of `os.open` that this system has.

    A system without them (Windows) has no descriptors of folders either: `_step` opens nothing.
    """
    return sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_NOFOLLOW", "O_CLOEXEC", *names))


_FOLDER = _flags("O_DIRECTORY")
_PASSED = _flags("O_DIRECTORY", "O_PATH")  # with `O_PATH`, no right to list is needed
_FILE = _flags("O_NONBLOCK", "O_NOCTTY")
_CHUNK = 1 << 20  # bytes that are hashed at once
_GROWTH = 1 << 20  # bytes that a file may have grown by while it is read
_LAST_NS = 2**63 - 1  # a file may claim a later time than a store can keep (the year 2262)


SEPARATOR = " › "  # between a file and the name of a file inside it, in a path


def inner_name(path: str, file: str) -> str:
    """Return the name that a path has inside the `file` that is opened for it, "" if it is that."""
    return "" if SEPARATOR in file.rpartition("/")[2] else path.partition(SEPARATOR)[2]


def lies_in(path: str, place: str) -> bool:
    """Return whether a path is this folder or file, or leads into it; "" is everywhere."""
    return not place or path == place or path.startswith((f"{place}/", f"{place}{SEPARATOR}"))


class ChangedError(OSError):
    """In the file's place is something else: a link, a pipe, another file."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    r"""A file of a library. `path` is relative to `root`, with `/`; `size` is in bytes.

    `path` is always valid Unicode: bytes of a name that are not UTF-8 are written as `\xff`.
    `device` and `inode` identify the file; an `inode` of 0 is unknown, and `None` allows any file.
    `elsewhere` is the absolute name if that is not `path` below `root`.

    Of a file inside another one (`members.py`), `elsewhere`, `device`, `inode` and the time are
    those of the outermost container, and `mark` changes whenever its own bytes do.
    """

    root: str
    path: str
    size: int
    mtime_ns: int
    device: int = 0
    inode: int | None = None
    elsewhere: str | None = None
    mark: str = ""

    @property
    def member(self) -> str:
        """The name inside its container, "" for a file of its own."""
        return inner_name(self.path, self.name)

    @property
    def name(self) -> str:
        """The absolute name. Open it only by `opener.open_found`."""
        return self.elsewhere or f"{self.root.rstrip('/')}/{self.path}"

    def inside(self, name: str, size: int = 0, mark: str = "") -> FoundFile:
        """Return the file called `name` inside this one."""
        path = f"{self.path}{SEPARATOR}{name}"
        return replace(self, path=path, size=size, mark=mark, elsewhere=self.name)

    def fits(self, info: os.stat_result) -> bool:
        """Return whether `info` is of this file."""
        if self.inode is None:
            return True
        if self.inode and (self.device, self.inode) == (info.st_dev, info.st_ino):
            return True
        size = info.st_size if self.member else self.size
        return (size, self.mtime_ns) == (info.st_size, modified(info))


def named(path: Path | str) -> FoundFile:
    """Return the file that a person named, through any links."""
    real = os.path.realpath(path)
    folder, name = os.path.split(real)
    shown = os.fsencode(name).decode("utf-8", "backslashreplace")
    return FoundFile(folder, shown, 0, 0, elsewhere=real)


def modified(info: os.stat_result) -> int:
    """Return a file's modified time in nanoseconds, within the range that a store can keep."""
    return min(max(info.st_mtime_ns, -_LAST_NS), _LAST_NS)


class OpenFile:
    """A file that is open for reading: its `name`, without folders, its bytes in `file`.

    Use it as a context manager. `error` is the system's error while it was read, even if a parser
    took that for a fault of the file.
    """

    def __init__(self, descriptor: int, name: str, info: os.stat_result) -> None:
        self.name = name
        self.info = info
        self.size = info.st_size
        self._raw = _Raw(descriptor)
        self.file = io.BufferedReader(self._raw)

    @property
    def suffix(self) -> str:
        """The extension of its name, with the dot."""
        return PurePath(self.name).suffix

    @property
    def error(self) -> OSError | None:
        """What went wrong while it was read."""
        return self._raw.error

    @property
    def path(self) -> str:
        """A path to this very file, as long as it is open, for what only takes paths."""
        where = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"  # noqa: PTH112
        return f"{where}/{self._raw.fileno()}"

    def read(self) -> bytes:
        """Read all of it; of a growing file, little more than it had when it was opened."""
        self.file.seek(0)
        return self.file.read(self.size + _GROWTH)

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    def __enter__(self) -> OpenFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Raw(io.FileIO):
    """The file's bytes, and the system's error if they could not be read."""

    error: OSError | None = None

    @contextmanager
    def _noted(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.error = error
            raise

    def readinto(self, buffer: Any, /) -> int | None:
        with self._noted():
            return super().readinto(buffer)

    def readall(self) -> bytes:
        with self._noted():
            return super().readall()


def open_outermost(found: FoundFile) -> OpenFile:
    """Open the file that was found; of one inside another, the outermost.

    Raises `OSError`, `ChangedError` if it is now another one.
    """
    name, root = found.name, found.root.rstrip("/")
    if not name.startswith(f"{root}/"):  # a document of a bucket, fetched into a folder of ours
        root = os.path.dirname(name)  # noqa: PTH120
    *folders, last = name[len(root) + 1 :].split("/")
    with open_folder(root or "/", folders, _PASSED) as folder:
        descriptor = _step(last, _FILE, folder)
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode) or not found.fits(info):
            raise ChangedError(errno.ESTALE, "it is not the file that was found")
        return OpenFile(descriptor, last, info)
    except BaseException:
        os.close(descriptor)
        raise


@contextmanager
def open_folder(root: str, folders: Sequence[str], flags: int = _FOLDER) -> Iterator[int]:
    """Open a folder below `root` without following a link. Raises as `open_outermost` does."""
    descriptor = os.open(root, flags & ~os.O_NOFOLLOW)
    try:
        for at, part in enumerate(folders, start=1):
            inner = _step(part, flags if at == len(folders) else _PASSED, descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def _step(name: str, flags: int, folder: int) -> int:
    if name in ("", ".", ".."):
        raise ChangedError(errno.EINVAL, "no name of a file")
    try:
        return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK, errno.ENXIO):
            reason = "something else lies in its place"
            raise ChangedError(error.errno, reason) from None
        raise


def content_hash(file: OpenFile, stop: threading.Event | None = None) -> str:
    """Return the BLAKE2b-256 of the file's bytes, in hex.

    Raises `OSError` if it cannot be read, is longer than it should be, or `stop` was set.
    """
    digest = hashlib.blake2b(digest_size=32)
    left = file.size + _GROWTH
    file.file.seek(0)
    while chunk := file.file.read(_CHUNK):
        left -= len(chunk)
        if left < 0 or (stop is not None and stop.is_set()):
            raise OSError(
                errno.EFBIG if left < 0 else errno.ECANCELED, "it was not read to its end"
            )
        digest.update(chunk)
    return digest.hexdigest()
