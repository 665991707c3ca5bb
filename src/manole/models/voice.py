"""Speech models, which write down what is said in a recording.

A plug-in decodes the file (`RECORDINGS`). It also runs the weights, unless the sound goes in pieces
to an endpoint as OpenAI describes it (`POST {base_url}/audio/transcriptions`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from manole.errors import ModelError
from manole.hooks import RECORDINGS, Recordings
from manole.models.at_hand import Loader, files_of, model_at_hand
from manole.models.endpoints import addresses_of, endpoint_of
from manole.models.weights.cache import Weights
from manole.settings import Settings

if TYPE_CHECKING:
    from manole.models.openai_voice import VoiceEndpoint

EXTRA = "pip install 'manole[voice]'"
_FILES = (".bin", ".gguf")


@dataclass(frozen=True, slots=True)
class Voice:
    """A speech model: `weights` that a worker loads, or an `endpoint`. `language` may be ""."""

    name: str
    weights: Path | None = None
    endpoint: VoiceEndpoint | None = None
    language: str = ""

    async def close(self) -> None:
        """Close the connections of an endpoint."""
        if self.endpoint is not None:
            await self.endpoint.close()


def reads_recordings(*, engine: bool) -> Recordings | None:
    """Return the plug-in that decodes sound and, with `engine`, runs weights; `None` without."""
    found = RECORDINGS.get("voice")
    return found if found is not None and found.at_hand(engine=engine) else None


def voice_at_hand(settings: Settings, weights: Weights) -> str | None:
    """Return the name of the speech model that would be used, or `None`.

    Raises `UsageError` for a name that is no speech model.
    """
    return model_at_hand(
        "voice",
        settings.voice.name,
        weights,
        files=_FILES,
        otherwise="a whisper.cpp .bin file, or openai:NAME",
    )


class VoiceLoader(Loader[Voice]):
    """Finds the speech model of the settings. The worker that transcribes loads the weights."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(partial(asyncio.to_thread, _find, settings))


def _find(settings: Settings) -> Voice | None:
    chosen = settings.voice
    weights = Weights(settings.weights_dir)
    name = voice_at_hand(settings, weights)
    if name is None:
        return None
    kind, remote = endpoint_of(name)
    reader = reads_recordings(engine=not kind)
    if reader is None:
        raise ModelError(f"Recordings are not read without an extra: {EXTRA}")
    if kind:
        from manole.models.openai_voice import VoiceEndpoint

        url = addresses_of(kind, chosen.base_url, "voice.base_url")[0]
        endpoint = VoiceEndpoint(remote, url, chosen.api_key)
        return Voice(name, endpoint=endpoint, language=chosen.language)
    if name.endswith(_FILES):
        path = Path(name).expanduser()
        reader.check(path)
        return Voice(path.stem, path, language=chosen.language)
    files = files_of(name, weights, named=chosen.name != "auto")
    return Voice(name, files["model.bin"], language=chosen.language)
