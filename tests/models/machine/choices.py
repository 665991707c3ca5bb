"""Choices of `manole models tune` as tests make them, and the loader that follows one."""

from __future__ import annotations

from datetime import UTC, datetime

from manole.models.chat.protocol import Message
from manole.models.engine.llamacpp import VERSION
from manole.models.engine.options import fingerprint
from manole.models.load import ChatLoader
from manole.models.machine.tuning import Choice, key_for, remember
from manole.models.weights.cache import Weights
from manole.settings import ModelSettings, Settings

SMALL = "smollm2-135m-instruct"


def a_choice(**more):
    values = {
        "model": "m", "threads": 2, "ubatch": 128, "kv": "f16", "flash": "off",
        "lookup": 8, "draft": 16, "read_rate": 40.0, "write_rate": 10.0,
        "measured": datetime(2025, 1, 1, tzinfo=UTC),
    }  # fmt: skip
    return Choice(**values | more)


def loader_of(settings, folder, choice):
    """A loader for the small model with that choice remembered in a cache of its own."""
    path = Weights(settings.weights_dir).ensure(SMALL)["model.gguf"]
    cache = folder / "cache"
    remember(cache, key_for(fingerprint(path), VERSION), choice)
    model = ModelSettings(name=str(path), context=1024, threads=1)
    return ChatLoader(Settings(cache_dir=cache, model=model), Weights(cache / "models"))


async def answer(one):
    model = await one.get()
    text = (await model.complete([Message("user", "hi")], max_tokens=2)).text
    await one.close()
    return model, text
