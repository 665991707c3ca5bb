"""Finds files that name the same thing, and files that name one another.

A thing that many files name says nothing: the person's own address would join them all. So a thing
that more than `COMMON` files name is left out, in a small library one that a fifth of them name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations

from manole.index.graph.entities import Thing, named
from manole.index.graph.facts import FileFacts
from manole.index.graph.model import WEIGHTS, Edge
from manole.text.words import caseless

COMMON = 25  # files
FEW = 5  # files that may share a thing however small the library is
_SHARE = 5  # a library's files for each that may share a thing
_TOLD = 5  # things that an edge names

Pair = tuple[str, str]


def references(facts: Mapping[str, FileFacts], paths: Mapping[str, str]) -> list[Edge]:
    """Return an edge for each two files that share a thing. Both arguments are by file id."""
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
    why = "; ".join(f"{kind} {name}" for kind, name in ranked[:_TOLD])
    return Edge(*pair, "reference", WEIGHTS[ranked[0][0]], why)
