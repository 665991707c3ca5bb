"""Privacy of Manole's files: folders 0700, files 0600, and no secret passed to other programs.

The program sets a mask for everything that it and its children make (`begin`). A program that
embeds a `Library` keeps its own mask: then folders are made closed (`make`), and files that other
libraries wrote into them are closed afterwards (`settle`).

Older files and folders are closed at the next start (`enclose`). That costs a look at two modes,
because a closed folder was done before. While it is being done, a folder has the sticky bit, so
that the next start resumes an interrupted one.

A person's own folder is never closed. A data or cache folder is Manole's if it is the usual one, or
holds nothing but Manole's files; in any other (a home, `/`) only Manole's own subfolders are
closed. Links are not followed; files with a second name elsewhere, and those of other users, are
left alone. On a file system without modes nothing happens; `manole doctor` reports that.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path, user_data_path

UMASK = 0o077
OTHERS = 0o077  # the rights that no file or folder of ours gives
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")  # which may hold a password
_CLOSED = 0o700
_AT_WORK = _CLOSED | stat.S_ISVTX

# The names of files and folders that Manole makes in its data and cache folder.
_OURS = re.compile(
    r"libraries|conversations|example|\.example-.+"
    r"|models|pictures|voices|captions|thumbnails|prefixes|engines|remote|tidied|tuning\.json.*|gpu\.json.*"
)
_SECRET = re.compile(
    r"PASSW|PASSPHRASE|SECRET|CREDENTIAL|API_?KEY|TOKEN(?!IZ)|(?:^|_)KEY(?:_|$)", re.IGNORECASE
)
_WITH_PASSWORD = re.compile(r"://[^/\s:@]*:[^/\s@]+@")

_person: int | None = None  # the mask that the program was started with


def begin() -> None:
    """Make all files of this process and its children private. For programs, not libraries."""
    global _person
    before = os.umask(UMASK)
    _person = before if _person is None else _person


def person() -> int:
    """Return the mask for programs started for a person, as `Popen` takes it (-1: unchanged)."""
    return -1 if _person is None else _person


def environment(*needed: str) -> dict[str, str]:
    """Return the environment for a child, without Manole's settings and without secrets.

    Variables whose names begin with one of `needed` are kept in any case.
    """
    own = tuple(name.upper() for name in needed)
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("MANOLE_")
        and (
            (own and name.upper().startswith(own))
            or not (is_secret(name) or _WITH_PASSWORD.search(value))
        )
    }


def is_secret(name: str) -> bool:
    """Return whether the name of an environment variable suggests a secret."""
    return _SECRET.search(name) is not None


def make(folder: Path) -> None:
    """Make a folder and its missing parents, closed to others. Raises `OSError`."""
    try:
        folder.mkdir(_CLOSED, exist_ok=True)
    except FileNotFoundError:
        if folder.parent == folder:
            raise
        make(folder.parent)
        folder.mkdir(_CLOSED, exist_ok=True)


def settle(*places: Path) -> None:
    """Close new files and folders, unless the mask of `begin` did."""
    if _person is None:
        for place in places:
            with suppress(OSError):
                _close(place, os.lstat(place))


def enclose(*tops: Path) -> None:
    """Close data and cache folders, and everything open in them. Never fails."""
    for top in map(_real, tops):
        for place in _scope(top):
            with suppress(OSError):
                _enclosed(place)


def exposed(*tops: Path) -> Iterator[Path]:
    """Yield the files and folders that `enclose` would close."""
    for top in map(_real, tops):
        for place in _scope(top):
            for path, info in _walk(place):
                if _is_open(info):
                    yield path


def close_all(*tops: Path) -> int:
    """Close `exposed` files and folders; return their number."""
    count = 0
    for path in list(exposed(*tops)):
        with suppress(OSError):
            _close_one(path, os.lstat(path))
            count += not _is_open(os.lstat(path))
    return count


def keeps_modes(folder: Path) -> bool:
    """Return whether the file system of a folder keeps modes. Raises `OSError`."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=".example-") as probe:
        return not os.stat(probe).st_mode & OTHERS  # noqa: PTH116


def readable_by_others(file: Path) -> bool:
    """Return whether other users may read a file or own it. Raises `OSError`."""
    info = file.stat()
    return bool(info.st_mode & OTHERS) or info.st_uid not in (os.geteuid(), 0)


def is_own(info: os.stat_result) -> bool:
    """Return whether only this user or root can have written a file."""
    return info.st_uid in (os.getuid(), 0) and not info.st_mode & stat.S_IWOTH


def _real(top: Path) -> Path:
    return Path(os.path.realpath(top))


def _scope(top: Path) -> list[Path]:
    """Return the part of a data or cache folder that is Manole's: all, or its subfolders."""
    try:
        # The stored names: on a file system that ignores case, `Pictures` is not ours.
        names = os.listdir(top)  # noqa: PTH208
    except OSError:
        return []
    ours = [name for name in names if _OURS.fullmatch(name)]
    usual = top in (_real(user_data_path("manole")), _real(user_cache_path("manole")))
    alone = len(ours) == len(names) and top != _real(Path.home()) and not top.is_mount()
    return [top] if usual or alone else [top / name for name in ours]


def _enclosed(place: Path) -> None:
    info = os.lstat(place)
    if _is_ours(info) and stat.S_IMODE(info.st_mode) & (OTHERS | stat.S_ISVTX):
        if stat.S_ISDIR(info.st_mode):
            place.chmod(_AT_WORK)
            if os.lstat(place).st_mode & OTHERS:
                return  # a file system without modes
            for path, found in _walk(place):
                if path != place:
                    with suppress(OSError):
                        _close_one(path, found)
        _close_one(place, info)


def _close(place: Path, info: os.stat_result) -> None:
    """Close a file, or a folder with all that is in it."""
    for path, found in _walk(place) if stat.S_ISDIR(info.st_mode) else [(place, info)]:
        with suppress(OSError):
            _close_one(path, found)


def _close_one(path: Path, info: os.stat_result) -> None:
    if _is_ours(info):
        mode = stat.S_IMODE(info.st_mode) & _CLOSED
        if mode != stat.S_IMODE(info.st_mode):
            path.chmod(mode)


def _walk(place: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield a folder and everything below it, top down; links are not followed."""
    info = os.lstat(place)
    yield place, info
    if stat.S_ISDIR(info.st_mode) and _is_ours(info):
        try:
            with os.scandir(place) as found:
                entries = list(found)
        except OSError:
            return
        for entry in entries:
            with suppress(OSError):  # it may be gone meanwhile
                yield from _walk(Path(entry.path))


def _is_ours(info: os.stat_result) -> bool:
    """Return whether it is a folder, or a file with one name, of this user."""
    kind = info.st_mode
    single = stat.S_ISREG(kind) and info.st_nlink == 1
    return (stat.S_ISDIR(kind) or single) and info.st_uid == os.geteuid()


def _is_open(info: os.stat_result) -> bool:
    return _is_ours(info) and bool(info.st_mode & OTHERS)
