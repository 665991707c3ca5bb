"""Folders of this machine to choose from, for a page that has no file dialog of its own.

A browser tells no page where a folder lies. So the server lists folders: their names only, one
level at a time, without hidden ones. The files that each would bring are counted as a sync would
find them, as far as that is quick.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from manole.documents.scan import scan
from manole.errors import LibraryError, UsageError

# Set by hand: a click should feel immediate, and no list on a page is read to the end.
_SECONDS = 0.4  # for counting the files of all subfolders together
_MANY = 20_000  # files; a higher number tells a person nothing more
_SHOWN = 2000  # subfolders


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder. `files` is how many Manole would look at; `None` where counting takes too long."""

    name: str
    path: str
    files: int | None


@dataclass(frozen=True, slots=True)
class Listing:
    """The subfolders of `path`. `parent` is `None` at the top."""

    path: str
    parent: str | None
    home: str
    folders: list[Folder]


def chosen(folder: str) -> Path:
    """Return the folder that a person named: an absolute path, or one that begins with `~`.

    Raises `UsageError` for a relative path and a folder that is missing, `LibraryError` for one
    that cannot be read, and for the whole disk.
    """
    path = _absolute(folder)
    if path.samefile(path.anchor):
        raise LibraryError(
            "The whole disk is no library: most of it is not yours.",
            "Choose a folder of yours, or your home folder.",
        )
    return path


def listing(folder: str = "~") -> Listing:
    """List the subfolders of a folder by name, without hidden ones.

    Names that are not UTF-8 are left out too: only the command line can open such a folder. Links
    to folders are shown under their own names. Raises as `chosen`, but takes the whole disk.
    """
    path = _absolute(folder)
    found: list[tuple[str, str]] = []
    with os.scandir(path) as entries:
        for entry in entries:
            try:
                entry.name.encode("utf-8")
                if not entry.name.startswith(".") and entry.is_dir():
                    found.append((entry.name, entry.path))
            except (OSError, UnicodeEncodeError):  # gone meanwhile; a name that no page can send
                continue
    found.sort(key=lambda item: (item[0].casefold(), item[0]))
    until = time.monotonic() + _SECONDS
    folders = [Folder(name, place, _count(place, until)) for name, place in found[:_SHOWN]]
    parent = None if path.parent == path else str(path.parent)
    return Listing(str(path), parent, str(_home()), folders)


def _absolute(folder: str) -> Path:
    try:
        given = Path(folder).expanduser()
        if not given.is_absolute():
            raise UsageError(f"{folder} is no whole path.", "Begin it with / or ~.")
        path = Path(os.path.abspath("/" + str(given).lstrip("/")))  # noqa: PTH100  (links stay)
        there = path.is_dir()
    except (OSError, ValueError, RuntimeError):  # a name too long, a null, no home, a loop
        raise UsageError(f"There is no folder {folder}.", "Check its name.") from None
    if path.is_file():
        raise UsageError(f"{folder} is a file.", "Choose the folder that it lies in.")
    if not there:
        raise UsageError(f"There is no folder {folder}.", "Check its name.")
    if not os.access(path, os.R_OK | os.X_OK):
        raise LibraryError(f"{path} cannot be read.", "Check its permissions.")
    return path


def _count(folder: str, until: float) -> int | None:
    count = 0
    try:
        for _ in scan(Path(folder), on_error=lambda _path, _error: None):
            count += 1
            if count >= _MANY or time.monotonic() > until:
                return None
    except (UsageError, OSError):
        return None
    return count if time.monotonic() <= until else None


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")
