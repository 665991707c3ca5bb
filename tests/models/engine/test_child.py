"""The engine in its child: real engine, real crash."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

import psutil
import pytest
from test_native import is_gone

from manole.errors import ModelError
from manole.models.chat.protocol import Message
from manole.models.engine.llamacpp import LlamaCpp
from manole.models.load import ChatLoader
from manole.models.vision import VisionLoader
from manole.models.weights.cache import Weights
from manole.settings import ModelSettings, Settings, VisionSettings
from models.tiny_gguf import write_crashing, write_moondream

TINY = ModelSettings(context=1024, threads=1)
ASKED = [Message("system", "You answer in one word. " * 20), Message("user", "Say hello.")]


@pytest.fixture(scope="session")
def weights_file(session_settings):
    return Weights(session_settings.weights_dir).ensure("smollm2-135m-instruct")["model.gguf"]


def engine_of(before):
    """The engine's process: the child of a shell that was not there before."""
    shells = [one for one in psutil.Process().children() if one.pid not in before]
    return next(
        child for shell in shells for child in shell.children() if "manole.models.engine.program" in
        child.cmdline()
    )  # fmt: skip


@pytest.fixture
def before():
    return {child.pid for child in psutil.Process().children()}


def loader_of(path, cache):
    model = TINY.model_copy(update={"name": str(path)})
    return ChatLoader(Settings(cache_dir=cache, model=model), Weights(cache / "models"))


async def test_weights_that_crash_the_engine_are_an_error_that_names_them(tmp_path):
    path = write_crashing(tmp_path / "crafted.gguf")
    one = loader_of(path, tmp_path)
    for _ in range(2):
        with pytest.raises(ModelError, match=r"could not load crafted\.gguf: it crashed with SIG"):
            await one.get()
    await one.close()


async def test_a_projector_that_is_none_is_an_error(tmp_path):
    model, projector = write_moondream(tmp_path)
    write_crashing(projector)
    vision = VisionSettings(name=str(model))
    one = VisionLoader(Settings(cache_dir=tmp_path, vision=vision))
    assert await one.get() is None
    assert "could not load moondream.gguf" in one.reason


async def test_a_vision_model_of_ones_own_sees_from_its_child(tmp_path, before):
    model, _ = write_moondream(tmp_path)
    vision = VisionSettings(name=str(model))
    one = VisionLoader(Settings(cache_dir=tmp_path, vision=vision))
    assert await one.get() is not None
    child = engine_of(before)
    await one.close()
    assert await is_gone(child.pid)


async def test_it_gets_no_secrets(weights_file, before, monkeypatch):
    secrets = ("MANOLE_SERVE__TOKEN", "MANOLE_MODEL__API_KEY", "OPENAI_API_KEY", "AWS_SECRET_KEY")
    for name in secrets:
        monkeypatch.setenv(name, "hush-hush-hush-hush")
    model = await LlamaCpp.load("small", weights_file, TINY)
    child = engine_of(before)
    for process in (child, child.parent()):
        assert "hush-hush" not in str(process.environ()) + str(process.cmdline())
    key = model._client.headers["Authorization"].removeprefix("Bearer ")
    assert key not in str(child.cmdline())
    await model.close()


async def test_a_crash_in_an_answer_is_an_error_and_the_next_question_loads_it_again(
    weights_file, tmp_path, before
):
    one = loader_of(weights_file, tmp_path)
    model = await one.get()
    child = engine_of(before)
    with pytest.raises(ModelError, match=r"answer of model\.gguf: it crashed with SIGABRT"):
        async for _ in model.stream([Message("user", "Tell a long story.")], max_tokens=500):
            child.send_signal(signal.SIGABRT)
    again = await one.get()
    assert again is not model
    assert (await again.complete(ASKED, max_tokens=2)).text
    await one.close()


async def test_it_dies_with_a_parent_that_is_killed(weights_file):
    code = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from manole.models.engine.llamacpp import LlamaCpp\n"
        "from manole.settings import ModelSettings\n"
        "async def main():\n"
        "    settings = ModelSettings(context=1024, threads=1)\n"
        "    await LlamaCpp.load('m', Path(sys.argv[1]), settings)\n"
        "    print('ready', flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(weights_file)], stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    assert await asyncio.to_thread(parent.stdout.readline) == b"ready\n"
    below = psutil.Process(parent.pid).children(recursive=True)
    assert any("manole.models.engine.program" in process.cmdline() for process in below)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    for process in below:
        assert await is_gone(process.pid)
