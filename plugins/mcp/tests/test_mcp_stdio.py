"""`manole mcp` as a client starts it: a process that talks by standard input and output."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest
from mcp.types import LATEST_PROTOCOL_VERSION
from mcp_clients import PROGRAM
from pydantic import AnyUrl

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": LATEST_PROTOCOL_VERSION,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}

HELLO_DONE = '{"jsonrpc": "2.0", "method": "notifications/initialized"}'


@pytest.fixture
def folder(household_folder, tmp_path):
    """A part of the household that is soon indexed."""
    shutil.copytree(household_folder / "recipes", tmp_path / "home" / "recipes")
    return str(tmp_path / "home")


CALLS = (
    ("search", {"query": "lentils"}),
    ("read", {"file": "recipes/lentil-soup.md"}),
    ("ask", {"question": "how many files are there?"}),
    ("about", {"name": "lentil"}),
    ("grep", {"pattern": "lentils"}),
    ("check", {"text": "The soup is made of lentils."}),
    ("due", {}),
    ("count_files", {}),
    ("list_files", {"limit": 2}),
    ("grep_files", {"pattern": "lentil"}),
    ("file_metadata", {"name_hint": "lentil-soup.md"}),
    ("directory_tree", {}),
    ("folder_stats", {}),
    ("disk_usage", {}),
)


async def test_a_folder_without_index_is_indexed_and_every_tool_answers(
    over_stdio, folder, tmp_path
):
    async with over_stdio(folder, MANOLE_DATA_DIR=str(tmp_path / "data")) as session:
        tools = [tool.name for tool in (await session.list_tools()).tools]
        assert sorted(tools) == sorted(name for name, _ in CALLS)
        for name, arguments in CALLS:
            answer = await session.call_tool(name, arguments)
            assert not answer.isError, answer
            assert answer.structuredContent
        found = await session.call_tool("search", {"query": "lentils"})
        uri = found.structuredContent["results"][0]["uri"]
        (part,) = (await session.read_resource(AnyUrl(uri))).contents
        assert "lentil" in part.text.lower()
        wrong = await session.call_tool("read", {"file": "../../etc/passwd"})
        assert wrong.isError and "outside" in wrong.content[0].text


def test_standard_output_carries_the_protocol_alone(environment, folder, tmp_path):
    call = {"name": "count_files", "arguments": {}}
    messages = [
        HELLO,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        "this is no message",
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "id": 3, "method": "no/such"},
    ]
    noisy = (  # as a C library, Python and a child process would print it
        "import ctypes, subprocess\n"
        "from manole_mcp import ready\n"
        "class Noisy(ready.Ready):\n"
        "    async def wait(self, report):\n"
        "        ctypes.CDLL(None).puts(b'from C')\n"
        "        print('from Python')\n"
        "        subprocess.run(['echo', 'from a child'])\n"
        "        await super().wait(report)\n"
        "ready.Ready = Noisy\n"
        "from manole.cli.app import main\n"
        "main()\n"
    )
    with subprocess.Popen(
        [PROGRAM[0], "-c", noisy, "mcp", folder],
        env=environment | {"MANOLE_DATA_DIR": str(tmp_path / "data")}, cwd=tmp_path,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        for message in messages:
            text = message if isinstance(message, str) else json.dumps(message)
            process.stdin.write(text + "\n")
        process.stdin.flush()
        answers = {}
        while not {1, 2, 3} <= answers.keys():
            answer = json.loads(process.stdout.readline())
            assert answer["jsonrpc"] == "2.0"
            answers[answer.get("id")] = answer
        rest, errors = process.communicate(timeout=60)
        assert all(json.loads(line)["jsonrpc"] for line in rest.splitlines())
    assert process.returncode == 0
    assert "4 files" in answers[2]["result"]["content"][0]["text"]
    assert "error" in answers[3]
    for said in ("from C", "from Python", "from a child"):
        assert said in errors
    assert "Traceback" not in errors


def test_a_line_that_is_no_message_is_refused_and_not_repeated(environment, folder, tmp_path):
    lines = [
        json.dumps(HELLO),
        "",
        "hush " * 1_000_000,
        '{"jsonrpc": "2.0", "method": "tools/call", "hush": ',
        '["hush"]',
        '{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": ["hush"]}}',
        '{"jsonrpc": "2.0", "method": "notifications/progress", "params": {"hush": "hush"}}',
        '{"jsonrpc": "2.0", "id": 3, "method": "tools/list"}',
    ]
    with subprocess.Popen(
        [*PROGRAM, "mcp", folder],
        env=environment | {"MANOLE_DATA_DIR": str(tmp_path / "data")}, cwd=tmp_path,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        process.stdin.write("\n".join([*lines[:1], HELLO_DONE, *lines[1:]]) + "\n")
        process.stdin.flush()
        answers = []
        while not answers or answers[-1].get("id") != 3:
            answers.append(json.loads(process.stdout.readline()))
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    refused = [one["error"]["code"] for one in answers if one.get("id", 0) is None]
    assert refused == [-32600, -32700, -32600]
    assert {one["id"]: "error" in one for one in answers if one.get("id")} == {
        1: False, 2: True, 3: False,
    }  # fmt: skip
    assert "hush" not in errors


def test_a_folder_that_is_not_there_is_said_on_standard_error(environment, tmp_path):
    done = subprocess.run(
        [*PROGRAM, "mcp", "nowhere"],
        env=environment, cwd=tmp_path, capture_output=True, text=True, input="",
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == ""
    assert "nowhere" in done.stderr and "Traceback" not in done.stderr


def test_input_that_ends_at_once_ends_the_program_in_the_midst_of_a_sync(
    environment, household_folder, tmp_path
):
    done = subprocess.run(
        [*PROGRAM, "mcp", str(household_folder)],
        env=environment | {"MANOLE_DATA_DIR": str(tmp_path / "data")},
        cwd=tmp_path, capture_output=True, text=True, input="", timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
    assert "Traceback" not in done.stderr


def test_help_loads_neither_the_sdk_nor_a_server():
    program = (
        "import contextlib, io, sys\n"
        "from manole.cli.app import main\n"
        "sys.argv = ['manole', 'mcp', '--help']\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()) as out:\n"
        "    main()\n"
        "assert 'Model Context Protocol' in out.getvalue()\n"
        "assert not {'mcp', 'uvicorn', 'starlette', 'fastapi', 'anyio'} & set(sys.modules)\n"
    )
    done = subprocess.run([PROGRAM[0], "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_ends_with_a_sentence_where_its_input_is_closed(tmp_path):
    command = [*PROGRAM, "mcp", str(tmp_path)]
    done = subprocess.run(
        command, capture_output=True, text=True, preexec_fn=lambda: os.close(0), timeout=60
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "Standard input or output is closed." in done.stderr
    assert "Traceback" not in done.stderr
