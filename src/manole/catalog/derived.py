"""A cache beside the index for values derived from contents, keyed by content hash.

It has plans and fields of papers (`plan`) and summaries that the model wrote
(`answer/extractive_summary`). Each can be made again, so errors of the cache are ignored.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

NAME = "fields.sqlite3"


class Derived:
    """Texts under keys, in a library's index directory. Blocks: call it in a thread."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME

    def get(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the values under `keys`; none if the cache cannot be read."""
        if not keys or not self._path.exists():
            return {}
        try:
            with closing(_open(self._path)) as store:
                query = (
                    "SELECT key, value FROM fields WHERE key IN (SELECT value FROM json_each(?))"
                )
                return dict(store.execute(query, [json.dumps(list(keys))]).fetchall())
        except sqlite3.Error:
            return {}

    def put(self, values: Mapping[str, str]) -> None:
        """Store `values`. A value that cannot be written is made again next time."""
        if not values:
            return
        with suppress(sqlite3.Error), closing(_open(self._path)) as store, store:
            store.executemany("INSERT OR REPLACE INTO fields VALUES (?, ?)", values.items())


def _open(path: Path) -> sqlite3.Connection:
    store = sqlite3.connect(path, timeout=5)
    store.execute("CREATE TABLE IF NOT EXISTS fields (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    return store
