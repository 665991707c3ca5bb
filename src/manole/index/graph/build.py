"""The map of one library: made at the first request, kept in memory, brought up to date.

The facts of a file are read when it is new or has changed; all that follows from them is made anew.
So the map after a sync is the one that would be made from nothing.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from manole.index.graph.edges import alike, references
from manole.index.graph.entities import entities, mentions
from manole.index.graph.model import ROOT, THRESHOLD, Edge, Facts, Graph, Node
from manole.index.store.protocol import PassageReader
from manole.index.store.records import Contents, FileRecord
from manole.text.words import STOP, fold

# Set by hand:
MOST = 2000  # things, and mentions, that are kept of one file; beyond, it is an address book
SAID = 50  # words that are kept of one file, the most frequent
_WORD = re.compile(r"[^\W\d_]{4,}")


class FileMap:
    """The map of a library. One computation runs at a time: others wait for it and share it."""

    def __init__(self) -> None:
        self._computing = asyncio.Lock()
        self._files: Sequence[FileRecord] | None = None
        self._facts: dict[str, Facts] = {}
        self._graph = Graph((), ())  # with every similarity, however low

    async def graph(
        self, store: PassageReader, files: Sequence[FileRecord], threshold: float = THRESHOLD
    ) -> Graph:
        """Return the map of all files with passages; `threshold` is the least cosine of an edge.

        `files` is every file of the index. Raises `StoreError`.
        """
        async with self._computing:
            known = [file for file in files if file.passages]
            kept = {f.id: self._facts[f.id] for f in known if self._held(f)}
            if len(kept) < len(known) or files != self._files:
                missing = [file for file in known if file.id not in kept]
                self._facts = kept | await _read(store, missing, len(known))
                self._graph = await asyncio.to_thread(_graph, known, self._facts)
                self._files = files
            graph = self._graph
        edges = (e for e in graph.edges if e.relation != "similarity" or e.weight >= threshold)
        return Graph(graph.nodes, tuple(edges))

    def _held(self, file: FileRecord) -> bool:
        """Return whether all facts of the current file are known: each passage has its vector."""
        facts = self._facts.get(file.id)
        return bool(facts and (facts.state, facts.vectors) == (_state(file), file.passages))


def _state(file: FileRecord) -> str:
    return f"{file.content_hash} {file.indexed_at}"


async def _read(store: PassageReader, files: Sequence[FileRecord], total: int) -> dict[str, Facts]:
    """Read the facts of these files, out of `total`, by their ids."""
    found = {file.id: Facts(_state(file)) for file in files}
    if files:
        ids = None if len(files) * 4 > total else list(found)
        async for part in store.scan_contents(ids):
            await asyncio.to_thread(_add, found, part)
    for item in found.values():
        item.things = set(sorted(item.things)[:MOST])
        item.mentions = set(sorted(item.mentions)[:MOST])
        words = sorted((-n, word) for word, n in item.said.items() if fold(word) not in STOP)
        item.words = frozenset(word for _, word in words[:SAID])
        item.said.clear()
    return found


def _add(found: dict[str, Facts], part: Contents) -> None:
    vectors = iter(part.vectors)
    for file_id, text, there in zip(part.file_ids, part.texts, part.embedded, strict=True):
        vector = next(vectors) if there else None
        if item := found.get(file_id):
            item.things.update(entities(text))
            item.mentions.update(mentions(text))
            item.said.update(_WORD.findall(text.lower()))
            # One of another width is of an embedder that another process has just chosen.
            if vector is not None and (item.total is None or item.total.shape == vector.shape):
                item.total = vector if item.total is None else item.total + vector
                item.vectors += 1


def _graph(known: Sequence[FileRecord], facts: dict[str, Facts]) -> Graph:
    """Join files; of two with one path, in two roots, the first stands for both."""
    files = {file.path: file for file in reversed(known)}
    folders = dict.fromkeys(folder for path in files for folder in _folders(path))
    nodes = [Node(p, "file", f.format, f.size, f.date, f.title) for p, f in files.items()]
    nodes += [Node(folder, "folder") for folder in folders]
    own = {path: facts[file.id] for path, file in files.items()}
    edges = [*alike(own), *references(own)]
    inner = (path for path in (*files, *folders) if path != ROOT)
    edges += [Edge(_folders(path)[0], path, "structure", 1.0) for path in inner]
    edges.sort(key=lambda e: (e.relation, -e.weight, e.source, e.target))
    return Graph(tuple(sorted(nodes, key=lambda node: node.id)), tuple(edges))


def _folders(path: str) -> list[str]:
    """Return the folders that a path lies in, the nearest first, the library's own last."""
    parts = path.rstrip("/").split("/")[:-1]
    return [*("/".join(parts[:n]) + "/" for n in range(len(parts), 0, -1)), ROOT]
