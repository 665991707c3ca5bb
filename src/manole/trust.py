"""The list of settings files in other folders that the user trusts, which count in full.

A file is trusted for its bytes at its place: if either changes, it must be trusted anew. The list
is in the user's configuration folder, which no settings file can move. Like the settings there, it
counts only if it is the user's own.
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
    """An entry of the list: the SHA-256 of the trusted bytes, and the time of the trust."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str
    since: datetime


class _List(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int = 1
    files: dict[str, Trusted] = {}  # by URI, which has any path in ASCII


def list_path() -> Path:
    """Return the path of the list."""
    return user_config_path("manole") / LIST_NAME


def trusted_files() -> dict[Path, Trusted]:
    """Return the trusted files; none if the list is damaged or not the user's own."""
    try:
        with list_path().open("rb") as file:
            if not is_own(os.fstat(file.fileno())):
                return {}
            kept = _List.model_validate_json(file.read()).files
    except (OSError, ValidationError):
        return {}
    return {_path(uri): entry for uri, entry in kept.items()}


def is_trusted(path: Path, data: bytes) -> bool:
    """Return whether the absolute `path` was trusted with exactly these bytes."""
    entry = trusted_files().get(path)
    return entry is not None and entry.sha256 == _sha256(data)


def with_trust(path: Path, data: bytes) -> str:
    """Return the text of the list with `path` trusted for these bytes."""
    entry = Trusted(sha256=_sha256(data), since=datetime.now(UTC))
    return _text(trusted_files() | {path: entry})


def without_trust(path: Path) -> str:
    """Return the text of the list without `path`."""
    return _text({other: entry for other, entry in trusted_files().items() if other != path})


def _text(files: dict[Path, Trusted]) -> str:
    kept = {path.as_uri(): entry for path, entry in sorted(files.items())}
    return _List(files=kept).model_dump_json(indent=2) + "\n"


def _path(uri: str) -> Path:
    return Path(os.fsdecode(unquote_to_bytes(urlsplit(uri).path)))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
