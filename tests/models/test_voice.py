"""Which speech model is used."""

from __future__ import annotations

from manole.models.voice import VoiceLoader, voice_at_hand
from manole.models.weights.cache import Weights
from manole.settings import Settings
from sounds import voices


async def test_auto_takes_what_was_fetched_and_fetches_nothing(tmp_path):
    settings = voices(Settings.load(), None, name="auto").model_copy(update={"cache_dir": tmp_path})
    weights = Weights(tmp_path / "models")
    assert voice_at_hand(settings, weights) is None
    loader = VoiceLoader(settings)
    assert await loader.get() is None
    assert loader.reason == ""
    assert voice_at_hand(voices(settings, None), weights) is None
    assert voice_at_hand(voices(settings, None, name="openai:whisper-1"), weights) == (
        "openai:whisper-1"
    )
