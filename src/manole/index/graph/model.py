"""The nodes and edges of a map of files, and the numbers that decide about edges."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Literal

Relation = Literal["similarity", "reference", "structure"]
ROOT = "/"  # the id of the library's own folder
Kind = Literal["e-mail", "file name", "tax number", "account", "company"]

# Set by hand:
THRESHOLD = 0.6  # cosine from which two files are alike
NEIGHBOURS = 10  # most similar files that a file is joined to
WEIGHTS: dict[Kind, float] = {  # the surer a thing joins two files, the higher
    "e-mail": 1.0,
    "file name": 1.0,
    "tax number": 0.9,
    "account": 0.8,
    "company": 0.7,
}


@dataclass(frozen=True, slots=True)
class Node:
    """A file, or a folder of the library.

    `id` is its path; folders end in `/`, and the library's own is `ROOT`. `size` is in
    bytes, `date` is the document's own; folders have neither.
    """

    id: str
    kind: Literal["file", "folder"]
    format: str | None = None
    size: int | None = None
    date: date | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation of two nodes. `weight` is from 0 to 1; `why` names what they share."""

    source: str
    target: str
    relation: Relation
    weight: float
    why: str = ""


@dataclass(frozen=True, slots=True)
class Graph:
    """The nodes in path order, and the edges, the heaviest of each relation first.

    `computed` is the time of that; it does not count when graphs are compared.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    computed: datetime = field(default_factory=lambda: datetime.now(UTC), compare=False)


@dataclass(frozen=True, slots=True)
class Alike:
    """A file that is like another one; `why` names what they have in common."""

    path: str
    similarity: float
    why: str
