"""What a plug-in may bring: one hook a line at the end of this file, each asked for by a name.

A plug-in is a Python package that names what it brings as entry points, in the group
`manole.HOOK`; `plugins/README.md` shows how. The name of an entry point is what a person writes:
the scheme of an address, a value of a setting, a section of settings, a command. A hook is looked
up only where something of that name is asked for, so whoever uses no plug-in does not pay for one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from manole.agent.conversations.backend import Backend
    from manole.index.store.page_records import PageEmbedder
    from manole.index.store.protocol import Embed, Store
    from manole.library import Library
    from manole.models.weights.cache import OnProgress
    from manole.settings import Section, Settings

T = TypeVar("T")
LOADED: dict[str, None] = {}  # packages in use, in order: `sentences` reads their `de.toml`


class Extra(NamedTuple):
    """What `pip install manole[NAME]` brings for a plug-in; `manole doctor` says if it is there."""

    modules: tuple[str, ...]  # that it needs
    gives: str  # as in "at hand, pages can be found by their looks"


class Addresses(Protocol):
    """Libraries that lie elsewhere; its name is the scheme of their addresses."""

    async def open(
        self, address: str, settings: Settings, *, on_weights: OnProgress | None = None
    ) -> Library:
        """The library at an address, to be asked. Raises `UsageError`, `NotIndexedError`."""
        ...

    def make(
        self,
        documents: Sequence[str],
        index: str | None,
        settings: Settings,
        *,
        on_weights: OnProgress | None = None,
    ) -> Library:
        """The library of documents in folders or at addresses, to be synced; `index`: its own."""
        ...


class ConversationsKind(Protocol):
    """Keeps conversations; its name is the scheme of addresses in `conversations.database`."""

    def backend(self, address: str, library: str) -> Backend:
        """Those of a library. Raises `SettingsError` for an address that makes no sense."""
        ...

    def libraries(self, address: str) -> list[str]:
        """The libraries that have any there. Raises `ConversationError`."""
        ...


class Pages(Protocol):
    """Loads what makes vectors of pages; its name is a value of `index.pages`."""

    def __call__(self, model: str, settings: Settings) -> PageEmbedder:
        """`model` follows a colon in that setting: which one, "" the usual. Raises `ModelError`."""
        ...


class StoreKind(Protocol):
    """What keeps an index in a folder; its name is a value of `index.store`."""

    async def open(self, path: Path, settings: Settings, embed: Embed | None) -> Store:
        """The index in `path`; `embed` makes vectors that it does not keep. Raises `StoreError`."""
        ...

    async def discard(self, path: Path) -> None:
        """Remove what it keeps in `path`. Raises `IndexBusyError`."""
        ...


class Hook(Generic[T]):
    """Finds what plug-ins bring, by name."""

    def __init__(self, name: str) -> None:
        self.group = f"manole.{name}"

    def names(self) -> list[str]:
        """What is there, without loading it."""
        return sorted(entry_points(group=self.group).names)

    def get(self, name: str) -> T | None:
        """What a plug-in brings under this name, loaded; `None` where none does."""
        for entry in entry_points(group=self.group, name=name):
            brought: T = entry.load()
            package = entry.module.partition(".")[0]
            if hasattr(sys.modules[package], "__path__"):  # one file has no others beside it
                LOADED[package] = None
            return brought
        return None


ADDRESSES: Hook[Addresses] = Hook("addresses")
CONVERSATIONS: Hook[ConversationsKind] = Hook("conversations")
EXTRAS: Hook[Extra] = Hook("extras")
PAGES: Hook[Pages] = Hook("pages")
STORES: Hook[StoreKind] = Hook("stores")
SETTINGS: Hook[type[Section]] = Hook("settings")
