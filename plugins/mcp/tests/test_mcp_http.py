"""`manole mcp --http`: a real server on a loopback port, and who may talk to it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess

import httpx
import pytest
from mcp.shared.exceptions import McpError
from mcp_clients import PROGRAM, cancel_last, over_http
from pydantic import AnyUrl
from test_mcp_stdio import CALLS, HELLO

from manole.errors import ManoleError
from manole.serve.server import listen
from manole.settings import ServeSettings

JSON = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
TOKEN = "correct-horse-battery"


@pytest.fixture
def folder(household, household_folder):
    """The household's folder, once it is indexed."""
    assert household.indexed
    return str(household_folder)


async def test_tools_resources_and_progress_over_http(http_server, folder):
    said = []

    async def heard(done, total, message):
        said.append(message)

    with http_server(folder) as url:
        async with over_http(url) as session, over_http(url) as other:
            assert len((await other.list_tools()).tools) == len(CALLS)
            for name, arguments in CALLS:
                answer = await session.call_tool(name, arguments, progress_callback=heard)
                assert not answer.isError, answer
            found = await session.call_tool("search", {"query": "lentils"})
            uri = found.structuredContent["results"][0]["uri"]
            (part,) = (await other.read_resource(AnyUrl(uri))).contents
            assert "lentil" in part.text.lower()
            wrong = await session.call_tool("search", {"query": "x", "limit": 0})
            assert wrong.isError
            with pytest.raises(McpError, match="not an address"):
                await session.read_resource(AnyUrl("file:///etc/passwd"))
        assert any("query(" in message for message in said)
        refused = [
            httpx.post(url, json=HELLO, headers=JSON | {"Host": "evil.example"}),
            httpx.post(url, json=HELLO, headers=JSON | {"Origin": "http://evil.example"}),
            httpx.post(url, json=HELLO, headers=JSON | {"Content-Type": "text/plain"}),
            httpx.post(url, content=b" " * 300_000, headers=JSON),
            httpx.post(url, json=HELLO, headers=JSON | {"Mcp-Session-Id": "another's"}),
            httpx.get(url.removesuffix("/mcp") + "/"),
        ]
        assert [answer.status_code for answer in refused] == [403, 403, 400, 413, 404, 404]


async def test_a_token_is_demanded_where_one_is_set(http_server, folder):
    with http_server(folder, "--reuse", MANOLE_SERVE__TOKEN=TOKEN) as url:
        for given in (
            {},
            {"Authorization": "Bearer wrong-horse-battery"},
            {"Authorization": TOKEN},
        ):
            refused = httpx.post(url, json=HELLO, headers=JSON | given)
            assert refused.status_code == 401
            assert refused.headers["WWW-Authenticate"] == "Bearer"
            assert TOKEN not in refused.text
        async with over_http(url, TOKEN) as session:
            assert not (await session.call_tool("count_files", {})).isError


async def test_a_question_is_cancelled_over_http(http_server, folder):
    asked_of_model = asyncio.Event()

    async def never(reader, writer):
        asked_of_model.set()
        await reader.read()  # until the caller hangs up
        hung_up.set()
        writer.close()

    hung_up = asyncio.Event()
    endpoint = await asyncio.start_server(never, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{endpoint.sockets[0].getsockname()[1]}/v1"
    with http_server(folder, "--reuse", "--model", "openai:fake",
                     MANOLE_MODEL__BASE_URL=address) as url:  # fmt: skip
        async with over_http(url) as session:
            question = {
                "question": "Is the notice period fair?",
                "scope": "home/rental-contract.pdf",
            }
            asked = asyncio.create_task(session.call_tool("ask", question))
            await asyncio.wait_for(asked_of_model.wait(), 60)
            await cancel_last(session)
            with pytest.raises(McpError, match="cancelled"):
                await asked
            await asyncio.wait_for(hung_up.wait(), 60)
    endpoint.close()


def test_no_header_makes_one_client_many(http_server, folder):
    with http_server(folder, "--reuse", MANOLE_SERVE__REQUESTS_PER_MINUTE="8") as url:
        got = [
            httpx.post(url, json=HELLO, headers=JSON | {"X-Forwarded-For": f"10.0.0.{number}"})
            for number in range(4)
        ]
    assert [answer.status_code for answer in got] == [200, 200, 429, 429]


def test_silent_connections_lock_nobody_out(http_server, folder):
    with http_server(folder, "--reuse") as url, contextlib.ExitStack() as stack:
        there = httpx.URL(url)
        silent = [
            stack.enter_context(socket.create_connection((there.host, there.port), timeout=60))
            for _ in range(515)
        ]
        assert httpx.post(url, json=HELLO, headers=JSON).status_code == 200
        assert silent[0].recv(1) == b""  # it has made room


def test_other_machines_are_not_let_in_without_a_token(environment, folder, tmp_path):
    done = subprocess.run(
        [*PROGRAM, "mcp", folder, "--http", "--host", "0.0.0.0", "--reuse"],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert "no token is set" in done.stderr and "MANOLE_SERVE__TOKEN" in done.stderr


def test_a_port_that_is_taken_is_said():
    with listen(ServeSettings(port=0)) as first:
        port = first.getsockname()[1]
        with pytest.raises(ManoleError, match=f"127.0.0.1:{port} cannot be listened on"):
            listen(ServeSettings(port=port))
