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
from manole.models.gpu import offload
from manole.models.gpu.devices import listed
from manole.models.gpu.offload import answer_of, difference
from manole.models.load import ChatLoader
from manole.models.machine.gpu_report import gpu_report
from manole.models.machine.tuning import Choice, key_for, remember
from manole.models.weights.cache import Weights
from manole.models.weights.files import sha256_of
from manole.settings import ModelSettings, Settings
from manole_engine.build import built
from manole_engine.native import NativeLlama

SMALL, LAYERS = "smollm2-135m-instruct", 31
DAYS = [Message("user", "Say the days of the week.")]


@pytest.fixture(scope="session")
def engine() -> Path:
    """The engine; a failure where there is none."""
    given = os.environ.get("MANOLE_VULKAN_ENGINE")
    found = Path(given) if given else built(Settings().cache_dir, vulkan=True)
    assert found is not None, "`manole models tune --compile` makes one; see README.md"
    if not listed(found):
        os.environ["GGML_VK_VISIBLE_DEVICES"] = "0"
    assert listed(found), "there is no Vulkan device here, not even a software renderer"
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
    monkeypatch.setattr(offload, "_CHECK_S", 600)
    monkeypatch.setattr(offload, "_SLOW", 0)

    def make(context: int = 1024) -> ChatLoader:
        model = ModelSettings(name=SMALL, context=context, parallel=1, temperature=0, top_k=1)
        settings = Settings(cache_dir=tmp_path, model=model)
        return ChatLoader(settings, Weights(Settings().weights_dir))

    return make


def child() -> psutil.Process:
    """The engine's process, which is below the shell that watches it."""
    return next(
        p
        for p in psutil.Process().children(recursive=True)
        if "--gpu-layers" in p.cmdline()[1:] and not p.name().startswith(("sh", "dash", "bash"))
    )


def layers_of(process: psutil.Process) -> int:
    line = process.cmdline()
    return int(line[line.index("--gpu-layers") + 1])


def test_a_software_renderer_is_no_device_unless_it_is_asked_for(engine, monkeypatch):
    monkeypatch.delenv("GGML_VK_VISIBLE_DEVICES", raising=False)
    assert not any("llvmpipe" in gpu.description for gpu in listed(engine))


async def test_the_device_says_what_the_cpu_says(engine, weights):
    said = []
    for layers in (0, LAYERS, LAYERS // 2):
        options = EngineOptions(native=engine, layers=layers)
        model = await NativeLlama.load(
            "m", weights, ModelSettings(context=1024, threads=2), options
        )
        said.append((await answer_of(model)).tokens)
        await model.close()
    cpu, *others = said
    for device in others:
        assert [token.id for token in device] == [token.id for token in cpu]
        assert difference(cpu, device) == ""


async def test_all_of_it_is_loaded_checked_once_and_answers(loader, weights, tmp_path):
    one = loader()
    first = await (await one.get()).complete(DAYS, max_tokens=12)
    assert layers_of(child()) == LAYERS
    assert one.notice == ""
    await one.close()
    said = gpu_report(SMALL, weights, tmp_path, one.settings.model)
    assert (said.layers, said.total, said.fault) == (LAYERS, LAYERS, False)
    assert said.read_rate > 0 < said.cpu_read_rate
    before = (tmp_path / "gpu.json").read_bytes()
    again = loader()
    assert (await (await again.get()).complete(DAYS, max_tokens=12)).text == first.text
    await again.close()
    assert (tmp_path / "gpu.json").read_bytes() == before


async def test_an_engine_that_is_killed_in_the_midst_of_an_answer(loader):
    one = loader()
    model = await one.get()
    with pytest.raises(ModelError, match="SIGKILL"):
        async for _ in model.stream(DAYS, max_tokens=200):
            child().send_signal(signal.SIGKILL)
    assert (await (await one.get()).complete(DAYS, max_tokens=4)).text
    assert layers_of(child()) == 0
    assert "the CPU is used for a day" in one.notice
    await one.close()


async def test_memory_that_is_not_there(loader, engine, tmp_path):
    """All layers find too little memory, as beside another program; half of them find enough."""
    program = next((tmp_path / "engines").iterdir())
    real = tmp_path / "llama-server"
    program.rename(real)
    limit = f'case "$*" in *"--gpu-layers {LAYERS} "*) ulimit -v 1150000;; esac'
    program.write_text(f'#!/bin/sh\n{limit}\nexec "{real}" "$@"\n')
    program.chmod(0o700)
    remember_choice(tmp_path, program)
    one = loader(context=16384)
    model = await one.get()
    assert layers_of(child()) == LAYERS // 2
    assert f"takes {LAYERS // 2} of {LAYERS} layers" in one.notice
    assert (await model.complete(DAYS, max_tokens=4)).text
    await one.close()
