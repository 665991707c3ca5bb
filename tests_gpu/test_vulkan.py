"""The smallest real model on a real Vulkan device, which may be Mesa's software renderer."""

from __future__ import annotations

import os
import shutil
import signal
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest

from manole.errors import ModelError
from manole.models.chat.protocol import Message
from manole.models.engine.llamacpp import VERSION
from manole.models.engine.options import EngineOptions, fingerprint
from manole.models.gpu import start
from manole.models.gpu.devices import devices
from manole.models.gpu.report import gpu_report
from manole.models.load import ChatLoader
from manole.models.machine.tuning import Choice, key_for, remember
from manole.models.weights.cache import Weights
from manole.models.weights.files import sha256_of
from manole.settings import ModelSettings, Settings
from manole_engine.build import built
from manole_engine.native import NativeLlama

SMALL = "smollm2-135m-instruct"
DAYS = [Message("user", "Say the days of the week.")]


@pytest.fixture(scope="session")
def engine() -> Path:
    """The engine; a failure where there is none."""
    given = os.environ.get("MANOLE_VULKAN_ENGINE")
    found = Path(given) if given else built(Settings().cache_dir, vulkan=True)
    assert found is not None, "`manole models tune --compile` makes one; see README.md"
    if not devices(found):
        os.environ["GGML_VK_VISIBLE_DEVICES"] = "0"
    assert devices(found), "there is no Vulkan device here, not even a software renderer"
    return found


@pytest.fixture(scope="session")
def weights() -> Path:
    return Weights(Settings().weights_dir).ensure(SMALL)["model.gguf"]


def remember_choice(cache: Path, program: Path) -> None:
    """That `manole models tune` found this engine on its device to be the fastest."""
    weights = Weights(Settings().weights_dir).ensure(SMALL)["model.gguf"]
    choice = Choice(
        model=SMALL,
        threads=2,
        ubatch=512,
        kv="f16",
        flash="auto",
        lookup=0,
        draft=16,
        read_rate=1,
        write_rate=1,
        gpu=True,
        native=program,
        native_sha256=sha256_of(program),
        measured=datetime.now(UTC),
    )
    remember(cache, key_for(fingerprint(weights), VERSION), choice)


@pytest.fixture
def loader(engine, weights, tmp_path, monkeypatch):
    """A loader on a cache of its own, where the engine was measured and its device chosen."""
    folder = tmp_path / "engines"
    folder.mkdir(mode=0o700)
    program = folder / engine.name
    shutil.copyfile(engine, program)
    program.chmod(0o700)
    remember_choice(tmp_path, program)
    # A software renderer takes its time, the more so beside other programs.
    monkeypatch.setattr(start, "_FIRST_S", 600)

    def make(context: int = 1024) -> ChatLoader:
        model = ModelSettings(name=SMALL, context=context)
        settings = Settings(cache_dir=tmp_path, model=model)
        return ChatLoader(settings, Weights(Settings().weights_dir))

    return make


def child() -> psutil.Process:
    """The engine's process, which is below the shell that watches it."""
    return next(
        p
        for p in psutil.Process().children(recursive=True)
        if "--fit" in p.cmdline()[1:] and not p.name().startswith(("sh", "dash", "bash"))
    )


def is_on_gpu(process: psutil.Process) -> bool:
    line = process.cmdline()
    return line[line.index("--fit") + 1] == "on"


def test_a_software_renderer_is_no_device_unless_it_is_asked_for(engine, monkeypatch):
    monkeypatch.delenv("GGML_VK_VISIBLE_DEVICES", raising=False)
    assert not any("llvmpipe" in gpu for gpu in devices(engine))


async def test_the_device_says_what_the_cpu_says(engine, weights):
    said = []
    for gpu in (False, True):
        options = EngineOptions(native=engine, gpu=gpu)
        model = await NativeLlama.load(
            "m", weights, ModelSettings(context=1024, threads=2), options
        )
        told = await model.likeliest("Days of the week: Monday, Tuesday, Wednesday,", 8)
        said.append([token["id"] for token in told["completion_probabilities"]])
        await model.close()
    assert said[0] == said[1]


async def test_it_answers_on_the_device(loader, weights, tmp_path):
    one = loader()
    assert (await (await one.get()).complete(DAYS, max_tokens=12)).text
    assert is_on_gpu(child())
    assert one.notice == ""
    await one.close()
    assert gpu_report(SMALL, weights, tmp_path, one.settings.model).why == ""


async def test_an_engine_that_is_killed_in_the_midst_of_an_answer(loader):
    one = loader()
    model = await one.get()
    with pytest.raises(ModelError, match="SIGKILL"):
        async for _ in model.stream(DAYS, max_tokens=200):
            child().send_signal(signal.SIGKILL)
    assert (await (await one.get()).complete(DAYS, max_tokens=4)).text
    assert not is_on_gpu(child())
    assert "failed on the graphics processor" in one.notice
    await one.close()
