"""Checks of the settings and of the folders they name: whether these are writable and have room."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from manole.care.findings import REPAIR, Finding, Fix, command, good, problem, warning
from manole.care.privacy import close_file
from manole.config_files import ConfigFile, folder_file, own_file
from manole.errors import SettingsError
from manole.index.store.libraries import folder_of
from manole.models.weights.files import folder_bytes, human_size
from manole.private import readable_by_others
from manole.settings import SECRETS, Settings, not_believed

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
        files = [file for file in (own_file(), folder_file()) if file is not None]
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
    paths = [str(file.path) for file in files]
    found = [good(SETTINGS, f"{', '.join(paths) or 'no manole.toml'}: {origin}", *paths[:1])]
    for file in files:
        found += _check_file(file, origins)
    return settings, found


def _check_file(file: ConfigFile, origins: Mapping[str, str]) -> list[Finding]:
    """Check which of its settings a file may set, and who can read its secrets."""
    found = []
    if file.problem:
        found.append(warning(SETTINGS, f"it is ignored: {file.problem}", file.path))
    elif ignored := not_believed(file):
        text = f"it may not set {', '.join(ignored)}; if you have looked at it, let it"
        let = command("manole", "trust", file.path.parent)
        found.append(warning(SETTINGS, text, file.path, let))
    if _shows_secret(file.path, origins):
        text = "it holds a key or a password, and other users of this machine can read it"
        remedy = f"{REPAIR} or {command('chmod', 600, file.path)}."
        fix = Fix(f"close {file.path}", partial(close_file, file.path))
        found.append(warning(SETTINGS, text, file.path, remedy, fix))
    return found


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
    return readable_by_others(file)
