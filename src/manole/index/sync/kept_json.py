"""Answers that took seconds, kept as JSON files in a cache folder by the content of a file."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from manole.files import read_json, write_file

T = TypeVar("T")


class KeptJson:
    """The answers in `folder`: one file for each content and further key."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, digest: str, key: str, read: Callable[[Any], T]) -> T | None:
        """Return the answer about the content with this hash, read by `read`.

        `None` without an answer, if `read` refuses it, or if the content was never hashed.
        """
        if digest:
            return read_json(self._path(digest, key), read)
        return None

    def put(self, digest: str, key: str, answer: dict[str, Any]) -> None:
        """Keep an answer, if the content was hashed and the folder can be written."""
        if digest:
            with contextlib.suppress(OSError):
                text = json.dumps(answer, separators=(",", ":"))
                write_file(self._path(digest, key), text, make=True)

    def _path(self, digest: str, key: str) -> Path:
        return self._folder / digest[:2] / f"{digest}-{key}.json"


def short_hash(name: str) -> str:
    """Return eight characters for a model's name, as part of a file's name."""
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
