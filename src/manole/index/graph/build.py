"""The map of one library: computed once, kept in memory and on disk, brought up to date.

The facts of a file (`facts.py`) are read when it is new or has changed, neighbours are searched
again where they may have changed (`similar.py`), and only what is cheap is made anew. So the map
after a sync equals one made from nothing; with many files, but for approximate neighbours.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

import numpy as np

from manole.index.graph.cache import FILE, Kept, load, save
from manole.index.graph.entities import Thing, named
from manole.index.graph.facts import FileFacts, Reading, words_in_common
from manole.index.graph.model import ROOT, THRESHOLD, WEIGHTS, Alike, Edge, Graph, Node
from manole.index.graph.similar import cosines, cosines_with, nearest, updated
from manole.index.store.protocol import PassageReader
from manole.index.store.records import FileRecord
from manole.text.words import caseless

# Set by hand:
_MANY = 4  # when one file in so many is to be read, all passages are read in one go
COMMON = 25  # files
FEW = 5  # files that may share a thing however small the library is
_SHARE = 5  # of a library's files, one in so many may share a thing
_NAMED = 5  # things that an edge names

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _State:
    """The facts of a library's files at one moment, whatever the threshold."""

    files: Sequence[FileRecord]
    kept: Kept
    shared: list[Edge]
    computed: datetime
    complete: bool  # every passage has its vector


