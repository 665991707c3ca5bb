"""Loading of the chat model that the settings name.

`model.name` may be `auto`, a name of the weights table, a `.gguf` file, or an endpoint:
`openai:NAME` (with `model.base_url`, one address or several), `ollama:NAME`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from manole.errors import ModelError, ModelUnavailableError
from manole.models.catalog.table import ModelSpec
from manole.models.chat.protocol import ChatModel
from manole.models.chat.rates import Rates
from manole.models.chat.thinking import quiet_for
from manole.models.choose import chat_for
from manole.models.endpoints import addresses_of, endpoint_of
from manole.models.machine.tuning import remember_speed
from manole.models.weights.cache import Weights
from manole.models.weights.files import OnProgress
from manole.settings import Settings

if TYPE_CHECKING:
    from manole.models.gpu.start import Wanted

_LOG = logging.getLogger(__name__)


@dataclass
class ChatLoader:
    """Loads the chat model on first use, once, however many tasks ask for it."""

    settings: Settings
    weights: Weights
    progress: OnProgress | None = None
    reason: str = ""
    notice: str = ""  # a sentence on what went otherwise than chosen; empty if nothing did

    def __post_init__(self) -> None:
        """Refuse a name that is no model before anything else. Raises `UsageError`."""
        if self.settings.model.name != "auto" and not endpoint_of(self.settings.model.name)[0]:
            self.weights.spec(self.settings.model.name)
        self._lock = asyncio.Lock()
        self._model: ChatModel | None = None
        self._remote = False
        self._plain = True  # whether the CPU does all of it, one token at a time
        self._spec: ModelSpec | None = None  # of the loaded model, if the catalog has it
        self._other = False  # whether the settings have changed since it was loaded

    def adopt(self, settings: Settings) -> None:
        """Follow these settings from the next question on."""
        self._other |= settings.model != self.settings.model
        self.settings = settings

    @property
    def loaded(self) -> bool:
        """Whether the model is in memory."""
        return self._model is not None

    async def get(self) -> ChatModel:
        """Return the model. Raises `ModelUnavailableError`, `WeightsError` or `ModelError`."""
        async with self._lock:
            if self._model is not None and getattr(self._model, "ended", False):
                await self.close()  # its engine crashed, and the crash was reported
            if self._other and self._model is not None:
                if self._remote:
                    self._model = None  # other turns may still be answered by it
                await self.close()
            self._other = False
            if self._model is None:
                self._model = await self._load()
            return self._model

    async def close(self) -> None:
        """Free the model, if it was loaded."""
        if self._model is not None:
            await self._model.close()
            await asyncio.to_thread(self._learn, self._model)
            self._model = None

    def _learn(self, model: ChatModel) -> None:
        """Remember the speed of the answers, if the model is large enough to judge others by."""
        if not self._plain:
            return  # its speed says nothing about the CPU
        rates: Rates | None = getattr(model, "rates", None)
        spec = self._spec if self._spec and self._spec.preference else None
        if self._remote or rates is None or not rates.known or not spec:
            return
        with contextlib.suppress(OSError):
            remember_speed(self.settings.cache_dir, spec, rates.read, rates.write)

    async def _load(self) -> ChatModel:
        chosen = self.settings.model
        endpoint, name = endpoint_of(chosen.name)
        if endpoint:
            from manole.models.chat.openai import OpenAIChat

            urls = addresses_of(endpoint, chosen.base_url, "model.base_url")
            what = "an endpoint" if len(urls) == 1 else f"{len(urls)} endpoints"
            self.reason = f"{what} at {', '.join(urls)}"
            self._remote = True
            return OpenAIChat(name, urls, chosen, quiet=quiet_for(endpoint))
        self._remote = False
        return await self._engine(*await self.file())

    async def file(self) -> tuple[str, Path]:
        """Return name and file of the chosen weights, fetched if need be. Not for endpoints."""
        spec, self.reason = await asyncio.to_thread(chat_for, self.settings, self.weights)
        self._spec = spec
        return Path(spec.name).name, await asyncio.to_thread(self._weights_path, spec.name)

    async def _engine(self, name: str, path: Path) -> ChatModel:
        """Start the engine that `manole models tune` chose, or the usual one, on a GPU or not."""
        from manole.models.engine.llamacpp import VERSION
        from manole.models.engine.options import EngineOptions, check_weights, fingerprint
        from manole.models.gpu.start import Wanted
        from manole.models.machine.tuning import key_for, recall

        check_weights(path)
        chosen, cache = self.settings.model, self.settings.cache_dir
        weights = await asyncio.to_thread(fingerprint, path)
        choice = recall(cache, key_for(weights, VERSION))
        options = choice.options(cache) if choice else EngineOptions()
        self.notice = ""
        if choice and options.native:
            options = replace(options, gpu=choice.gpu is True)
            wanted = Wanted(name, path, weights, cache, chosen, options, choice.native_sha256)
            try:
                return await self._started(wanted)
            except ModelError as error:
                self.notice = f"The compiled engine failed, the usual one is used. {error.message}"
        elif choice and choice.native:
            self.notice = (
                "The compiled engine is gone or has changed, the usual one is used. "
                "`manole models tune --compile` makes it anew."
            )
        if self.notice:
            _LOG.warning(self.notice)
        options = replace(options, native=None, gpu=choice is None or choice.gpu is not False)
        return await self._started(Wanted(name, path, weights, cache, chosen, options))

    async def _started(self, wanted: Wanted) -> ChatModel:
        model, notice = await wanted.start()
        self.notice = " ".join(filter(None, (self.notice, notice)))
        self._plain = not (model.on_gpu or wanted.options.lookup)
        return model

    def _weights_path(self, name: str) -> Path:
        if self.settings.model.download:
            files = self.weights.ensure(name, self.progress)
        elif (found := self.weights.whole(name, self.progress)) is not None:
            files = found
        else:
            raise ModelUnavailableError(
                f"The model {name} is not on this machine.",
                f"`manole models fetch {name}` obtains it.",
            )
        return next(path for key, path in files.items() if key.endswith(".gguf"))
