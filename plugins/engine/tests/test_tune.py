"""`manole models tune` with the smallest real model."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

from manole.models.weights.cache import Weights


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


def test_an_endpoint_cannot_be_tuned(manole):
    done = manole("models", "tune", "ollama:some")
    assert done.returncode == 2
    assert "ollama:some is an endpoint" in done.stderr


def test_an_unknown_model_is_refused(manole):
    done = manole("models", "tune", "no-such-model")
    assert done.returncode == 2
    assert "no-such-model" in done.stderr
