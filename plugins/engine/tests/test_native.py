"""The compiled engine as a child process. The server is a fake; the launcher is real."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from manole.errors import ModelError
from manole.models.chat.protocol import Message
from manole.models.engine.options import EngineOptions
from manole.models.engine.prefixes import Prefixes
from manole.settings import ModelSettings
from manole_engine.native import NativeLlama, arguments

FAKE = Path(__file__).parent / "fake_llama_server.py"
SETTINGS = ModelSettings(context=1024, threads=1)
HELLO = [Message("user", "hello")]


@pytest.fixture
def fake_server(tmp_path):
    """The fake as a program: a script that this interpreter runs."""
    program = tmp_path / "fake-llama-server"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" "$@"\n')
    program.chmod(0o755)
    return program


@pytest.fixture
def weights(tmp_path):
    path = tmp_path / "some.gguf"
    path.write_bytes(b"GGUF" + b"x" * 99)
    return path


async def told(model):
    """What the fake was told: its process, its arguments and the request's body."""
    return json.loads((await model.complete(HELLO, max_tokens=5, slot="a")).text)


async def is_gone(pid):
    """Waits until the process has ended; false after ten seconds."""
    for _ in range(200):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        await asyncio.sleep(0.05)
    return False


async def test_it_answers_and_ends_when_closed(fake_server, weights):
    model = await NativeLlama.load("m", weights, SETTINGS, EngineOptions(native=fake_server))
    seen = await told(model)
    assert model.name == "m"
    assert seen["args"][seen["args"].index("--model") + 1] == str(weights)
    assert seen["asked"]["id_slot"] in (0, 1)
    assert await model.count_tokens("three little words") == 3
    await model.close()
    await model.close()
    assert await is_gone(seen["pid"])


async def test_the_key_is_new_each_time_and_on_no_command_line(fake_server, weights):
    options = EngineOptions(native=fake_server)
    models = [await NativeLlama.load("m", weights, SETTINGS, options) for _ in range(2)]
    keys = {model._client.headers["Authorization"].removeprefix("Bearer ") for model in models}
    lines = [psutil.Process((await told(model))["pid"]).cmdline() for model in models]
    for model in models:
        await model.close()
    assert len(keys) == 2
    assert not any(key in part for key in keys for line in lines for part in line)


async def test_options_of_the_environment_do_not_count(fake_server, weights, monkeypatch):
    monkeypatch.setenv("LLAMA_ARG_HOST", "0.0.0.0")
    model = await NativeLlama.load("m", weights, SETTINGS, EngineOptions(native=fake_server))
    assert (await told(model))["pid"]
    await model.close()


async def test_it_dies_with_a_parent_that_is_killed(fake_server, weights):
    code = (
        "import asyncio, json, sys\n"
        "from pathlib import Path\n"
        "from manole.models.chat.protocol import Message\n"
        "from manole.models.engine.options import EngineOptions\n"
        "from manole_engine.native import NativeLlama\n"
        "from manole.settings import ModelSettings\n"
        "async def main():\n"
        "    options = EngineOptions(native=Path(sys.argv[1]))\n"
        "    settings = ModelSettings(threads=1)\n"
        "    model = await NativeLlama.load('m', Path(sys.argv[2]), settings, options)\n"
        "    done = await model.complete([Message('user', 'x')], max_tokens=1)\n"
        "    print(json.loads(done.text)['pid'], flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(fake_server), str(weights)], stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    server = int(await asyncio.to_thread(parent.stdout.readline))
    assert psutil.pid_exists(server)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    assert await is_gone(server)


async def test_a_server_that_dies_says_why(fake_server, tmp_path):
    path = tmp_path / "dies.gguf"
    path.write_bytes(b"GGUF")
    with pytest.raises(ModelError, match=r"dies\.gguf.*no such instruction"):
        await NativeLlama.load("m", path, SETTINGS, EngineOptions(native=fake_server))


async def test_a_program_that_is_none(weights, tmp_path):
    with pytest.raises(ModelError, match="could not load"):
        await NativeLlama.load("m", weights, SETTINGS, EngineOptions(native=tmp_path / "gone"))


def test_every_option_is_told(weights, tmp_path):
    store = Prefixes.at(tmp_path, "x")
    options = EngineOptions(
        threads=2,
        ubatch=128,
        kv="q8_0",
        flash="on",
        lookup=8,
        draft=16,
        native=Path("/opt/llama-server"),
    )
    line = " ".join(arguments(weights, SETTINGS, options, store))
    for part in (
        f"/opt/llama-server --model {weights} --host 127.0.0.1 --port 0",
        "--ctx-size 1024 --parallel 4 --kv-unified",
        "--threads 2 --threads-batch 2 --ubatch-size 128 --flash-attn on",
        "--cache-type-k q8_0 --cache-type-v q8_0",
        "--spec-type ngram-simple --spec-ngram-simple-size-n 8 --spec-ngram-simple-size-m 16",
        f"--slot-save-path {tmp_path}",
    ):
        assert part in line
    assert "--spec-type" not in arguments(weights, SETTINGS, EngineOptions(), None)
