"""The hooks of plug-ins: what a plug-in may bring, found by a name.

A plug-in is a Python package that names what it brings as entry points, in the group
`manole.HOOK`; `plugins/README.md` shows how. The name of an entry point is what a person writes:
the scheme of an address, a value of a setting, a section of settings, a command. A hook is looked
up only when something of that name is asked for, so unused plug-ins cost nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from configparser import ConfigParser
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from manole.agent.conversations.backend import ConversationsKind
    from manole.agent.turn import StrategyKind
    from manole.cli.library import Addresses
    from manole.documents.model import Document
    from manole.documents.opened import OpenFile
    from manole.index.store.opening import StoreKind
    from manole.index.sync.engines import Pages
    from manole.models.gpu.start import EngineKind
    from manole.settings import Section

T = TypeVar("T")
LOADED: dict[str, None] = {}  # packages in use, in order: `sentences` reads their `de.toml`


class Extra(NamedTuple):
    """What a plug-in needs from `pip install manole[NAME]`; `manole doctor` looks for it."""

    modules: tuple[str, ...]  # that the plug-in needs
    gives: str  # as in "at hand, pages can be found by their looks"


class Recordings(Protocol):
    """Reads and transcribes sound files and videos, in a worker. The hook's name is `voice`."""

    def at_hand(self, *, engine: bool) -> bool:
        """Return whether sound can be decoded and, with `engine`, speech weights be run."""

    def read(self, file: OpenFile, format: str) -> Document:
        """Read name, tags and length of a recording; its speech comes later."""

    def hear(
        self, file: OpenFile, start: float, weights: str | None, language: str
    ) -> dict[str, Any]:
        """Transcribe from second `start` on, as `manole.index.sync.recordings` reads it."""

    def check(self, weights: Path) -> None:
        """Raise `ModelError` for a file that is no weights that can be run."""


class Hook(Generic[T]):
    """Finds what plug-ins bring, by name."""

    def __init__(self, name: str) -> None:
        self.group = f"manole.{name}"

    def names(self) -> list[str]:
        """Return the names that plug-ins bring, without loading anything."""
        return sorted(self._brought())

    def get(self, name: str) -> T | None:
        """Load what a plug-in brings under this name; `None` if none does."""
        reference = self._brought().get(name)
        if reference is None:
            return None
        module, _, attribute = reference.partition(":")
        package = module.partition(".")[0]
        found: Any = import_module(module)
        if hasattr(sys.modules[package], "__path__"):  # one file has no others beside it
            LOADED[package] = None
        brought: T = getattr(found, attribute) if attribute else found
        return brought

    def _brought(self) -> dict[str, str]:
        return _installed(tuple(sys.path)).get(self.group, {})


@cache
def _installed(path: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Return `module:attribute` of our entry points in these folders, by group and name.

    `manole --help` waits for it, and `importlib.metadata` takes ten times as long.
    """
    found: dict[str, dict[str, str]] = {}
    for folder in filter(os.path.isdir, path):
        with suppress(PermissionError):
            for about in os.scandir(folder):
                if about.name.endswith(".dist-info"):
                    for group, entries in _entries(f"{about.path}/entry_points.txt").items():
                        found[group] = dict(entries) | found.get(group, {})  # the first one counts
    return found


def _entries(file: str) -> Mapping[str, Mapping[str, str]]:
    try:
        with open(file, encoding="utf-8") as opened:  # noqa: PTH123 - quicker than a `Path`
            text = opened.read()
    except OSError:  # most packages have no such file
        return {}
    if "[manole." not in text:
        return {}
    parser = ConfigParser(delimiters="=", interpolation=None, default_section="")
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # names as they are written
    parser.read_string(text)
    return parser


ADDRESSES: Hook[Addresses] = Hook("addresses")
COMMANDS: Hook[Callable[..., None]] = Hook("commands")  # what Typer makes a command of
CONVERSATIONS: Hook[ConversationsKind] = Hook("conversations")
ENGINES: Hook[EngineKind] = Hook("engines")  # "compiled": llama.cpp's server, made here
EXTRAS: Hook[Extra] = Hook("extras")
MODEL_COMMANDS: Hook[Callable[..., None]] = Hook("model_commands")  # `manole models NAME`
PAGES: Hook[Pages] = Hook("pages")
RECORDINGS: Hook[Recordings] = Hook("recordings")
STORES: Hook[StoreKind] = Hook("stores")
SETTINGS: Hook[type[Section]] = Hook("settings")
STRATEGIES: Hook[StrategyKind] = Hook("strategies")
