"""What a plug-in may bring: one hook a line at the end of this file, each asked for by a name.

A plug-in is a Python package that names what it brings as entry points, in the group
`manole.HOOK`; `plugins/README.md` shows how. The name of an entry point is what a person writes:
the scheme of an address, a value of a setting, a section of settings, a command. A hook is looked
up only where something of that name is asked for, so whoever uses no plug-in does not pay for one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

    from manole.agent.conversations.backend import Backend
    from manole.agent.turn import ModelSource, Strategy
    from manole.documents.model import Document
    from manole.documents.opened import OpenFile
    from manole.index.store.page_records import PageEmbedder
    from manole.index.store.protocol import Store
    from manole.index.store.records import Embed
    from manole.library import Library
    from manole.models.engine.llamaserver import LlamaServer
    from manole.models.engine.options import EngineOptions
    from manole.models.engine.prefixes import Prefixes
    from manole.models.weights.cache import OnProgress
    from manole.settings import ModelSettings, Section, Settings

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


class EngineKind(Protocol):
    """Starts an engine that is not the one of the package; its name says what kind of program."""

    async def __call__(
        self,
        name: str,
        path: Path,
        settings: ModelSettings,
        options: EngineOptions,
        prefixes: Prefixes | None = None,
    ) -> LlamaServer:
        """The program `options.native` with the weights at `path`. Raises `ModelError`."""
        ...


class Recordings(Protocol):
    """Reads and hears sound files and videos, in a worker; the one called `voice` is asked."""

    def at_hand(self, *, engine: bool) -> bool:
        """Whether sound can be decoded and, with `engine`, speech weights be run."""
        ...

    def read(self, file: OpenFile, format: str) -> Document:
        """A recording by its name, its tags and its length; its speech is read later."""
        ...

    def hear(
        self, file: OpenFile, start: float, weights: str | None, language: str
    ) -> dict[str, Any]:
        """What is said from second `start` on, as `manole.index.sync.recordings` reads it."""
        ...

    def check(self, weights: Path) -> None:
        """Raises `ModelError` where a file is no weights that can be run."""
        ...


class StoreKind(Protocol):
    """What keeps an index in a folder; its name is a value of `index.store`."""

    async def open(self, path: Path, settings: Settings, embed: Embed | None) -> Store:
        """The index in `path`; `embed` makes vectors that it does not keep. Raises `StoreError`."""
        ...

    async def discard(self, path: Path) -> None:
        """Remove what it keeps in `path`. Raises `IndexBusyError`."""
        ...


class StrategyKind(Protocol):
    """Makes a way from a question to an answer, such as a `manole.agent.turn.TurnStrategy`."""

    def __call__(
        self,
        library: Library,
        model: ModelSource,
        settings: Settings,
        /,
        *,
        today: Callable[[], date] = date.today,
    ) -> Strategy:
        """The strategy over one library; `model` is asked for when it is needed."""
        ...


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
    """The entry points of a group: a fifth of the time that `importlib.metadata` takes for it.

    Only the packages that name the group are read by it.
    """
    from importlib.metadata import Distribution  # 15 ms, when something is asked for

    found: dict[str, EntryPoint] = {}
    for folder in map(Path, path):
        for about in folder.iterdir() if folder.is_dir() else ():
            if about.name.endswith(".dist-info") and _names(about, group):
                entries = Distribution.at(about).entry_points.select(group=group)
                found = {entry.name: entry for entry in entries} | found
    return found


def _names(about: Path, group: str) -> bool:
    try:
        return f"[{group}]".encode() in (about / "entry_points.txt").read_bytes()
    except OSError:  # most packages have no such file
        return False


class OneOf:
    """For the annotation of a field: the core's `own` value, or a name that plug-ins bring."""

    def __init__(self, own: str, hook: Hook[Any]) -> None:
        self.own = own
        self.hook = hook

    @property
    def values(self) -> tuple[str, ...]:
        """All that are allowed here."""
        return self.own, *self.hook.names()

    def check(self, value: str) -> str:
        """The value. Raises what Pydantic does for a `Literal`."""
        if value == self.own or value in self.hook.names():
            return value
        from pydantic_core import PydanticKnownError

        *most, last = map(repr, self.values)
        allowed = f"{', '.join(most)} or {last}" if most else last
        raise PydanticKnownError("literal_error", {"expected": allowed})

    def __get_pydantic_core_schema__(self, source: Any, inner: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core.core_schema import no_info_after_validator_function

        return no_info_after_validator_function(self.check, inner(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, inner: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return inner(schema) | {"enum": list(self.values)}


ADDRESSES: Hook[Addresses] = Hook("addresses")
COMMANDS: Hook[Callable[..., None]] = Hook("commands")  # what Typer makes a command of
CONVERSATIONS: Hook[ConversationsKind] = Hook("conversations")
ENGINES: Hook[EngineKind] = Hook("engines")  # "compiled": llama.cpp's server, made here
EXTRAS: Hook[Extra] = Hook("extras")
MODEL_COMMANDS: Hook[Callable[..., None]] = Hook("model_commands")  # `manole models NAME`
PROFILES: Hook[StrategyKind] = Hook("profiles")
PAGES: Hook[Pages] = Hook("pages")
RECORDINGS: Hook[Recordings] = Hook("recordings")
STORES: Hook[StoreKind] = Hook("stores")
SETTINGS: Hook[type[Section]] = Hook("settings")
STRATEGIES: Hook[StrategyKind] = Hook("strategies")
