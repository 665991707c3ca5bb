"""`manole models tune` with the smallest real model."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

from manole.errors import ModelError
from manole.models.engine.options import EngineOptions
from manole.models.gpu import placing
from manole.models.gpu.devices import Gpu
from manole.models.load import ChatLoader
from manole.models.weights.cache import Weights
from manole.settings import ModelSettings, Settings
from manole_engine import tune


@pytest.fixture
def small(session_settings):
    return str(Weights(session_settings.weights_dir).ensure("smollm2-135m-instruct")["model.gguf"])


def test_it_measures_chooses_and_remembers(manole, small, tmp_path):
    cache = tmp_path / "cache"
    done = manole(
        *("models", "tune", small, "--quick", "--no-compile", "--json"),
        MANOLE_CACHE_DIR=str(cache),
        MANOLE_MODEL__THREADS="1",
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    first, *others = told["candidates"]
    assert first["name"] == "as it comes"
    assert first["same_answers"]
    assert first["read_tokens_per_second"] > 0
    assert first["write_tokens_per_second"] > 0
    assert others
    assert all(one["same_answers"] or not one["chosen"] for one in others)
    (kept,) = json.loads((cache / "tuning.json").read_text())["choices"].values()
    assert kept == told["choice"]
    assert kept["threads"] == 1
    assert kept["native"] is None


def test_ctrl_c_leaves_nothing_behind(environment, small, tmp_path):
    cache = tmp_path / "cache"
    command = [sys.executable, "-m", "manole.cli.app", "models", "tune", small, "--no-compile"]
    child = subprocess.Popen(
        command,
        env=environment | {"MANOLE_CACHE_DIR": str(cache)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    assert "Measuring: as it comes" in child.stderr.readline()
    child.send_signal(signal.SIGINT)
    rest = child.stderr.read()
    child.stderr.close()
    assert child.wait() != 0
    assert "Traceback" not in rest
    assert not (cache / "tuning.json").exists()


async def test_what_it_finds_out_of_a_gpu_holds_for_the_first_start(tmp_path, monkeypatch):
    """Both look under the same key, so a device is checked once."""
    path = tmp_path / "some.gguf"
    path.write_bytes(b"GGUF and nothing more")
    settings = Settings(cache_dir=tmp_path / "cache", model=ModelSettings(name=str(path)))
    started = []

    async def fake_start(wanted, engine, *, on_gpu):
        started.append(wanted)
        raise ModelError("no engine")

    monkeypatch.setattr(placing, "start_usual", fake_start)
    with pytest.raises(ModelError, match="no engine"):
        await ChatLoader(settings, Weights(settings.weights_dir)).get()
    probing = EngineOptions(threads=3, layers=20)
    gpus = (Gpu("Vulkan0", "Some card", 8 * 2**30, 8 * 2**30),)
    probed = tune._wanted("some.gguf", path, settings, probing)
    assert probed.place("engine", gpus).key == started[0].place("engine", gpus).key
    other = tune._wanted("some.gguf", path, settings, EngineOptions(kv="q8_0"))
    assert other.place("engine", gpus).key != started[0].place("engine", gpus).key


def test_an_endpoint_cannot_be_tuned(manole):
    done = manole("models", "tune", "ollama:some")
    assert done.returncode == 2
    assert "ollama:some is an endpoint" in done.stderr


def test_an_unknown_model_is_refused(manole):
    done = manole("models", "tune", "no-such-model")
    assert done.returncode == 2
    assert "no-such-model" in done.stderr
