"""The small files beside an index's tables, mirrored in a folder of this machine.

So `meta.json`, the measurements of the vector index and the vocabulary are read as files, wherever
the index lies. `pull` fetches what changed, `push` uploads what this process wrote.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from manole import private
from manole.files import write_file
from manole.index.store.lance_tables import SETTLED
from manole.index.store.libraries import META
from manole.index.store.vector_index import FILE as VECTORS
from manole.index.store.vocabulary import FILE as VOCABULARY
from manole_cluster.bucket import Bucket

NAMES = (META, VECTORS, VOCABULARY)
EVERY = 1.0  # seconds between two looks; set by hand


class Notes:
    """The files `NAMES` of `bucket`, in `folder`."""

    def __init__(self, bucket: Bucket, folder: Path) -> None:
        self._bucket = bucket
        self._folder = folder
        self._tags: dict[str, str] = {}
        self._pulled = float("-inf")
        self._lock = asyncio.Lock()

    async def pull(self, *, now: bool = False) -> None:
        """Fetch what has changed; at most once a second, unless `now`."""
        async with self._lock:
            if now or time.monotonic() - self._pulled >= EVERY:
                await asyncio.to_thread(self.pull_all)
                self._pulled = time.monotonic()

    def pull_all(self) -> None:
        """Fetch what has changed."""
        private.make(self._folder)
        for name in NAMES:
            head = self._bucket.head(name)
            place = self._folder / name
            if head is None:
                place.unlink(missing_ok=True)
                self._tags.pop(name, None)
            elif self._tags.get(name) != head.tag or not place.exists():
                found = self._bucket.get(name)
                if found is not None:
                    write_file(place, found[0])
                    self._tags[name] = found[1].tag

    def push(self, name: str) -> None:
        """Upload a file to the bucket; remove one there that is gone here."""
        place = self._folder / name
        if not place.exists():
            self._bucket.remove(name)
            self._tags.pop(name, None)
            return
        self._tags[name] = self._bucket.put(name, place.read_bytes()).tag

    def settled(self) -> bytes | None:
        """Remove and return the note of the last completed sync."""
        found = self._bucket.get(SETTLED)
        if found is not None:
            self._bucket.remove(SETTLED)
        return found[0] if found else None

    def settle(self, note: bytes) -> None:
        """Leave the note of a completed sync."""
        self._bucket.put(SETTLED, note)
