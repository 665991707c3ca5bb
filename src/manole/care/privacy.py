"""Checks on privacy: files that other users can read, and events queued for a publisher.

onnxruntime 1.29 and later keeps a device id and a database of events in one folder of the user,
shared by all programs that load it with its telemetry on. Manole disables that (`quiet.py`). The
folder's place is taken from the publisher's source,
`onnxruntime/core/platform/posix/device_id.cc`. Its files are removed by name; other files in it
stay.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path

from platformdirs import user_cache_path, user_config_path, user_data_path

from manole.care.findings import REPAIR, Finding, Fix, command, good, warning
from manole.config_files import CONFIG_NAME
from manole.errors import ManoleError
from manole.models.weights.files import human_size
from manole.private import OTHERS, close_all, exposed, keeps_modes, readable_by_others
from manole.settings import Settings
from manole.text.counted import counted

PRIVACY, TELEMETRY = "privacy", "telemetry"
QUEUE = Path("Microsoft", "DeveloperTools", ".onnxruntime")
QUEUED = ("onnxruntime.db*", "deviceid*")
_MANY = 1000  # open files that are counted at most; set by hand


def check_private(settings: Settings) -> list[Finding]:
    """Check modes and owner of the data and cache folders, and of files beside the settings.

    A token may lie elsewhere; `manole serve --token-file` checks that file.
    """
    found: list[Finding] = []
    without: list[Path] = []
    for name, folder in (("data_dir", settings.data_dir), ("cache_dir", settings.cache_dir)):
        if folder.is_dir():
            found += _folder(name, folder, without)
    if without:
        text = "the file system keeps no modes: who can use the disk can read what Manole keeps"
        other = "Set data_dir and cache_dir to folders on another disk, if others use this machine."
        found.append(warning(PRIVACY, text, ", ".join(map(str, without)), other))
    return found + _beside_settings()


async def close_file(file: Path) -> str:
    """Make a file its owner's alone."""
    try:
        await asyncio.to_thread(file.chmod, 0o600)
    except OSError as error:
        return f"{file} cannot be closed to other users: {error.strerror}."
    return f"{file}: only its owner can read it now."


def _folder(name: str, folder: Path, without: list[Path]) -> list[Finding]:
    try:
        owner = folder.stat().st_uid
        if owner != os.geteuid():
            text = f"{name} belongs to another user (number {owner}), who can read it"
            remedy = f"Set {name} (MANOLE_{name.upper()}) to a folder of yours."
            return [warning(PRIVACY, text, folder, remedy)]
        if not keeps_modes(folder):
            without.append(folder)
            return []
    except OSError:
        return []  # the check of the folders reports it
    count = len(list(islice(exposed(folder), _MANY)))
    if count:
        number = f"{count:,} or more" if count == _MANY else f"{count:,}"
        text = f"{name} has files or folders that are open to other users: {number}"
        fix = Fix(f"close {folder}", partial(_close, folder))
        return [warning(PRIVACY, text, folder, f"{REPAIR} closes them.", fix)]
    if folder.stat().st_mode & OTHERS:  # it holds other things as well
        return [good(PRIVACY, f"what Manole made in {name} is closed to other users", folder)]
    return [good(PRIVACY, f"{name} is closed to other users", folder)]


async def _close(folder: Path) -> str:
    count = await asyncio.to_thread(close_all, folder)
    return f"{folder}: {count:,} files and folders closed to other users."


def _beside_settings() -> list[Finding]:
    """Check the files beside the settings, such as a token."""
    found = []
    folder = user_config_path("manole")
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        # `manole.toml` may be open where it holds no secret (`folders.py`).
        if file.name != CONFIG_NAME and file.is_file() and readable_by_others(file):
            text = "other users of this machine can read it"
            fix = Fix(f"close {file}", partial(close_file, file))
            remedy = f"{REPAIR} or {command('chmod', 600, file)}."
            found.append(warning(PRIVACY, text, file, remedy, fix))
    return found


def check_telemetry() -> list[Finding]:
    """Check whether any program has queued events."""
    folder = queue_folder()
    files = _queued(folder)
    if not files:
        return [good(TELEMETRY, "off, and nothing is queued by onnxruntime", folder)]
    size, newest = sum(path.lstat().st_size for path in files), max(map(_written, files))
    text = (
        f"onnxruntime queued events for its publisher: {', '.join(path.name for path in files)}, "
        f"{human_size(size)}, last written {newest:%Y-%m-%d}. They tell device, system and the "
        "program's path. Programs with its telemetry on put them there; Manole adds nothing"
    )
    remedy = f"{REPAIR} removes them; no program needs them."
    return [
        warning(
            TELEMETRY, text, folder, remedy, Fix(f"drop {folder}", partial(_drop_queue, folder))
        )
    ]


def queue_folder() -> Path:
    """Return the folder, one per user, of onnxruntime's device id and queue."""
    base = user_data_path() if sys.platform == "darwin" else user_cache_path()
    return base / QUEUE


def _queued(folder: Path) -> list[Path]:
    return sorted(path for name in QUEUED for path in folder.glob(name) if not path.is_dir())


def _written(path: Path) -> datetime:
    return datetime.fromtimestamp(path.lstat().st_mtime).astimezone()


async def _drop_queue(folder: Path) -> str:
    """Remove the queue, and the folders around it that are then empty."""
    files = _queued(folder)
    for path in files:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise ManoleError(f"{path} cannot be removed: {error.strerror}.") from None
    with contextlib.suppress(OSError):  # something else is in it
        for place in (folder, *folder.parents[: len(QUEUE.parts) - 1]):
            place.rmdir()
    removed = counted(len(files), "file")
    return f"Removed what onnxruntime had queued for its publisher: {removed} in {folder}."
