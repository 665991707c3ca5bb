"""Opening a source with the program that the system uses for such files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def locate(folders: Sequence[str], file: str) -> Path | None:
    """The file that a source names, if it lies in one of the folders; nothing outside them."""
    for folder in folders:
        root = Path(folder).resolve()
        found = (root / file).resolve()
        if found.is_relative_to(root) and found.is_file():
            return found
    return None


def opener(path: Path, platform: str = sys.platform) -> list[str]:
    """The command that shows a file. Of a program its folder is shown: a click runs nothing."""
    shown = path.parent if os.access(path, os.X_OK) else path
    return ["open" if platform == "darwin" else "xdg-open", str(shown)]


def open_file(path: Path) -> None:
    """Show a file, and do not wait. Raises `OSError` when the system knows no way."""
    subprocess.Popen(
        opener(path),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
