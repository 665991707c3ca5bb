"""The map of files: which are alike, which speak of the same things, which lie together.

Three relations, those of seed 004:

* similarity: the cosine of two files' mean passage vectors, from 0.6 on;
* reference: both name the same e-mail address, tax number, bank account or company, or one names
  the other file. What many files name (the person's own address) tells nothing and is left out;
* structure: a file lies in its folder, a folder in another.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from manole.documents.fields.issuers import LEGAL_FORM
from manole.index.store import FileRecord, PassageRecord, Store, Vectors

Relation = Literal["similarity", "reference", "structure"]

THRESHOLD = 0.6  # of similarity
NEIGHBOURS = 10  # most similar files that a file is joined to
WEIGHTS = {"e-mail": 1.0, "file name": 1.0, "tax number": 0.9, "account": 0.8, "company": 0.7}
_COMMON = 25  # files; what more of them name says nothing
_BLOCK = 1024  # files that are compared with all others at once

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{2,63})+")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_TAX = re.compile(
    r"\b(?:USt-?Id(?:-?Nr)?|VAT(?: (?:no|number|reg|id))*|TVA|BTW|GST(?:IN)?|Steuer-?Nr|"
    r"Steuernummer|tax (?:id|no|number))\b[.:# ]{0,4}([A-Z]{0,3}[ ]?\d[\d /.-]{5,16}\d)",
    re.IGNORECASE,
)
_COMPANY = re.compile(
    r"(?<!\w)([A-ZÀ-Þ][\w&.’'-]{0,40}[ ](?:(?:(?:und|and|&|et|of|de|van|von)[ ])?"
    rf"[A-ZÀ-Þ][\w&.’'-]{{0,40}}[ ]){{0,3}})(?={LEGAL_FORM.pattern})"
)


@dataclass(frozen=True, slots=True)
class Node:
    """A file, or a folder of the library. `id` is its path; folders end in `/`."""

    id: str
    kind: Literal["file", "folder"]


@dataclass(frozen=True, slots=True)
class Edge:
    """Two nodes and what joins them. `weight` is from 0 to 1; `why` names what they share."""

    source: str
    target: str
    relation: Relation
    weight: float
    why: str = ""


@dataclass(frozen=True, slots=True)
class Graph:
    """The nodes in path order, and the edges, the heaviest of each relation first."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


async def graph_of(store: Store, threshold: float = THRESHOLD) -> Graph:
    """The graph of every file that has been read."""
    files = [file for file in await store.files() if file.passages]
    paths = {file.id: file.path for file in files}
    means = await _means(store.scan_vectors())
    alike = await asyncio.to_thread(lambda: list(_similar(paths, means, threshold)))
    shared = await _references(store.scan_texts(), files)
    folders = dict.fromkeys(folder for file in files for folder in _folders(file.path))
    nodes = [*(Node(path, "file") for path in dict.fromkeys(paths.values()))]
    nodes += [Node(folder, "folder") for folder in folders]
    edges = [*alike, *shared, *_structure([*paths.values(), *folders])]
    edges.sort(key=lambda e: (e.relation, -e.weight, e.source, e.target))
    return Graph(tuple(sorted(nodes, key=lambda node: node.id)), tuple(edges))


async def _means(vectors: AsyncIterator[tuple[list[str], Vectors]]) -> dict[str, Vectors]:
    """Each file's mean passage vector, of unit length."""
    sums: dict[str, Vectors] = {}
    async for ids, batch in vectors:
        for id_, vector in zip(ids, batch, strict=True):
            sums[id_] = sums[id_] + vector if id_ in sums else vector.copy()
    return {
        id_: vector / length
        for id_, vector in sums.items()
        if (length := float(np.linalg.norm(vector))) > 0
    }


def _similar(paths: dict[str, str], means: dict[str, Vectors], threshold: float) -> Iterator[Edge]:
    """Each file with the nearest others; a pair once."""
    ids = [id_ for id_ in paths if id_ in means]
    if len(ids) < 2:
        return
    matrix = np.stack([means[id_] for id_ in ids])
    most = min(NEIGHBOURS, len(ids) - 1)
    seen: set[tuple[int, int]] = set()
    for start in range(0, len(ids), _BLOCK):
        scores = matrix[start : start + _BLOCK] @ matrix.T
        for row, at in zip(scores, range(start, len(ids)), strict=False):
            row[at] = -1.0
            for other in np.argpartition(row, -most)[-most:].tolist():
                pair = (min(at, other), max(at, other))
                if row[other] < threshold or pair in seen:
                    continue
                seen.add(pair)
                weight = min(round(float(row[other]), 4), 1.0)
                yield Edge(paths[ids[pair[0]]], paths[ids[pair[1]]], "similarity", weight)


async def _references(
    passages: AsyncIterator[PassageRecord], files: Sequence[FileRecord]
) -> list[Edge]:
    """Pairs of files that name the same thing, or of which one names the other."""
    names: dict[str, list[str]] = defaultdict(list)
    for file in files:
        names[file.path.rsplit("/", 1)[-1].casefold()].append(file.path)
    known = {name: found[0] for name, found in names.items() if len(found) == 1 and "." in name}
    suffixes = {re.escape(name.rsplit(".", 1)[-1]) for name in known}
    named = re.compile(rf"[\w.()+-]+\.(?:{'|'.join(suffixes)})\b", re.I) if suffixes else None
    holders: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    joined: dict[tuple[str, str], dict[tuple[str, str], None]] = defaultdict(dict)
    async for passage in passages:
        for thing in entities(passage.text):
            holders[thing][passage.path] = None
        for match in named.finditer(passage.text) if named else ():
            target = known.get(match[0].casefold())
            if target and target != passage.path:
                joined[_pair(passage.path, target)]["file name", match[0]] = None
    for thing, paths in holders.items():
        if 2 <= len(paths) <= _COMMON:
            for one, other in combinations(paths, 2):
                joined[_pair(one, other)][thing] = None
    return [_reference(*pair, things) for pair, things in joined.items()]


def _reference(one: str, other: str, things: Iterable[tuple[str, str]]) -> Edge:
    """One edge for all that two files share: the weight of the strongest."""
    ranked = sorted(things, key=lambda thing: (-WEIGHTS[thing[0]], thing))
    why = "; ".join(f"{kind} {value}" for kind, value in ranked[:5])
    return Edge(one, other, "reference", WEIGHTS[ranked[0][0]], why)


def entities(text: str) -> Iterator[tuple[str, str]]:
    """What a text names that another file may name, too: its kind, and its plain form."""
    for match in _EMAIL.finditer(text):
        yield "e-mail", match[0].casefold()
    for match in _IBAN.finditer(text):
        plain = match[0].replace(" ", "")
        if is_iban(plain):
            yield "account", plain
    for match in _TAX.finditer(text):
        yield "tax number", re.sub(r"[\W_]", "", match[1]).upper()
    for match in _COMPANY.finditer(text):
        yield "company", match[1].strip()


def is_iban(plain: str) -> bool:
    """Whether the check digits of an account number fit (ISO 13616)."""
    turned = plain[4:] + plain[:4]
    return 15 <= len(plain) <= 34 and int("".join(str(int(c, 36)) for c in turned)) % 97 == 1


def _structure(paths: Iterable[str]) -> Iterator[Edge]:
    for path in paths:
        parent = next(iter(_folders(path.rstrip("/"))), None)
        if parent:
            yield Edge(parent, path, "structure", 1.0)


def _folders(path: str) -> Iterator[str]:
    """The folders a path lies in, the nearest first."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield f"{path}/"


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)
