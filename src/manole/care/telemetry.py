"""Checks for what onnxruntime queued for its publisher before Manole disabled that (`quiet`).

onnxruntime 1.29 and later keeps a device id and a database of events in one folder of the user,
shared by all programs that load it with its telemetry on. Where it lies: the publisher's source,
`onnxruntime/core/platform/posix/device_id.cc`. Only its files by name are removed; what else a
program put there stays.
"""

from __future__ import annotations

import contextlib
import sys
from datetime import datetime
from functools import partial
from pathlib import Path

from platformdirs import user_cache_path, user_data_path

from manole.care.findings import Finding, Fix, command, good, warning
from manole.errors import ManoleError
from manole.models.weights.files import human_size

TELEMETRY = "telemetry"
PLACE = Path("Microsoft", "DeveloperTools", ".onnxruntime")
PATTERNS = ("onnxruntime.db*", "deviceid*")


def check_telemetry() -> list[Finding]:
    """Check whether something is queued, of whichever program."""
    folder = queue_folder()
    files = _queued(folder)
    if not files:
        return [good(TELEMETRY, "off, and nothing is queued by onnxruntime", folder)]
    size, newest = sum(path.lstat().st_size for path in files), max(map(_changed, files))
    text = (
        f"onnxruntime queued events for its publisher: {', '.join(path.name for path in files)}, "
        f"{human_size(size)}, last written {newest:%Y-%m-%d}. They tell device, system and the "
        "program's path. Earlier versions of Manole, and every other program with its telemetry "
        "on, put them there. Manole adds nothing now"
    )
    remedy = f"{command('manole', 'doctor', '--fix')} removes them; no program needs them."
    return [warning(TELEMETRY, text, folder, remedy, Fix(f"drop {folder}", partial(_drop, folder)))]


def queue_folder() -> Path:
    """Return where onnxruntime keeps its device id and its queue: one folder a user."""
    base = user_data_path() if sys.platform == "darwin" else user_cache_path()
    return base / PLACE


def _queued(folder: Path) -> list[Path]:
    return sorted(path for name in PATTERNS for path in folder.glob(name) if not path.is_dir())


def _changed(path: Path) -> datetime:
    return datetime.fromtimestamp(path.lstat().st_mtime).astimezone()


async def _drop(folder: Path) -> str:
    """Remove the queue, and the folders around it that are empty then."""
    files = _queued(folder)
    for path in files:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise ManoleError(f"{path} cannot be removed: {error.strerror}.") from None
    with contextlib.suppress(OSError):  # something else is in it
        for place in (folder, *folder.parents[: len(PLACE.parts) - 1]):
            place.rmdir()
    return f"Removed what onnxruntime had queued for its publisher: {len(files)} files in {folder}."
