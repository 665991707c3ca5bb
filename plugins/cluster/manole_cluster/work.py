"""The orders to a process that reads files, and the making of its `Reader`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from manole import hooks
from manole.errors import UsageError
from manole.index.sync.engines import Engines
from manole.models.endpoints import chosen_embedder
from manole.settings import ExtractSettings, IndexSettings, Section, Settings
from manole_cluster.reader import Reader

VERSION = version("manole")


@dataclass(frozen=True, slots=True)
class Orders:
    """The settings by which files are read. Folders and keys are each machine's own.

    `pages` is the section of the plug-in that `index.pages` names, such as `colqwen`.
    """

    index: IndexSettings
    extract: ExtractSettings
    version: str = VERSION  # stays third, so that a node of another version can compare it
    pages: Section | None = None

    @classmethod
    def of(cls, settings: Settings) -> Orders:
        """Make the orders from one machine's settings."""
        name = plugin_of(settings.index)
        kind = hooks.SETTINGS.get(name)
        pages = settings.section(name, kind) if kind else None
        return cls(settings.index, settings.extract, pages=pages)


def plugin_of(index: IndexSettings) -> str:
    """Return the plug-in that makes vectors of pages; "lines" and "off" are none."""
    return index.pages.partition(":")[0]


async def make_reader(orders: Orders, settings: Settings | None = None) -> Reader:
    """Make a reader with this machine's weights.

    Raises `UsageError`, `WeightsError`, `ModelError`.
    """
    if orders.version != VERSION:
        raise UsageError(
            f"A node has Manole {VERSION}, the one that indexes {orders.version}.",
            "Install the same version on every machine.",
        )
    own = settings or Settings.load({})
    update: dict[str, Any] = {"index": orders.index, "extract": orders.extract}
    if orders.pages is not None:
        update[plugin_of(orders.index)] = orders.pages
    settings = own.model_copy(update=update)
    engines = Engines(settings, None)
    name = chosen_embedder(settings)
    embedder = await engines.ready(name)
    splitter = await engines.splitter(name, embedder.max_tokens)
    return Reader(settings, embedder, splitter, await engines.pages(embedder))
