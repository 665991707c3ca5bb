"""Evaluated prompt prefixes on disk, so that a new process need not read them again.

A prefix is a system message with its worked examples, as the model's template renders them: the
same in every call of its kind, and without any of the user's documents or words. The engine writes
and reads the files (llama.cpp's slot save and restore); this module names, checks and bounds them.

A file belongs to one model, one version of the engine and one type of keys and values; its name is
a hash of these and of the text. A record beside it has its SHA-256. The engine would load damaged
numbers without an error, so it only gets a file that still has that hash.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from manole import private
from manole.files import read_json, write_file
from manole.models.weights.files import sha256_of

MAX_BYTES = 512 * 2**20  # of all kept files; set by hand


@dataclass(frozen=True, slots=True)
class Prefixes:
    """The prefixes kept in `folder` for the engine that `identity` names."""

    folder: Path
    identity: str

    @classmethod
    def at(cls, folder: Path, identity: str) -> Prefixes | None:
        """Make `folder` and return its store; `None` if the disk does not allow it."""
        try:
            private.make(folder)
        except OSError:
            return None
        return cls(folder, identity) if os.access(folder, os.W_OK) else None

    def name(self, prefix: str) -> str:
        """Return the name of the file for a prefix's text."""
        key = f"{self.identity}\n{prefix}".encode()
        return f"{hashlib.sha256(key).hexdigest()[:40]}.kv"

    def draft(self, name: str) -> str:
        """Return the name to write to first; no two processes share it."""
        return f"{name}.{os.getpid()}.new"

    def find(self, name: str) -> bool:
        """Return whether the file is there and whole; remove a damaged one."""
        path = self.folder / name
        if not read_json(_record(path), lambda record: record["sha256"] == sha256_of(path)):
            self._drop(path)
            return False
        with contextlib.suppress(OSError):
            os.utime(path)  # the least recently used files go first
        return True

    def keep(self, name: str) -> bool:
        """Put the engine's draft in place; return whether that worked."""
        path, fresh = self.folder / name, self.folder / self.draft(name)
        try:
            text = json.dumps({"sha256": sha256_of(fresh), "size": fresh.stat().st_size})
            # For a moment the record is that of an older file: another process then takes the
            # file for damaged and evaluates the prefix anew.
            fresh.replace(path)
            write_file(_record(path), text)
        except OSError:
            self._drop(fresh)
            return False
        self._prune(keep=path)
        return True

    def discard(self, name: str) -> None:
        """Remove the engine's draft."""
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
            if kept or total <= MAX_BYTES:
                break
            self._drop(path)
            total -= size

    def _drop(self, path: Path) -> None:
        for gone in (path, _record(path)):
            with contextlib.suppress(OSError):
                gone.unlink(missing_ok=True)


def _record(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")
