"""Checks of the settings and of the folders they name.

Whether these are the user's alone, can be written and have room.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from manole import private
from manole.care.findings import Finding, command, good, problem, warning
from manole.config_files import own_path
from manole.errors import SettingsError
from manole.index.store.libraries import folder_of
from manole.models.weights.files import folder_bytes, human_size
from manole.settings import SECRETS, Settings

SETTINGS, FOLDERS = "settings", "folders"
# Free bytes, set by hand.
SCARCE = 100 * 10**6  # with fewer, a sync or a fetch fails for certain
ROOM = 10**9  # even a small library may need so many
PLACES = ("data_dir", "cache_dir")


def read_settings(flags: Mapping[str, Any]) -> tuple[Settings, list[Finding]]:
    """Return the settings, or the defaults if they cannot be read, with findings.

    Folders named on the command line or in the environment are used even so.
    """
    try:
        settings, origins = Settings.explain(dict(flags))
        file = own_path()
    except SettingsError as error:
        named = {name: flags[name] for name in PLACES if name in flags}
        for name in PLACES:
            value = os.environ.get(f"MANOLE_{name.upper()}")
            if value and name not in named:
                named[name] = value
        return Settings(**named), [
            problem(SETTINGS, error.message, remedy=error.hint or "`manole config`")
        ]
    changed = len(origins)
    origin = f"{changed} set, the others at their defaults" if changed else "all at their defaults"
    shown = file if file.exists() else "no manole.toml"
    found = [good(SETTINGS, f"{shown}: {origin}", file)]
    holds_secret = any(origins.get(name) == str(file) for name in SECRETS)
    if holds_secret and private.readable_by_others(file):
        text = "it holds a key or a password, and other users of this machine can read it"
        found.append(warning(SETTINGS, text, file, f"{command('chmod', 600, file)}."))
    return settings, found


def check_folders(settings: Settings) -> list[Finding]:
    """Check the data and the cache folder."""
    libraries = folder_of("", settings)
    largest = 0
    if libraries.is_dir():
        largest = max((folder_bytes(item) for item in libraries.iterdir()), default=0)
    return [
        *_check("data_dir", settings.data_dir, max(ROOM, largest)),
        *_check("cache_dir", settings.cache_dir, ROOM),
    ]


def _check(name: str, folder: Path, wanted: int) -> list[Finding]:
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    another = f"Set {name} (MANOLE_{name.upper()}) to a folder of yours."
    try:
        private.check(**{name: folder})
        if not there.is_dir():
            return [problem(FOLDERS, f"{name} is not a folder", there, another)]
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b"x")
            file.flush()
        free = shutil.disk_usage(there).free
    except SettingsError as error:
        return [problem(FOLDERS, error.message, folder, error.hint or "")]
    except OSError as error:
        reason = error.strerror or str(error)
        return [problem(FOLDERS, f"{name} cannot be written: {reason}", there, another)]
    room = f"{name} can be written, {human_size(free)} free: {folder}"
    move = f"Free some space, or set {name} to another disk."
    if free < SCARCE:
        return [problem(FOLDERS, f"{name} has {human_size(free)} left", folder, move)]
    if free < wanted:
        text = f"{room}; tidying its largest index may need {human_size(wanted)}"
        return [warning(FOLDERS, text, folder, move)]
    if folder.is_dir() and not private.keeps_modes(folder):
        text = "the file system keeps no modes: who can use the disk can read what Manole keeps"
        other = f"Set {name} to another disk, if others use this one."
        return [warning(FOLDERS, text, folder, other)]
    return [good(FOLDERS, room, folder)]
