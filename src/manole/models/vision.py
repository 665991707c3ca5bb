"""Vision models, which describe pictures.

One class serves weights with their projector, run on this machine, and any OpenAI-compatible
endpoint. A picture that cannot be read, or a model that hangs or answers nonsense
gives a `Sight` with the reason, so that describing a thousand photos goes on with the next one.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from manole.errors import ModelError, SettingsError
from manole.models.at_hand import Loader, files_of, model_at_hand
from manole.models.catalog.table import PROJECTOR
from manole.models.chat.protocol import ChatModel, Message
from manole.models.chat.thinking import quiet_for
from manole.models.endpoints import addresses_of, endpoint_of
from manole.models.weights.cache import Weights
from manole.settings import ModelSettings, Settings
from manole.text.sentences import ends, spans

CAPTION = (
    "Describe this picture in one or two plain sentences: what is in it, where it is, what "
    "happens. Repeat words that are written in it. Say nothing that you do not see."
)
SIDE = 768  # pixels of the longer side of a picture as the model gets it; set by hand
_JPEG = b"\xff\xd8\xff"
_CONTEXT = 4096  # tokens: a picture takes up to a thousand or two
# An answer of at least so many words, of which less than this share are different, repeats itself;
# and one with fewer letters than this share of its characters is noise. All set by hand.
_LONG, _REPEATED, _LETTERS = 12, 0.3, 0.4

NO_SENSE = "the vision model gave no sensible answer"


@dataclass(frozen=True, slots=True)
class Sight:
    """A model's description of a picture, or the reason why there is none (`text` is empty)."""

    text: str = ""
    reason: str = ""


class VisionModel:
    """A chat model that answers questions about pictures. Several tasks may ask at once.

    With `alone`, pictures wait for each other, as a model on this machine takes one at a time; the
    timeout of a picture begins when its turn comes. `again` loads the model anew, once, if its
    engine has ended.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        timeout_s: float = 120,
        max_tokens: int = 80,
        alone: bool = False,
        again: Callable[[], Awaitable[ChatModel]] | None = None,
    ) -> None:
        self._model = model
        self._again = again
        self._place: AbstractAsyncContextManager[None] = asyncio.Lock() if alone else nullcontext()
        self._timeout_s = timeout_s
        self._max_tokens = max_tokens

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def ask(self, picture: bytes, question: str) -> Sight:
        """Answer a question about a JPEG picture; a failure of the model is a `Sight`, too."""
        if not picture.startswith(_JPEG):
            return Sight(reason="what was to be seen is no JPEG picture")
        asked = [Message("user", question, (picture,))]
        try:
            async with self._place, asyncio.timeout(self._timeout_s):
                if self._again is not None and getattr(self._model, "ended", False):
                    await self._model.close()
                    self._model = await self._again()
                    self._again = None
                done = await self._model.complete(asked, max_tokens=self._max_tokens)
        except TimeoutError:
            return Sight(reason=f"the vision model took longer than {self._timeout_s:g} s")
        except ModelError as error:
            return Sight(reason=f"the vision model failed: {error.message}")
        text = _whole(done.text, cut=done.finish == "length")
        return Sight(text) if _is_sensible(text) else Sight(reason=NO_SENSE)

    async def caption(self, picture: bytes) -> Sight:
        """Describe a JPEG picture in a sentence or two."""
        return await self.ask(picture, CAPTION)

    async def close(self) -> None:
        """Free the model."""
        await self._model.close()


def vision_at_hand(settings: Settings, weights: Weights) -> str | None:
    """Return the name of the vision model that would be used, or `None`.

    Raises `UsageError` for a name that is no vision model.
    """
    return model_at_hand(
        "vision",
        settings.vision.name,
        weights,
        files=(".gguf",),
        otherwise="a .gguf file with its mmproj file beside it, or openai:NAME",
    )


class VisionLoader(Loader[VisionModel]):
    """Loads the vision model of the settings."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(partial(_load, settings))


async def _load(settings: Settings) -> VisionModel | None:
    weights = Weights(settings.weights_dir)
    name = await asyncio.to_thread(vision_at_hand, settings, weights)
    if name is None:
        return None
    chosen = settings.vision
    own = {"base_url": chosen.base_url, "api_key": chosen.api_key, "context": _CONTEXT}
    load = partial(_model, name, settings.model.model_copy(update=own), settings, weights)
    return VisionModel(await load(), alone=not endpoint_of(name)[0], again=load)


async def _model(name: str, own: ModelSettings, settings: Settings, weights: Weights) -> ChatModel:
    kind, remote = endpoint_of(name)
    if kind:
        from manole.models.chat.openai import OpenAIChat

        urls = addresses_of(kind, own.base_url, "vision.base_url")
        return OpenAIChat(remote, urls, own, attempts=1, quiet=quiet_for(kind))
    from manole.models.engine.options import EngineOptions, check_weights, fingerprint
    from manole.models.gpu.start import Wanted

    path, projector = await asyncio.to_thread(_files, name, settings, weights)
    for file in (path, projector):
        check_weights(file)
    mark, cache = await asyncio.to_thread(fingerprint, path), settings.cache_dir
    wanted = Wanted(
        *(path.stem, path, mark, cache, own, EngineOptions(gpu=True)),
        projector=projector,
        keep=False,
    )
    return (await wanted.start())[0]


def _files(name: str, settings: Settings, weights: Weights) -> tuple[Path, Path]:
    """Return the weights and their projector."""
    if name.endswith(".gguf"):
        path = Path(name).expanduser()
        return path, _beside(path)
    files = files_of(name, weights, named=settings.vision.name != "auto")
    return files["model.gguf"], files[PROJECTOR]


def _beside(path: Path) -> Path:
    """Return the projector in the folder of weights; its name says so (llama.cpp's converter)."""
    found = [file for file in path.parent.glob("*.gguf") if "mmproj" in file.name.lower()]
    if len(found) != 1:
        raise SettingsError(
            f"{path.name} cannot see without its projector.",
            "Put the mmproj file that came with it into its folder, and no other mmproj file.",
        )
    return found[0]


def _whole(text: str, *, cut: bool) -> str:
    """Return the text on one line, up to the end of its last whole sentence if it was cut."""
    flat = " ".join(text.split())
    if not cut:
        return flat
    whole = [end for start, end in spans(flat, small=True) if ends(flat[start:end])]
    return flat[: whole[-1]] if whole else f"{flat} …" if flat else ""


def _is_sensible(text: str) -> bool:
    """Return whether the text has words, and not the same few over and over."""
    words = re.findall(r"[^\W_]+", text.lower())
    letters = sum(character.isalpha() for character in text)
    if not words or letters < _LETTERS * len(text.replace(" ", "")):
        return False
    return len(words) < _LONG or len(set(words)) / len(words) >= _REPEATED
