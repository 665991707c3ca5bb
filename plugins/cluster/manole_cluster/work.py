"""What a process that reads files is told, and how it makes its `Reader`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version

from manole.documents.split import Splitter
from manole.errors import UsageError
from manole.index.sync.engines import Engines
from manole.models.encode.tokenizing import tokenizer_path
from manole.models.endpoints import chosen_embedder
from manole.models.weights.cache import Weights
from manole.settings import ExtractSettings, IndexSettings, Settings
from manole_cluster.reader import Reader

VERSION = version("manole")


@dataclass(frozen=True, slots=True)
class Orders:
    """How files are to be read. Folders and keys are each machine's own."""

    index: IndexSettings
    extract: ExtractSettings
    version: str = VERSION

    @classmethod
    def of(cls, settings: Settings) -> Orders:
        """Those of one machine's settings."""
        return cls(settings.index, settings.extract)


async def make_reader(orders: Orders, settings: Settings | None = None) -> Reader:
    """A reader with this machine's weights. Raises `UsageError`, `WeightsError`, `ModelError`."""
    if orders.version != VERSION:
        raise UsageError(
            f"A node has Manole {VERSION}, the one that indexes {orders.version}.",
            "Install the same version on every machine.",
        )
    own = settings or Settings.load({})
    settings = own.model_copy(update={"index": orders.index, "extract": orders.extract})
    engines = Engines(settings, None)
    embedder = await engines.ready(chosen_embedder(settings))
    return Reader(
        settings, embedder, await make_splitter(settings, embedder.max_tokens),
        await engines.pages(embedder),
    )  # fmt: skip


async def make_splitter(settings: Settings, most: int) -> Splitter:
    """The splitter for an embedder that reads `most` tokens at once."""
    import asyncio

    # An endpoint's tokenizer is not known; MiniLM's counts about as many.
    wanted = chosen_embedder(settings)
    local = "all-minilm-l6-v2" if wanted.startswith("openai:") else wanted
    weights = Weights(settings.cache_dir / "models")
    files = await asyncio.to_thread(weights.ensure, local, None)
    return Splitter(tokenizer_path(files), min(settings.index.passage_tokens, most))
