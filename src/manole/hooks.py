"""What a plug-in may bring: one hook a line at the end of this file, each asked for by a name.

A plug-in is a Python package that names what it brings as entry points, in the group
`manole.HOOK`; `plugins/README.md` shows how. The name of an entry point is what a person writes:
the scheme of an address, a value of a setting, a section of settings, a command. A hook is looked
up only where something of that name is asked for, so whoever uses no plug-in does not pay for one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    import typer

    from manole.agent.conversations.backend import Backend
    from manole.agent.turn import StrategyKind
    from manole.documents.model import Document
    from manole.documents.opened import OpenFile
    from manole.index.store.page_records import PageEmbedder
    from manole.index.store.protocol import Embed, Store
    from manole.library import Library
    from manole.models.weights.cache import OnProgress
    from manole.settings import Section, Settings

T = TypeVar("T")
LOADED: dict[str, None] = {}  # packages in use, in order: `sentences` reads their `de.toml`


class Addresses(Protocol):
    """Libraries that lie elsewhere, by the scheme of their addresses."""

    async def open(self, address: str, settings: Settings) -> Library:
        """The library at an address, to be asked. Raises `UsageError`, `NotIndexedError`."""

    def make(
        self,
        documents: Sequence[str],
        index: str | None,
        settings: Settings,
        on_weights: OnProgress | None,
    ) -> Library:
        """The library of documents in folders or at addresses, to be synced; `index`: its own."""


class ConversationsKind(Protocol):
    """What keeps conversations, by the scheme of `conversations.database`."""

    def backend(self, address: str, library: str) -> Backend:
        """Those of a library. Raises `SettingsError` for an address that makes no sense."""

    def libraries(self, address: str) -> list[str]:
        """The libraries that have any there. Raises `ConversationError`."""


class Recordings(Protocol):
    """What reads and hears sound files and videos, in a worker; the one called `voice` is asked."""

    def at_hand(self, *, engine: bool) -> bool:
        """Whether sound can be decoded and, with `engine`, speech weights be run."""

    def read(self, file: OpenFile, format: str) -> Document:
        """A recording by its name, its tags and its length; its speech is read later."""

    def hear(
        self, file: OpenFile, start: float, weights: str | None, language: str
    ) -> dict[str, Any]:
        """What is said from second `start` on, as `manole.index.sync.recordings` reads it."""

    def check(self, weights: Path) -> None:
        """Raises `ModelError` where a file is no weights that can be run."""


class StoreKind(Protocol):
    """What keeps an index in a folder, by a value of `index.store`."""

    async def open(self, path: Path, settings: Settings, embed: Embed | None) -> Store:
        """The index in `path`; `embed` makes vectors that it does not keep. Raises `StoreError`."""

    async def discard(self, path: Path) -> None:
        """Remove what it keeps in `path`. Raises `IndexBusyError`."""


class Extra(NamedTuple):
    """What `pip install manole[NAME]` brings for a plug-in; `manole doctor` says if it is there."""

    modules: tuple[str, ...]  # that it needs
    gives: str  # as in "at hand, pages can be found by their looks"


class Hook(Generic[T]):
    """Finds what plug-ins bring, by name."""

    def __init__(self, name: str) -> None:
        self.group = f"manole.{name}"

    def names(self) -> list[str]:
        """What is there, without loading it."""
        return sorted(_named(self.group, tuple(sys.path)))

    def get(self, name: str) -> T | None:
        """What a plug-in brings under this name, loaded; `None` where none does."""
        entry = _named(self.group, tuple(sys.path)).get(name)
        if entry is None:
            return None
        brought: T = entry.load()
        package = entry.module.partition(".")[0]
        if hasattr(sys.modules[package], "__path__"):  # one file has no others beside it
            LOADED[package] = None
        return brought


@cache
def _named(group: str, path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """The entry points of a group; a look at every distribution on `path` takes 10 to 25 ms."""
    from importlib.metadata import entry_points  # 15 ms, when something is asked for

    return {entry.name: entry for entry in entry_points(group=group)}


ADDRESSES: Hook[Addresses] = Hook("addresses")
COMMANDS: Hook[typer.Typer] = Hook("commands")  # `manole NAME`
CONVERSATIONS: Hook[ConversationsKind] = Hook("conversations")
EXTRAS: Hook[Extra] = Hook("extras")
# A value of `index.pages`, NAME or NAME:MODEL, to what makes vectors of pages.
PAGES: Hook[Callable[[str, Settings], PageEmbedder]] = Hook("pages")
RECORDINGS: Hook[Recordings] = Hook("recordings")
SETTINGS: Hook[type[Section]] = Hook("settings")  # NAME.field in manole.toml
STORES: Hook[StoreKind] = Hook("stores")
STRATEGIES: Hook[StrategyKind] = Hook("strategies")  # a value of `agent.strategy`
