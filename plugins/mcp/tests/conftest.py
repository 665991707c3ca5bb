"""Real servers for the SDK's client: in this process, over stdio, over HTTP."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.memory import create_connected_server_and_client_session
from mcp_clients import PROGRAM

from manole.serve.service import Service
from manole_mcp.server import make_server

sys.path.insert(0, str(Path(__file__).parents[3] / "tests"))
pytest_plugins = ["common_fixtures"]


@pytest.fixture
def environment(session_settings, tmp_path):
    """The variables of a user who has set nothing, but for where indexes and weights lie."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MANOLE_")}
    return kept | {
        "MANOLE_DATA_DIR": str(session_settings.data_dir),
        "MANOLE_CACHE_DIR": str(session_settings.cache_dir),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }


@pytest.fixture
def connected(session_settings):
    """`async with connected(folder, model) as (session, service)`: within this process."""

    @asynccontextmanager
    async def connect(folder, model=None, *, sync=False, **serving):
        chosen = session_settings.serve.model_copy(update=serving)
        settings = session_settings.model_copy(update={"serve": chosen})
        async with Service(settings, model) as service:
            opened = await service.open(folder)
            if sync:
                await opened.library.sync()
            server = make_server(opened)
            async with create_connected_server_and_client_session(server) as session:
                yield session, service

    return connect


@pytest.fixture
def over_stdio(environment, tmp_path):
    """`async with over_stdio("FOLDER", ...) as session`: a process of its own."""

    @asynccontextmanager
    async def connect(*arguments, **more):
        command, *rest = PROGRAM
        server = StdioServerParameters(
            command=command, args=[*rest, "mcp", *arguments], env=environment | more, cwd=tmp_path
        )
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            yield session

    return connect


@pytest.fixture
def http_server(environment, tmp_path):
    """`with http_server("FOLDER", ...) as url`: a process of its own, on a free port."""

    @contextmanager
    def start(*arguments, **more):
        command = [*PROGRAM, "mcp", *arguments, "--http", "--port", "0"]
        with subprocess.Popen(
            command, env=environment | more, cwd=tmp_path, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                url = ""
                while not url:
                    line = process.stderr.readline()
                    assert line, "it ended before it listened"
                    if line.startswith("Listening at "):
                        url = line.split()[2].rstrip(".")
                yield url
            finally:
                process.terminate()
                process.communicate(timeout=30)

    return start
