"""Importing LanceDB in half the time.

LanceDB imports a REST client for remote catalogues, `lance_namespace_urllib3_client`. Building its
request checkers takes 0.7 of the 1.5 seconds that the import costs, and an embedded store makes no
request. So while LanceDB is imported, the modules of that client's `api` are replaced by empty
ones. Its data classes, which LanceDB does use, stay as they are. Where the client is not there, or
is laid out in another way, nothing is replaced and the import just takes longer.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

UNUSED = "lance_namespace_urllib3_client.api"


class _Empty(ModuleType):
    """A module in which every public name is an empty class."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("_"):
            raise AttributeError(name)
        return type(name, (), {})


class _Finder(MetaPathFinder, Loader):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == UNUSED or fullname.startswith(f"{UNUSED}."):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Empty(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run."""


def import_lancedb() -> None:
    """Import `lancedb`, unless it is imported already."""
    if "lancedb" in sys.modules:
        return
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        importlib.import_module("lancedb")
    finally:
        sys.meta_path.remove(finder)
