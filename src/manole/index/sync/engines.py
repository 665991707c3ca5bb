"""The models of a library, loaded when they are first needed, and the processes that read files."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from manole.errors import ModelError
from manole.hooks import PAGES
from manole.models.catalog.encoders import USUAL
from manole.models.cores import physical_cores
from manole.settings import Settings

if TYPE_CHECKING:
    from manole.documents.extract import Extractor
    from manole.documents.limits import Limits
    from manole.documents.split import Splitter
    from manole.index.store.page_records import PageEmbedder
    from manole.models.encode.embedder import Embedder
    from manole.models.encode.reranker import RerankerLoader
    from manole.models.vision import VisionLoader
    from manole.models.voice import VoiceLoader
    from manole.models.weights.files import OnProgress


# Set by hand:
KEEP_SECONDS = 30.0
PASSAGE_TOKENS = 256  # of the embedder, at most
_CORES, _WORKERS = 4, 4  # cores for each process that reads, the embedder has most; at most

# A loader of a page embedder; its name is a value of `index.pages`. The text follows a colon in
# that setting and names the model, "" the usual one. Raises `ModelError`.
Pages = Callable[[str, Settings], "PageEmbedder"]


class Engines:
    """Embedders, reranker, vision and speech model of one library.

    `on_weights` is called with the progress of downloads.
    """

    def __init__(self, settings: Settings, on_weights: OnProgress | None = None) -> None:
        self._settings = settings
        self._on_weights = on_weights
        self._lock = asyncio.Lock()
        self._embedder: Embedder | None = None
        self._splitters: dict[tuple[Path, int], Splitter] = {}
        self._pages: PageEmbedder | None = None

    def adopt(self, settings: Settings) -> None:
        """Use these settings for models that are not loaded yet."""
        self._settings = settings
        if "reranker" in vars(self):
            self.reranker.adopt(settings)

    async def check(self) -> None:
        """Raise `UsageError` for a setting that names a model which does not exist.

        So a sync ends before it begins, and not at its first photo or recording.
        """
        from manole.models.encode.reranker import check_reranker
        from manole.models.vision import vision_at_hand
        from manole.models.voice import voice_at_hand
        from manole.models.weights.cache import Weights

        check_reranker(self._settings.index.reranker)
        weights = Weights(self._settings.weights_dir)
        await asyncio.to_thread(vision_at_hand, self._settings, weights)
        await asyncio.to_thread(voice_at_hand, self._settings, weights)

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
        """Return `embedder(name)` without blocking the loop; several tasks may ask at once."""
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
        key = tokenizer_path(files), min(PASSAGE_TOKENS, most)
        if key not in self._splitters:
            self._splitters[key] = await asyncio.to_thread(Splitter, *key)
        return self._splitters[key]

    async def pages(self, embedder: Embedder) -> PageEmbedder | None:
        """Return the page embedder; `None` if it is off. Raises `ModelError`."""
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


def workers() -> int:
    """Return how many processes read files at once on this machine."""
    return min(_WORKERS, max(1, physical_cores() // _CORES))


class ExtractorPool:
    """A lender of one `Extractor`, which may keep its processes afterwards. Close it in the end.

    Starting one takes a second of computing, ten times as much as reading a saved note, and a
    person who saves a file soon saves it again.
    """

    def __init__(self) -> None:
        self._kept: tuple[Limits, Extractor] | None = None
        self._timer: asyncio.TimerHandle | None = None

    @contextlib.contextmanager
    def extractor(self, limits: Limits, *, keep: bool) -> Iterator[Extractor]:
        """Lend an extractor with these limits to one sync at a time; a failed one is not kept."""
        from manole.documents.extract import Extractor

        if self._timer is not None:
            self._timer.cancel()
        kept, self._kept = self._kept, None
        if kept is not None and kept[0] != limits:
            kept[1].close()
            kept = None
        extractor = kept[1] if kept is not None else Extractor(limits, workers())
        try:
            yield extractor
        except BaseException:
            extractor.close()
            raise
        if not keep:
            extractor.close()
            return
        self._kept = (limits, extractor)
        self._timer = asyncio.get_running_loop().call_later(KEEP_SECONDS, self.close)

    def close(self) -> None:
        """End the kept processes."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._kept is not None:
            self._kept[1].close()
            self._kept = None
