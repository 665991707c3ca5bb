"""Checks whether other users can read what Manole keeps, and closes it to them."""

from __future__ import annotations

import asyncio
import os
from functools import partial
from itertools import islice
from pathlib import Path

from platformdirs import user_config_path

from manole.care.findings import REPAIR, Finding, Fix, command, good, warning
from manole.config_files import CONFIG_NAME
from manole.private import OTHERS, close_all, exposed, keeps_modes, readable_by_others
from manole.settings import Settings

PRIVACY = "privacy"
_MANY = 1000  # open files are counted up to here


def check_private(settings: Settings) -> list[Finding]:
    """Check modes and owner of the data and cache folders, and of files beside the settings.

    A token lies beside the settings or anywhere; `manole serve --token-file` looks at the latter.
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
        return []  # that it cannot be written is said already
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
