"""The edges between files: those that are alike, and those that name the same or one another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import combinations

import numpy as np
import numpy.typing as npt

from manole.index.graph.entities import named
from manole.index.graph.model import NEIGHBOURS, UNLABELLED, WEIGHTS, Edge, Facts, Thing
from manole.text.words import caseless

# Set by hand:
COMMON = 25  # files
FEW = 5  # files that may share a thing however small the library is
_SHARE = 5  # of a library's files, one in so many may share a thing
_NAMED = 5  # things that an edge names
_SAID = 3  # words that an edge names
_BLOCK = 1 << 24  # cosines at once: 64 MB


def alike(facts: Mapping[str, Facts]) -> Iterator[Edge]:
    """Yield an edge for each file and its nearest ones, each pair once; `facts` are by path."""
    means = {path: item.total for path, item in facts.items() if item.total is not None}
    # Another width means another embedder, which has just replaced the first one.
    width = max(map(len, means.values()), default=0)
    norms = {path: np.linalg.norm(mean) for path, mean in means.items() if len(mean) == width}
    paths = sorted(path for path, norm in norms.items() if 0 < norm < np.inf)
    vectors = np.array([means[path] / norms[path] for path in paths], np.float32)
    spread = Counter(word for path in paths for word in facts[path].words)
    rank = {w: n for n, w in enumerate(sorted(spread, key=lambda w: (spread[w], -len(w), w)))}
    for (row, other), cosine in nearest(vectors).items():
        best = sorted(facts[paths[row]].words & facts[paths[other]].words, key=rank.__getitem__)
        why = f"both say {', '.join(best[:_SAID])}" if best else ""
        yield Edge(paths[row], paths[other], "similarity", round(cosine, 4), why)


def nearest(vectors: npt.NDArray[np.float32]) -> dict[tuple[int, int], float]:
    """Return the cosine of each unit vector (n x dimensions) and its nearest others, by their rows.

    All are compared with all: a second for 10,000 files, four for twice as many.
    """
    found = {}
    count, most = len(vectors), min(NEIGHBOURS, len(vectors) - 1)
    step = max(1, _BLOCK // max(count, 1))
    for at in range(0, count if most > 0 else 0, step):
        part = np.clip(vectors[at : at + step] @ vectors.T, -1, 1)
        np.fill_diagonal(part[:, at:], -2)
        best = np.argpartition(part, count - most, axis=1)[:, count - most :]
        for row, others in enumerate(best.tolist()):
            for other in others:
                pair = (min(at + row, other), max(at + row, other))
                found[pair] = float(part[row, other])
    return found


def references(facts: Mapping[str, Facts]) -> Iterator[Edge]:
    """Yield one edge for each two files that share things, as strong as the strongest of them.

    A thing that many files name says nothing: the person's own address would join them all. So a
    thing that more than `COMMON` files name is left out; in a small library, one that a fifth of
    them name.
    """
    joined: dict[tuple[str, ...], set[Thing]] = defaultdict(set)
    most = min(COMMON, max(FEW, len(facts) // _SHARE))
    for thing, holders in _holders(facts):
        for pair in combinations(sorted(holders), 2) if len(holders) <= most else ():
            joined[pair].add(thing)
    called = {path: caseless(path.rsplit("/", 1)[-1]) for path in facts}
    once = Counter(called.values())
    names = {name: path for path, name in called.items() if once[name] == 1}
    for path, item in facts.items():
        for target in filter(None, (named(mention, names) for mention in item.mentions)):
            if target != path:
                joined[tuple(sorted((path, target)))].add(("file name", target.split("/")[-1]))
    for (one, other), things in joined.items():
        ranked = sorted(things, key=lambda thing: (-WEIGHTS[thing[0]], thing))
        why = "; ".join(f"{kind} {name}" for kind, name in ranked[:_NAMED])
        yield Edge(one, other, "reference", WEIGHTS[ranked[0][0]], why)


def _holders(facts: Mapping[str, Facts]) -> Iterator[tuple[Thing, Collection[str]]]:
    """Yield each thing with the files that name it; capitals make no difference.

    A number without a label counts where another file has one before it.
    """
    holders: dict[Thing, dict[str, str]] = defaultdict(dict)  # by path, as written there
    for path, item in facts.items():
        for kind, name in sorted(item.things):
            holders[kind, name.casefold()].setdefault(path, name)
    for (kind, plain), held in holders.items():
        if kind == "tax number":
            held = held | holders.get((UNLABELLED, plain), {})
        if kind != UNLABELLED:
            yield (kind, min(held.values())), held
