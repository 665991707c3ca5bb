"""The models of a library, each loaded when it is first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from manole.errors import ModelError
from manole.hooks import PAGES
from manole.models.catalog.encoders import USUAL
from manole.settings import Settings

if TYPE_CHECKING:
    from manole.documents.split import Splitter
    from manole.index.store.page_records import PageEmbedder
    from manole.models.encode.embedder import Embedder
    from manole.models.encode.reranker import RerankerLoader
    from manole.models.vision import VisionLoader
    from manole.models.voice import VoiceLoader
    from manole.models.weights.files import OnProgress


# Loads what makes vectors of pages; its name is a value of `index.pages`. The text follows a colon
# in that setting and names the model, "" the usual one. Raises `ModelError`.
Pages = Callable[[str, Settings], "PageEmbedder"]


class Engines:
    """Embedders, reranker, vision and speech model of one library.

    `on_weights` hears of downloads.
    """

    def __init__(self, settings: Settings, on_weights: OnProgress | None = None) -> None:
        self._settings = settings
        self._on_weights = on_weights
        self._lock = asyncio.Lock()
        self._embedder: Embedder | None = None
        self._splitters: dict[tuple[Path, int], Splitter] = {}
        self._pages: PageEmbedder | None = None

    def adopt(self, settings: Settings) -> None:
        """Use these settings for what is not loaded yet."""
        self._settings = settings
        if "reranker" in vars(self):
            self.reranker.adopt(settings)

    def embedder(self, name: str) -> Embedder:
        """Return the embedder of this name. Loading it takes 0.3 s.

        An index names one of several endpoints; the settings say what the others are.
        """
        if self._embedder is None or self._embedder.name != name:
            from manole.models.encode.embedder import load_embedder
            from manole.models.endpoints import embedder_name
            from manole.models.weights.cache import Weights

            settings = self._settings
            if embedder_name(settings) != name:
                index = settings.index.model_copy(update={"embedder": name})
                settings = settings.model_copy(update={"index": index})
            weights = Weights(settings.cache_dir / "models")
            self._embedder = load_embedder(settings, weights, self._on_weights)
        return self._embedder

    async def ready(self, name: str) -> Embedder:
        """Return `embedder` without blocking the event loop; several tasks may ask at once."""
        async with self._lock:
            return await asyncio.to_thread(self.embedder, name)

    async def splitter(self, name: str, most: int) -> Splitter:
        """Return the splitter for the embedder `name`, with `most` tokens a passage (60 ms)."""
        from manole.documents.split import Splitter
        from manole.models.encode.tokenizing import tokenizer_path
        from manole.models.weights.cache import Weights

        # An endpoint's tokenizer is not known; MiniLM's counts about as many.
        local = USUAL if name.startswith("openai:") else name
        weights = Weights(self._settings.cache_dir / "models")
        files = await asyncio.to_thread(weights.ensure, local, self._on_weights)
        key = tokenizer_path(files), min(self._settings.index.passage_tokens, most)
        if key not in self._splitters:
            self._splitters[key] = await asyncio.to_thread(Splitter, *key)
        return self._splitters[key]

    async def pages(self, embedder: Embedder) -> PageEmbedder | None:
        """Return what makes the vectors of pages; `None` when it is off. Raises `ModelError`."""
        chosen = self._settings.index.pages
        if chosen == "off":
            return None
        if chosen == "lines":
            from manole.index.store.page_records import LineEmbedder

            return LineEmbedder(embedder)
        async with self._lock:
            if self._pages is None:
                name, _, model = chosen.partition(":")
                if (load := PAGES.get(name)) is None:
                    raise ModelError(f"No plug-in finds pages by {name}.", "Set index.pages=lines.")
                self._pages = await asyncio.to_thread(load, model, self._settings)
            return self._pages

    @cached_property
    def vision(self) -> VisionLoader:
        """The loader of the vision model."""
        from manole.models.vision import VisionLoader

        return VisionLoader(self._settings)

    @cached_property
    def reranker(self) -> RerankerLoader:
        """The loader of the reranker."""
        from manole.models.encode.reranker import RerankerLoader

        return RerankerLoader(self._settings)

    @cached_property
    def voice(self) -> VoiceLoader:
        """The loader of the speech model."""
        from manole.models.voice import VoiceLoader

        return VoiceLoader(self._settings)

    async def close(self) -> None:
        """Free the vision and the speech model; the others are small, or costly to load."""
        if "voice" in vars(self):
            await self.voice.close()
        if "vision" in vars(self):
            await self.vision.close()
