"""The nodes and edges of a map of files, and the numbers that decide about edges."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

import numpy as np
import numpy.typing as npt

Relation = Literal["similarity", "reference", "structure"]
ROOT = "/"  # the id of the library's own folder
Thing = tuple[str, str]  # a kind, and the plain form

# Set by hand:
THRESHOLD = 0.6  # cosine from which two files are alike
NEIGHBOURS = 10  # most similar files that a file is joined to
WEIGHTS = {  # the surer a thing joins two files, the higher
    "e-mail": 1.0,
    "file name": 1.0,
    "tax number": 0.9,
    "account": 0.8,
    "company": 0.7,
}
UNLABELLED = "unlabelled"  # a number that is a tax number if another file calls it so


@dataclass(slots=True)
class Facts:
    """What is known of one file; `vectors` is the number of vectors behind `total`, their sum."""

    state: str  # of its content
    vectors: int = 0
    total: npt.NDArray[np.float32] | None = None
    things: set[Thing] = field(default_factory=set)
    mentions: set[str] = field(default_factory=set)  # perhaps names of files
    said: Counter[str] = field(default_factory=Counter)  # while its words are counted
    words: frozenset[str] = frozenset()  # said most


@dataclass(frozen=True, slots=True)
class Node:
    """A file, or a folder of the library."""

    id: str  # its path; folders end in `/`, and the library's own is `ROOT`
    kind: Literal["file", "folder"]
    format: str | None = None
    size: int | None = None  # bytes
    date: date | None = None  # the document's own
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
    """The nodes in path order, and the edges, the heaviest of each relation first."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
