"""Opening a file, or its folder, with the programs of the person who sits at this machine.

A file that may be a program is never opened: it must be a document by its name, which the desktop
goes by, and by its first bytes. `xdg-open` (Linux) and `open` (macOS) get an absolute path without
a shell, and only the variables that a desktop needs, so no keys and tokens.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from manole import private
from manole.documents.detect import DOCUMENTS, HEAD_BYTES, Family, detect, extension
from manole.documents.model import Status
from manole.documents.opened import FoundFile
from manole.documents.opener import open_found
from manole.errors import ManoleError, UsageError
from manole.index.store.records import FileRecord
from manole.serve.view.page import is_picture, is_read

_SECONDS = 1.0  # set by hand: an opener that cannot start has failed by then
# Read as text, but run, installed or merged into settings when opened.
_RUN = frozenset({"desktop", "service", "reg", "plist"})
_KEPT = frozenset({
    "HOME", "PATH", "USER", "LOGNAME", "LANG", "LANGUAGE", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY",
    "XAUTHORITY", "BROWSER", "DBUS_SESSION_BUS_ADDRESS", "DESKTOP_SESSION", "SESSION_MANAGER",
    "GNOME_DESKTOP_SESSION_ID", "KDE_FULL_SESSION", "KDE_SESSION_VERSION", "WSL_DISTRO_NAME",
    "WSL_INTEROP",
})  # fmt: skip
_KEPT_PREFIXES = ("LC_", "XDG_")


class NoDesktopError(ManoleError):
    """No desktop here can open anything."""


class NotOpenedError(UsageError):
    """The file may be a program, so it is not opened."""


def open_file(found: FoundFile, record: FileRecord) -> None:
    """Open a file in the program that the person's desktop has for it.

    Raises `NotOpenedError`, `NoDesktopError`, `OSError`.
    """
    if not _is_document(found, record):
        raise NotOpenedError(
            f"{record.path} may be a program, or is of a kind that is not read.",
            "Show it in its folder, and open it there if you trust it.",
        )
    _start(found.name)


def show_in_folder(path: Path) -> None:
    """Open the folder that a file lies in. Raises `NoDesktopError`."""
    if sys.platform == "darwin":
        _start("-R", str(path))
    else:
        _start(str(path.parent))


def _is_document(found: FoundFile, record: FileRecord) -> bool:
    skipped_picture = is_picture(record) and record.status is Status.SKIPPED
    known = extension(found.name) in DOCUMENTS - _RUN
    if not known or not (is_read(record) or skipped_picture):
        return False
    with open_found(found) as opened:
        kind = detect(opened.name, opened.file)
        opened.file.seek(0)
        head = opened.file.read(HEAD_BYTES)
    if kind.family in (Family.NONE, Family.ENCRYPTED) or kind.format == "code":
        return False
    if kind.family is not Family.TEXT:
        return True
    return not head.startswith(b"#!") and b"[Desktop Entry]" not in head


def _start(*arguments: str) -> None:
    """Start the desktop's opener and leave it alone. Raises `NoDesktopError`, `OSError`."""
    program = _opener(os.environ)
    process = subprocess.Popen(
        [program, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=_environment(os.environ),
        umask=private.person(),  # files that the person saves there get the person's own mode
        start_new_session=True,
    )
    try:
        code = process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        threading.Thread(target=process.wait, daemon=True).start()  # so that no zombie is left
        return
    if code:
        raise NoDesktopError(
            "No program of this desktop opens it.", "Choose one for this kind of file there."
        )


def _opener(environment: Mapping[str, str]) -> str:
    """Return the path of the desktop's opener. Raises `NoDesktopError`."""
    mac = sys.platform == "darwin"
    shown = mac or environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    found = shutil.which("open" if mac else "xdg-open") if shown else None
    if found is None or not Path(found).is_absolute():
        raise NoDesktopError(
            "This server was started without a desktop.",
            "Start it from a terminal of your desktop; on Linux, xdg-open is needed.",
        )
    return found


def _environment(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
