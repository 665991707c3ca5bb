"""The settings, and the folders they name: can they be read, can they be written, is there room."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from manole.care.findings import Finding, good, problem, warning
from manole.errors import SettingsError
from manole.index.libraries import folder_of
from manole.models.files import folder_bytes, human_size
from manole.settings import SECRETS, Settings, config_file

SETTINGS, FOLDERS = "settings", "folders"
SCARCE = 100 * 10**6  # bytes without which a sync or a fetch fails for certain
ROOM = 10**9  # bytes that even a small library may come to need
PLACES = ("data_dir", "cache_dir")


def read_settings(flags: Mapping[str, Any]) -> tuple[Settings, list[Finding]]:
    """The settings in force; where they cannot be read, the defaults, so that the rest can go on.

    Folders that were named on the command line or in the environment hold all the same.
    """
    try:
        settings, origins = Settings.explain(dict(flags))
        file = config_file()
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
    found = [good(SETTINGS, f"{file or 'no manole.toml'}: {origin}", file or "")]
    if file is not None and _shows_secret(file, origins):
        found.append(
            warning(
                SETTINGS,
                "it holds a key or a password, and other users of this machine can read it",
                file,
                f"chmod 600 {file}",
            )
        )
    return settings, found


def check_folders(settings: Settings) -> list[Finding]:
    """The data and the cache folder."""
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
        if not there.is_dir():
            return [problem(FOLDERS, f"{name} is not a folder", there, another)]
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b"x")
            file.flush()
        free = shutil.disk_usage(there).free
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
    return [good(FOLDERS, room, folder)]


def _shows_secret(file: Path, origins: Mapping[str, str]) -> bool:
    if not any(origins.get(name) == str(file) for name in SECRETS):
        return False
    return bool(file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))
