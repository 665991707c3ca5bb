"""Small files that remember what was seen or measured, each written in one piece."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from manole import private
from manole.models.weights.files import is_own, write_whole

Kept = TypeVar("Kept", bound=BaseModel)


def read_kept(file: Path, kind: type[Kept]) -> Kept:
    """What `file` remembers; an empty `kind` where it is missing, damaged or not this user's."""
    try:
        return kind.model_validate_json(file.read_bytes() if is_own(file) else "{}")
    except (OSError, ValidationError):
        return kind()


def write_kept(file: Path, kept: BaseModel) -> None:
    """Replace `file`, in a folder that is made if need be. Raises `OSError`."""
    private.make(file.parent)
    write_whole(file, kept.model_dump_json(indent=2))
