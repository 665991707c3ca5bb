"""What the map knows of each file: the mean of its vectors, and what its text names.

It is read from the file's passages once, and kept for as long as the file's content stays as it is
(`state_of`). A file whose passages had not all a vector yet is read again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from manole.index.graph.entities import Thing, entities, mentions
from manole.index.graph.similar import Whole, whole
from manole.index.store.records import Contents, FileRecord

MOST = 2000  # things, and mentions, that are kept of one file: an address book has no more to say


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What one file says. `vectors` is how many the mean is made of."""

    state: str
    vectors: int
    mean: Whole | None
    things: tuple[Thing, ...]
    mentions: tuple[str, ...]

    def hold(self, file: FileRecord) -> bool:
        """Whether they are those of the file as it is now, and complete."""
        return self.state == state_of(file) and self.vectors == file.passages


def state_of(file: FileRecord) -> str:
    """What changes whenever a file's passages do, and not with its name."""
    read = file.indexed_at.isoformat() if file.indexed_at else ""
    return f"{file.content_hash} {read}"


class Reading:
    """Gathers the facts of files from batches of their passages, in whatever order these come."""

    def __init__(self, files: Collection[FileRecord]) -> None:
        self._files = {file.id: file for file in files}
        self._sums: dict[str, npt.NDArray[np.float64]] = {}
        self._counts: dict[str, int] = defaultdict(int)
        self._things: dict[str, set[Thing]] = defaultdict(set)
        self._mentions: dict[str, set[str]] = defaultdict(set)

    def add(self, contents: Contents) -> None:
        """Take in a batch; passages of other files are left out."""
        for file_id, text in zip(contents.file_ids, contents.texts, strict=True):
            if file_id in self._files:
                self._things[file_id].update(entities(text))
                self._mentions[file_id].update(mentions(text))
        ids = [
            file_id
            for file_id, there in zip(contents.file_ids, contents.embedded, strict=True)
            if there
        ]
        self._add_vectors(ids, contents.vectors.astype(np.float64))

    def _add_vectors(self, ids: list[str], vectors: npt.NDArray[np.float64]) -> None:
        numbers = {file_id: number for number, file_id in enumerate(dict.fromkeys(ids))}
        of = np.array([numbers[file_id] for file_id in ids], np.int64)
        order = np.argsort(of, kind="stable")
        starts = np.flatnonzero(np.diff(of[order], prepend=-1))
        sums = np.add.reduceat(vectors[order], starts, axis=0) if ids else vectors
        counts = np.diff(starts, append=len(ids))
        for file_id, vector, count in zip(numbers, sums, counts.tolist(), strict=True):
            if file_id not in self._files:
                continue
            before = self._sums.get(file_id)
            if before is not None and before.shape != vector.shape:
                continue  # another process is changing the embedder: not complete, read again
            self._sums[file_id] = vector if before is None else before + vector
            self._counts[file_id] += count

    def facts(self) -> dict[str, FileFacts]:
        """Those of every file, by its id."""
        return {file_id: self._facts(file) for file_id, file in self._files.items()}

    def _facts(self, file: FileRecord) -> FileFacts:
        total = self._sums.get(file.id)
        return FileFacts(
            state_of(file),
            self._counts[file.id],
            None if total is None else whole(total),
            tuple(sorted(self._things[file.id])[:MOST]),
            tuple(sorted(self._mentions[file.id])[:MOST]),
        )
