"""Evaluated prompt prefixes on disk, so that a new process need not read them again.

A prefix is a system message with its worked examples, as the model's template renders them: the
same in every call of its kind, and without any of the user's documents or words. The engine writes
and reads the files (llama.cpp's slot save and restore); this module names them, vouches for them
and bounds them.

A file belongs to one model, one engine version and one way of storing keys and values: all that
is in its name. Beside it stands a record with its SHA-256, and only a file that still has that
hash is given to the engine, which would take in damaged numbers without complaint.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from manole import private
from manole.models.weights.files import sha256_of, write_whole

MAX_BYTES = 512 * 2**20


@dataclass(frozen=True, slots=True)
class Prefixes:
    """The prefixes kept in `folder` for one engine, which `identity` tells from all others."""

    folder: Path
    identity: str
    max_bytes: int = MAX_BYTES

    @classmethod
    def at(cls, folder: Path, identity: str) -> Prefixes | None:
        """The store at `folder`, which is made; `None` where the disk does not allow it."""
        try:
            private.make(folder)
        except OSError:
            return None
        return cls(folder, identity) if os.access(folder, os.W_OK) else None

    def name(self, prefix: str) -> str:
        """The file name for a prefix's text."""
        key = f"{self.identity}\n{prefix}".encode()
        return f"{hashlib.sha256(key).hexdigest()[:40]}.kv"

    def draft(self, name: str) -> str:
        """A file name to write to first; no two processes share it."""
        return f"{name}.{os.getpid()}.new"

    def find(self, name: str) -> bool:
        """Whether the file is there and unharmed. A damaged one is removed."""
        path = self.folder / name
        try:
            record = json.loads(_record(path).read_text("utf-8"))
            good = record["sha256"] == sha256_of(path)
        except (OSError, ValueError, KeyError, TypeError):
            good = False
        if not good:
            self._drop(path)
            return False
        with contextlib.suppress(OSError):
            os.utime(path)  # the least recently used go first
        return True

    def keep(self, name: str) -> bool:
        """Take over what the engine wrote under the draft's name. False when that fails."""
        path, fresh = self.folder / name, self.folder / self.draft(name)
        try:
            text = json.dumps({"sha256": sha256_of(fresh), "size": fresh.stat().st_size})
            # The record of the older file, if any, does not fit the newer one for a moment:
            # whoever looks then takes the file for damaged and evaluates the prefix anew.
            private.settle(fresh)
            fresh.replace(path)
            write_whole(_record(path), text)
        except OSError:
            self._drop(fresh)
            return False
        self._prune(keep=path)
        return True

    def discard(self, name: str) -> None:
        """Remove what the engine wrote under the draft's name."""
        self._drop(self.folder / self.draft(name))

    def _prune(self, keep: Path) -> None:
        """Remove the least recently used files until the folder fits its bound."""
        sized = []
        for path in self.folder.iterdir():
            with contextlib.suppress(OSError):
                if path.suffix != ".json":
                    stat = path.stat()
                    sized.append((path == keep, stat.st_mtime, stat.st_size, path))
        total = sum(size for _, _, size, _ in sized)
        for kept, _, size, path in sorted(sized):
            if kept or total <= self.max_bytes:
                break
            self._drop(path)
            total -= size

    def _drop(self, path: Path) -> None:
        for gone in (path, _record(path)):
            with contextlib.suppress(OSError):
                gone.unlink(missing_ok=True)


def _record(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")
