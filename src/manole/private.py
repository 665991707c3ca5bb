"""Privacy of Manole's files: closed top folders, a mask, and no secret passed to other programs.

All that Manole keeps lies below the data and the cache folder. These are made for their owner
alone (`make`), and each start refuses one that other users may enter or that is not this user's
(`check`). So whatever mode a file below them has, nobody else reaches it.

The program also sets a mask for everything that it and its children make (`begin`). A program that
embeds a `Library` keeps its own.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from manole.errors import SettingsError

UMASK = 0o077
OTHERS = 0o077  # the rights that no top folder gives
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")  # which may hold a password

_SECRET = re.compile(
    r"PASSW|PASSPHRASE|SECRET|CREDENTIAL|API_?KEY|TOKEN(?!IZ)|(?:^|_)KEY(?:_|$)", re.IGNORECASE
)
_WITH_PASSWORD = re.compile(r"://[^/\s:@]*:[^/\s@]+@")

_OURS = frozenset({"libraries", "models"})  # in a data folder, and in a cache

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
            or not (_SECRET.search(name) or _WITH_PASSWORD.search(value))
        )
    }


def make(folder: Path) -> None:
    """Make a folder and its missing parents, closed to others. Raises `OSError`."""
    try:
        folder.mkdir(0o700, exist_ok=True)
    except FileNotFoundError:
        if folder.parent == folder:
            raise
        make(folder.parent)
        folder.mkdir(0o700, exist_ok=True)


def check(**tops: Path) -> None:
    """Raise `SettingsError` for a top folder that is not this user's alone.

    `tops` are by the settings that name them (`data_dir`). One that is not there yet is `make`'s;
    one that is open, but empty or with what Manole keeps, is closed; one on a file system without
    modes is let through, and `manole doctor` tells of it.
    """
    for name, top in tops.items():
        try:
            info = top.lstat()
        except OSError:  # told where it is used
            continue
        setting = f"{name} (MANOLE_{name.upper()})"
        own = f"Set {setting} to a folder of yours."
        if stat.S_ISLNK(info.st_mode):
            raise SettingsError(f"{top} is a link, which may lead anywhere.", own)
        if info.st_uid != os.geteuid():
            raise SettingsError(f"{top} belongs to another user, who could read it.", own)
        is_open = stat.S_ISDIR(info.st_mode) and info.st_mode & OTHERS
        if is_open and not info.st_mode & stat.S_IWOTH and _is_ours(top):
            with suppress(OSError):
                top.chmod(0o700)
        elif is_open and keeps_modes(top):
            close = shlex.join(["chmod", "700", str(top)])
            raise SettingsError(
                f"{top} is open to other users of this machine.",
                f"Close it with `{close}`, or set {setting} to another folder.",
            )


def _is_ours(top: Path) -> bool:
    """Return whether a folder is empty, or holds what Manole keeps, and nobody else's files."""
    with suppress(OSError):
        names = {entry.name for entry in os.scandir(top)}
        return not names or not _OURS.isdisjoint(names)
    return False


def keeps_modes(folder: Path) -> bool:
    """Return whether the file system of a folder keeps modes; `True` if that cannot be tried."""
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".modes-") as probe:
            return not os.stat(probe).st_mode & OTHERS  # noqa: PTH116
    except OSError:
        return True


def readable_by_others(file: Path) -> bool:
    """Return whether other users may read a file or own it. Raises `OSError`."""
    info = file.stat()
    return bool(info.st_mode & OTHERS) or info.st_uid not in (os.geteuid(), 0)
