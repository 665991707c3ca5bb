"""The map of files: which are alike, which name the same things, which lie together.

`FileMap` (`build.py`) makes the map of a library and brings it up to date: the facts of each file
(`facts.py`, `entities.py`) and the edges that follow from them (`joined.py`, `similar.py`).
"""

from manole.index.graph.build import FileMap
from manole.index.graph.model import Graph

__all__ = ["FileMap", "Graph"]
