"""The facts of each file that make the map: the mean of its vectors, the things its text names.

They are read from the file's passages once, and kept as long as its content is the same
(`state_of`). A file with passages that had no vector yet is read again.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from manole.index.graph.entities import Thing, entities, mentions
from manole.index.graph.similar import Whole, whole
from manole.index.store.records import Contents, FileRecord
from manole.text.words import STOP, fold

# Set by hand:
MOST = 2000  # things, and mentions, that are kept of one file; beyond, it is an address book
_WORD = re.compile(r"[^\W\d_]{4,}")
_NAMED = 3  # shared words that are named
_MOST_CHARS = 200_000  # characters of a text in which these are sought


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The facts of one file. `vectors` is the number of vectors behind `mean`."""

    state: str
    vectors: int
    mean: Whole | None
    things: tuple[Thing, ...]
    mentions: tuple[str, ...]

    def hold(self, file: FileRecord) -> bool:
        """Return whether the facts are complete and those of the current file."""
        return self.state == state_of(file) and self.vectors == file.passages


def state_of(file: FileRecord) -> str:
    """Return a text that changes whenever a file's passages do, and not with its name."""
    read = file.indexed_at.isoformat() if file.indexed_at else ""
    return f"{file.content_hash} {read}"


class Reading:
    """The gathering of facts of files, from batches of their passages in any order."""

    def __init__(self, files: Collection[FileRecord]) -> None:
        self._files = {file.id: file for file in files}
        self._sums: dict[str, npt.NDArray[np.float64]] = {}
        self._counts: dict[str, int] = defaultdict(int)
        self._things: dict[str, set[Thing]] = defaultdict(set)
        self._mentions: dict[str, set[str]] = defaultdict(set)

    def add(self, contents: Contents) -> None:
        """Add the passages of these files in a batch."""
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
        """Return the facts of every file, by its id."""
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


def words_in_common(text: str, others: Sequence[str]) -> list[str]:
    """Return for each of `others` the words that set it apart and that `text` has as well.

    As in `both say lentils, carrots`; "" without any. The words that the fewest others have come
    first; then the most frequent ones of `text`, then the longest.
    """
    own = Counter(_words(text))
    shared = [own.keys() & set(_words(other)) for other in others]
    spread = Counter(word for words in shared for word in words)
    found = []
    for words in shared:
        best = sorted(words, key=lambda word: (spread[word], -own[word], -len(word), word))
        found.append(f"both say {', '.join(best[:_NAMED])}" if best else "")
    return found


def _words(text: str) -> list[str]:
    found = (word.lower() for word in _WORD.findall(text[:_MOST_CHARS]))
    return [word for word in found if fold(word) not in STOP]
