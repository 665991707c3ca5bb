"""A cache beside the index for values derived from contents, keyed by content hash.

Plans and fields of papers (`plan`), summaries the model wrote (`answer/extractive_summary`): each
can be made again, so that nothing here is ever needed, and what cannot be kept is made anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

NAME = "fields.sqlite3"


class Derived:
    """Texts under keys, in a library's index directory. Blocks: call it in a thread."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME

    def get(self, keys: Sequence[str]) -> dict[str, str]:
        """What is kept under `keys`; nothing when the store cannot be read."""
        if not keys or not self._path.exists():
            return {}
        try:
            with closing(_open(self._path)) as store:
                found: dict[str, str] = {}
                for start in range(0, len(keys), 500):
                    part = list(keys[start : start + 500])
                    marks = ",".join("?" * len(part))
                    query = f"SELECT key, value FROM fields WHERE key IN ({marks})"  # noqa: S608
                    found |= dict(store.execute(query, part).fetchall())
                return found
        except sqlite3.Error:
            return {}

    def put(self, values: Mapping[str, str]) -> None:
        """Keep `values`. What cannot be written is made anew next time."""
        if not values:
            return
        try:
            with closing(_open(self._path)) as store, store:
                store.executemany("INSERT OR REPLACE INTO fields VALUES (?, ?)", values.items())
        except sqlite3.Error:
            return


def _open(path: Path) -> sqlite3.Connection:
    store = sqlite3.connect(path, timeout=5)
    store.execute("CREATE TABLE IF NOT EXISTS fields (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    return store
