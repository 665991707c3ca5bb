"""The import of LanceDB in less than half the time.

LanceDB imports the client of remote catalogues, `lance_namespace_urllib3_client`, at the top of its
modules: some hundred and sixty modules of request and response classes, which cost more than the
rest of LanceDB together. Without them the import takes 0.4 s of computing instead of 1.0 (LanceDB
0.40, two cores). An embedded store makes no request and uses two or three of the classes. So while
LanceDB is imported, stand-ins replace the modules of that client: a class in them is imported from
its own module when it is first called. If the client is missing or laid out differently, the import
just takes longer.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

CLIENT = "lance_namespace_urllib3_client"


class _StandIn(ModuleType):
    """A module in which every public name is a class that becomes the real one when called."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("_"):
            raise AttributeError(name)
        if name.endswith(("Exception", "Error")):  # an `except` clause may name it
            return type(name, (Exception,), {})
        return type(name, (), {"__new__": lambda cls, *a, **k: _real(cls.__name__)(*a, **k)})


def _real(name: str) -> Any:
    """Return the client's class `name`, from its own module: `ListTablesResponse` of `models`."""
    module = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    return getattr(importlib.import_module(f"{CLIENT}.models.{module}"), name)


class _Finder(MetaPathFinder, Loader):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != CLIENT and not fullname.startswith(f"{CLIENT}."):
            return None
        real = PathFinder.find_spec(fullname, path)
        if real is None:
            return None
        spec = ModuleSpec(fullname, self, is_package=real.submodule_search_locations is not None)
        spec.submodule_search_locations = real.submodule_search_locations
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run."""


def import_lancedb() -> None:
    """Import `lancedb`, unless it is imported already.

    The list of finders is replaced, not changed: another thread may be iterating over it for an
    import of its own, and would skip a finder that moves up when one is removed.
    """
    if "lancedb" in sys.modules:
        return
    finder = _Finder()
    sys.meta_path = [finder, *sys.meta_path]
    try:
        importlib.import_module("lancedb")
    finally:
        sys.meta_path = [other for other in sys.meta_path if other is not finder]
