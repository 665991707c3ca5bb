"""Manole answers questions about a person's own files with a small model on their own machine.

The public interface is small enough to remember::

    from manole import Agent, Library, Settings

Importing the package loads neither the store nor a model: each name is looked up on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import manole.quiet  # noqa: F401  before anything that could load a dependency

__version__ = "1.0.0"

_HOME = {
    "Agent": "manole.agent.loop",
    "Library": "manole.library",
    "ManoleError": "manole.errors",
    "Settings": "manole.settings",
}

__all__ = ["Agent", "Library", "ManoleError", "Settings", "__version__"]

if TYPE_CHECKING:
    from manole.agent.loop import Agent
    from manole.errors import ManoleError
    from manole.library import Library
    from manole.settings import Settings


def __getattr__(name: str) -> Any:
    """Import a public name from its module the first time it is asked for."""
    if name not in _HOME:
        raise AttributeError(f"module 'manole' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
