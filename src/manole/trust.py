"""Trust in settings files of other folders: only those the user has named count in full.

A file is trusted for its bytes at its place: when either is another, it asks anew. The list lies in
the user's configuration folder, which no settings file can move, and counts where it is the user's
own, like the settings there.
"""

from __future__ import annotations

import hashlib
import os
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from platformdirs import user_config_path
from pydantic import BaseModel, ConfigDict, ValidationError

from manole.private import is_own

LIST_NAME = "trusted.json"


class Trusted(BaseModel):
    """A file that was looked at: the SHA-256 of what it held then, and when that was."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str
    since: datetime


class _List(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int = 1
    files: dict[str, Trusted] = {}  # by URI, which writes any path in ASCII


def list_path() -> Path:
    """Return where the list is kept."""
    return user_config_path("manole") / LIST_NAME


def trusted_files() -> dict[Path, Trusted]:
    """Return the files that were trusted; none where the list is damaged or not the user's own."""
    try:
        with list_path().open("rb") as file:
            if not is_own(os.fstat(file.fileno())):
                return {}
            kept = _List.model_validate_json(file.read()).files
    except (OSError, ValidationError):
        return {}
    return {_path(uri): entry for uri, entry in kept.items()}


def is_trusted(path: Path, data: bytes) -> bool:
    """Return whether `path`, which is absolute, was trusted with just these bytes."""
    entry = trusted_files().get(path)
    return entry is not None and entry.sha256 == _sha256(data)


def with_trust(path: Path, data: bytes) -> str:
    """Return the list, as a text to write, with `path` trusted for these bytes."""
    entry = Trusted(sha256=_sha256(data), since=datetime.now(UTC))
    return _text(trusted_files() | {path: entry})


def without_trust(path: Path) -> str:
    """Return the list, as a text to write, without `path`."""
    return _text({other: entry for other, entry in trusted_files().items() if other != path})


def _text(files: dict[Path, Trusted]) -> str:
    kept = {path.as_uri(): entry for path, entry in sorted(files.items())}
    return _List(files=kept).model_dump_json(indent=2) + "\n"


def _path(uri: str) -> Path:
    return Path(os.fsdecode(unquote_to_bytes(urlsplit(uri).path)))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