class FileMap:
    """The map of the library with its index in `folder`; without that, it is not kept on disk.

    One computation runs at a time: other callers wait for it and get the same map.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._cache = folder / FILE if folder else None
        self._computing = asyncio.Lock()
        self._state: _State | None = None
        self._graph: tuple[_State, float, Graph] | None = None

    async def graph(
        self, store: PassageReader, files: Sequence[FileRecord], threshold: float = THRESHOLD
    ) -> Graph:
        """Return the map of all files with passages; `threshold` is the least cosine of an edge.

        `files` is every file of the index. The same list object means that nothing has changed.
        Raises `StoreError`.
        """
        state = await self._current(store, files)
        if self._graph is None or self._graph[0] is not state or self._graph[1] != threshold:
            graph = await asyncio.to_thread(_graph, state, threshold)
            self._graph = (state, threshold, graph)
        return self._graph[2]

    async def similar(
        self, store: PassageReader, files: Sequence[FileRecord], path: str, limit: int
    ) -> list[Alike]:
        """Return the `limit` files most like the one at `path`, and what they have in common.

        The file is compared with all others, however many. Empty for a file without text.
        """
        state = await self._current(store, files)
        found = await asyncio.to_thread(_alike, state, path, limit)
        if not found:
            return []
        ids = {file.path: file.id for file in reversed(files)}
        asked = [ids[name] for name in (path, *(item.path for item in found))]
        passages = await store.passages_of(asked)
        texts = ["\n".join(passage.text for passage in passages[file_id]) for file_id in asked]
        common = await asyncio.to_thread(words_in_common, texts[0], texts[1:])
        return [
            Alike(item.path, item.similarity, "; ".join(filter(None, (item.why, shared))))
            for item, shared in zip(found, common, strict=True)
        ]

    async def _current(self, store: PassageReader, files: Sequence[FileRecord]) -> _State:
        async with self._computing:
            state = self._state
            if state and (files is state.files or (state.complete and files == state.files)):
                return state
            kept = state.kept if state else None
            if kept is None and self._cache is not None:
                kept = await asyncio.to_thread(load, self._cache, store.embedder)
            read = [file for file in files if file.passages]
            facts = {
                file.id: kept.facts[file.id]
                for file in read
                if kept and file.id in kept.facts and kept.facts[file.id].hold(file)
            }
            fresh = await _read(store, [file for file in read if file.id not in facts], len(read))
            facts |= fresh
            self._state = await asyncio.to_thread(_state, files, facts, kept)
            if self._cache and (kept is None or fresh or facts.keys() != kept.facts.keys()):
                await asyncio.to_thread(save, self._cache, self._state.kept, store.embedder)
            return self._state


async def _read(
    store: PassageReader, files: Sequence[FileRecord], total: int
) -> dict[str, FileFacts]:
    """Read the facts of these files, out of `total`, from their passages."""
    reading = Reading(files)
    if files:
        ids = None if len(files) * _MANY > total else [file.id for file in files]
        async for contents in store.scan_contents(ids):
            await asyncio.to_thread(reading.add, contents)
    return reading.facts()


def _state(files: Sequence[FileRecord], facts: dict[str, FileFacts], before: Kept | None) -> _State:
    kept = _neighbouring(facts, before)
    paths = {file.id: file.path for file in files if file.id in facts}
    complete = all(facts[file.id].hold(file) for file in files if file.id in facts)
    return _State(files, kept, _references(facts, paths), datetime.now(UTC), complete)


def _neighbouring(facts: dict[str, FileFacts], before: Kept | None) -> Kept:
    """Add the neighbours of each file to the facts, starting from those of an earlier state."""
    means = {id_: item.mean for id_, item in facts.items() if item.mean is not None}
    width = max((len(mean) for mean in means.values()), default=1)
    # Another width means another embedder, which has just replaced the first one.
    ids = sorted(id_ for id_, mean in means.items() if len(mean) == width)
    vectors = np.stack([means[id_] for id_ in ids]) if ids else np.zeros((0, width), np.int16)
    if before is None or before.vectors.shape[1] != width:
        return Kept(facts, ids, vectors, nearest(vectors))
    rows = {file_id: row for row, file_id in enumerate(before.ids)}
    was = np.array(
        [rows[id_] if id_ in rows and facts[id_] is before.facts[id_] else -1 for id_ in ids],
        np.int32,
    )
    return Kept(facts, ids, vectors, updated(vectors, before.neighbours, was))


def _graph(state: _State, threshold: float) -> Graph:
    files: dict[str, FileRecord] = {}
    for file in state.files:
        if file.id in state.kept.facts:
            files.setdefault(file.path, file)  # another root may have one of the same name
    folders = dict.fromkeys(folder for path in files for folder in _folders(path))
    nodes = [
        Node(path, "file", file.format, file.size, file.date, file.title)
        for path, file in files.items()
    ]
    nodes += [Node(folder, "folder") for folder in folders]
    edges = [*_similar(state, threshold), *state.shared, *_structure([*files, *folders])]
    edges.sort(key=lambda e: (e.relation, -e.weight, e.source, e.target))
    return Graph(tuple(sorted(nodes, key=lambda node: node.id)), tuple(edges), state.computed)


def _similar(state: _State, threshold: float) -> Iterator[Edge]:
    """Return an edge for each file and its neighbours; each pair once."""
    kept = state.kept
    paths = {file.id: file.path for file in state.files}
    found = cosines(kept.vectors, kept.neighbours)
    weights: dict[tuple[str, str], float] = {}
    for row, column in np.argwhere((found >= threshold) & (kept.neighbours.rows >= 0)).tolist():
        one = paths[kept.ids[row]]
        other = paths[kept.ids[kept.neighbours.rows[row, column]]]
        if one != other:
            pair = (one, other) if one < other else (other, one)
            weights[pair] = max(weights.get(pair, 0.0), round(float(found[row, column]), 4))
    return (Edge(*pair, "similarity", weight) for pair, weight in weights.items())


def _alike(state: _State, path: str, limit: int) -> list[Alike]:
    """Return the files most like the one at `path`, and the things that both name."""
    kept = state.kept
    paths = {file.id: file.path for file in state.files}
    row = next((at for at, id_ in enumerate(kept.ids) if paths[id_] == path), None)
    if row is None:
        return []
    why = {
        edge.target if edge.source == path else edge.source: edge.why
        for edge in state.shared
        if path in (edge.source, edge.target)
    }
    worth = cosines_with(kept.vectors, kept.vectors[row])
    best: dict[str, Alike] = {}
    for at in np.argsort(-worth, kind="stable").tolist():
        other = paths[kept.ids[at]]
        if other != path and other not in best:
            best[other] = Alike(other, round(float(worth[at]), 4), why.get(other, ""))
            if len(best) == limit:
                break
    return list(best.values())


def _references(facts: Mapping[str, FileFacts], paths: Mapping[str, str]) -> list[Edge]:
    """Return an edge for each two files that share a thing. Both arguments are by file id.

    A thing that many files name says nothing: the person's own address would join them all. So a
    thing that more than `COMMON` files name is left out; in a small library, one that a fifth of
    them name.
    """
    joined: dict[Pair, set[Thing]] = defaultdict(set)
    most = min(COMMON, max(FEW, len(set(paths.values())) // _SHARE))
    for thing, holders in _holders(facts, paths).items():
        if 2 <= len(holders) <= most:
            for pair in combinations(sorted(holders), 2):
                joined[pair].add(thing)
    names = _names(paths.values())
    for file_id, path in paths.items():
        for mention in facts[file_id].mentions:
            target = named(mention, names)
            if target is not None and target != path:
                pair = (path, target) if path < target else (target, path)
                joined[pair].add(("file name", target.rsplit("/", 1)[-1]))
    return [_edge(pair, things) for pair, things in joined.items()]


def _holders(
    facts: Mapping[str, FileFacts], paths: Mapping[str, str]
) -> dict[Thing, frozenset[str]]:
    """Return the files that name each thing. Capitals make no difference in company names."""
    holders: dict[tuple[str, str], set[str]] = defaultdict(set)
    shown: dict[tuple[str, str], Thing] = {}
    for file_id, path in paths.items():
        for thing in facts[file_id].things:
            key = (thing[0], thing[1].casefold())
            holders[key].add(path)
            shown[key] = min(thing, shown.get(key, thing))
    return {shown[key]: frozenset(held) for key, held in holders.items()}


def _names(paths: Iterable[str]) -> dict[str, str]:
    """Return the path for each file name that only one file has."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        found[caseless(path.rsplit("/", 1)[-1])].add(path)
    return {name: next(iter(held)) for name, held in found.items() if len(held) == 1}


def _edge(pair: Pair, things: set[Thing]) -> Edge:
    """Return one edge for all that two files share, with the weight of the strongest thing."""
    ranked = sorted(things, key=lambda thing: (-WEIGHTS[thing[0]], thing))
    why = "; ".join(f"{kind} {name}" for kind, name in ranked[:_NAMED])
    return Edge(*pair, "reference", WEIGHTS[ranked[0][0]], why)


def _structure(paths: Iterable[str]) -> Iterator[Edge]:
    for path in paths:
        if path != ROOT:
            yield Edge(next(_folders(path.rstrip("/"))), path, "structure", 1.0)


def _folders(path: str) -> Iterator[str]:
    """Yield the folders that a path lies in, the nearest first, the library's own last."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield f"{path}/"
    yield ROOT
