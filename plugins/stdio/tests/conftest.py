"""A tiny folder, indexed once by the real program, and servers for it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from talk import Program, Talk, fill

from manole.serve.service import Service
from manole.settings import Settings
from manole_stdio.descriptors import Descriptors
from manole_stdio.lines import LineReader, LineWriter
from manole_stdio.protocol import MAX_LINE
from manole_stdio.server import Server

sys.path.insert(0, str(Path(__file__).parents[3] / "tests"))
pytest_plugins = ["common_fixtures"]


@pytest.fixture(scope="session")
def stdio_settings(tmp_path_factory, session_settings) -> Settings:
    data = tmp_path_factory.mktemp("stdio-data")
    return Settings(data_dir=data, cache_dir=session_settings.cache_dir)


@pytest.fixture(scope="session")
def environment(stdio_settings, tmp_path_factory):
    """The variables of a user whose model does not answer, so that no test waits for one."""
    left_out = ("MANOLE_", "PYTHONUNBUFFERED")  # the latter makes C's own output unbuffered, too
    kept = {k: v for k, v in os.environ.items() if not k.startswith(left_out)}
    return kept | {
        "MANOLE_DATA_DIR": str(stdio_settings.data_dir),
        "MANOLE_CACHE_DIR": str(stdio_settings.cache_dir),
        "MANOLE_MODEL__NAME": "openai:gone",
        "MANOLE_MODEL__BASE_URL": "http://127.0.0.1:9/v1",
        "XDG_CONFIG_HOME": str(tmp_path_factory.mktemp("config")),
    }


@pytest.fixture(scope="session")
def tiny(tmp_path_factory, environment):
    """The folder, once it is indexed. Tests must not change it."""
    folder = fill(tmp_path_factory.mktemp("stdio") / "tiny")
    command = [sys.executable, "-m", "manole.cli.app", "index", str(folder)]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def program(environment, tiny):
    """One server process for the tests of a module; it has to end well."""
    program = Program(environment, "stdio", str(tiny), "--reuse")
    program.wait(lambda m: m["type"] == "ready", "the beginning")
    yield program
    program.hang_up()
    assert program.end() == 0
    assert "Traceback" not in program.stderr


@contextmanager
def pipes():
    """A talk, and the descriptors of its other side."""
    from_client, requests = os.pipe()
    answers, to_client = os.pipe()
    talk = Talk(requests, answers)
    yield talk, Descriptors(from_client, to_client)
    for descriptor in (from_client, to_client):
        os.close(descriptor)
    talk.end()


@pytest.fixture
def serving(stdio_settings, tiny):
    """`async with serving(model) as talk`: a server in this process, with any model."""

    @asynccontextmanager
    async def serve(model, folder=tiny, *, sync=False, **serving):
        import asyncio

        chosen = stdio_settings.serve.model_copy(update=serving)
        settings = stdio_settings.model_copy(update={"serve": chosen})
        with pipes() as (talk, ends):
            async with Service(settings, model) as service:
                opened = await service.open(folder)
                server = Server(
                    service,
                    opened,
                    LineReader(ends.requests, MAX_LINE),
                    LineWriter(ends.answers),
                )
                task = asyncio.create_task(server.run(sync=sync))
                try:
                    yield talk
                finally:
                    talk.hang_up()
                    server.end()
                    await task

    return serve
