"""Files written in one piece, and small ones kept as JSON."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from manole import private

T = TypeVar("T")


def write_file(path: Path, content: str | bytes, *, make: bool = False, mode: int = 0o600) -> None:
    """Replace the content of `path` as `replacing` does; text is written as UTF-8.

    With `make`, a missing folder is made for its owner alone. Raises `OSError`.
    """
    if make:
        private.make(path.parent)
    with replacing(path) as draft:
        draft.write_bytes(content.encode() if isinstance(content, str) else content)
        draft.chmod(mode)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a draft that takes the place of `path`: a reader, or a power cut, finds old or new.

    The draft is an empty file for its owner alone, and is removed when anything fails. Raises
    `OSError`.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        sync_path(draft)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_path(path.parent)


def sync_path(path: Path) -> None:
    """Sync one file or folder to the disk; a missing one is no error."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_json(path: Path, read: Callable[[Any], T]) -> T | None:
    """Return what `read` makes of a JSON file; `None` if it is missing, damaged or refused."""
    try:
        return read(json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
