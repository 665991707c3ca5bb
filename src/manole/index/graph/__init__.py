"""The map of files: which are alike, which name the same things, which lie together.

* similarity: the cosine of two files' mean passage vectors, from 0.6 on, for the ten nearest of
  each file (`similar.py`);
* reference: both name the same e-mail address, tax number, bank account or company, or one names
  the other file (`entities.py`, `build.py`);
* structure: a file lies in its folder, a folder in another.

`FileMap` (`build.py`) keeps the map of a library and brings it up to date; the facts it has read
stay beside the index (`cache.py`). `groups.py` finds communities, and `graphml.py` writes the map
for other programs (`manole graph --graphml`); the page of `manole serve` draws it.
"""

from manole.index.graph.build import FileMap
from manole.index.graph.model import Graph

__all__ = ["FileMap", "Graph"]
