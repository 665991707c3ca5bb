"""Documents of a bucket as files of this machine: fetched when they are opened, within a bound.

Each lies below `folder` under its own path, with the object's time, which shows later whether it is
still the same. Over the bound, the files opened least recently are removed.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from pathlib import Path

from manole import private
from manole_cluster.address import Address
from manole_cluster.bucket import Bucket

MOST_BYTES = 2 * 2**30  # set by hand
_LONGEST = 200  # bytes of a name: file systems take 255


class Documents:
    """The documents at `address`, below `folder / <its name>`."""

    def __init__(self, address: Address, folder: Path, *, most_bytes: int = MOST_BYTES) -> None:
        self.address = address
        self.folder = folder / address.name
        self._bucket = Bucket(address)
        self._most = most_bytes

    def place(self, path: str) -> Path:
        """Return the place of the document of that path, fetched or not."""
        return self.folder.joinpath(*map(_name, path.split("/")))

    def inside(self, path: Path | str) -> str | None:
        """Return the name of a document from its path, relative or of a fetched file.

        `None` if the path leads outside.
        """
        given = Path(path)
        if given.is_absolute():
            if not given.is_relative_to(self.folder):
                return None
            given = given.relative_to(self.folder)
        return None if ".." in given.parts else "/".join(given.parts)

    def fetch(self, path: str) -> Path | None:
        """Fetch the current document, or make its folder; `None` if neither exists."""
        target = self.place(path)
        found = self._bucket.head(path) if path else None
        if found is None:
            if path and next(self._bucket.list(path), None) is None:
                target.unlink(missing_ok=True) if target.is_file() else None
                return None
            private.make(target)
            return target
        try:
            there = target.stat()
            same = (there.st_size, there.st_mtime_ns) == (found.size, found.mtime_ns)
        except OSError:
            same = False
        if not same:
            if self._bucket.fetch(path, target) is None:
                return None
            self._make_room(target)
        os.utime(target, ns=(time.time_ns(), found.mtime_ns))
        return target

    def _make_room(self, kept: Path) -> None:
        """Remove the files opened least recently, down to the bound."""
        files = []
        for base, _, names in os.walk(self.folder):
            for name in names:
                path = Path(base, name)
                info = path.lstat()
                if stat.S_ISREG(info.st_mode):
                    files.append((info.st_atime_ns, info.st_size, path))
        left = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if left <= self._most:
                return
            if path != kept:
                path.unlink(missing_ok=True)
                left -= size


def _name(part: str) -> str:
    """Return a part of an object's name as a file's; a hash where no file system takes it."""
    safe = part not in {"", ".", ".."} and "\0" not in part
    if safe and len(part.encode("utf-8", "replace")) <= _LONGEST:
        return part
    made = hashlib.blake2b(part.encode("utf-8", "replace"), digest_size=12).hexdigest()
    dot = part.rfind(".")
    ending = part[dot:] if dot > 0 and part[dot + 1 :].isalnum() and len(part) - dot < 12 else ""
    return f"{made}{ending}"
