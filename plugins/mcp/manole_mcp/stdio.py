"""MCP over standard input and output: a message a line, and nothing else on standard output.

Lines are those of `manole stdio`: bounded, read and written by threads of their own. A line that
is no message is refused in the protocol, and never repeated, since it may hold private text.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from manole_mcp.server import McpServer
from manole_stdio.descriptors import Descriptors
from manole_stdio.lines import LineReader, LineWriter
from manole_stdio.protocol import MAX_LINE

_PATIENCE = 5.0  # seconds that the end waits for the other side to read; set by hand

Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]


async def serve_stdio(server: McpServer, ends: Descriptors) -> None:
    """Answer one client until its input ends, or until it reads no more."""
    reader, writer = LineReader(ends.requests, MAX_LINE), LineWriter(ends.answers)
    async with _streams(reader, writer) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
    await writer.close(_PATIENCE)


@asynccontextmanager
async def _streams(reader: LineReader, writer: LineWriter) -> AsyncIterator[Streams]:
    """Connect the lines with the streams of messages that the SDK reads and writes."""
    into, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, out_of = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            async with into:
                async for line in reader:
                    message = _message(line)
                    if isinstance(message, bytes):
                        await writer.write(message)
                    elif message is not None:
                        await into.send(SessionMessage(message))

    async def write() -> None:
        async with out_of:
            async for item in out_of:
                text = item.message.model_dump_json(by_alias=True, exclude_none=True)
                await writer.write(text.encode() + b"\n")

    async with anyio.create_task_group() as watching:

        async def end_with_the_client() -> None:
            await writer.gone.wait()
            watching.cancel_scope.cancel()

        watching.start_soon(end_with_the_client)
        async with anyio.create_task_group() as working:
            working.start_soon(read)
            working.start_soon(write)
            yield incoming, outgoing
        watching.cancel_scope.cancel()


def _message(line: bytes | None) -> types.JSONRPCMessage | bytes | None:
    """Return the message in a line, a refusal where there is none, `None` for an empty line."""
    if line is None:
        return _refusal(types.INVALID_REQUEST, f"A line may have {MAX_LINE:,} bytes at most.")
    if not line.strip():
        return None
    try:
        return types.JSONRPCMessage.model_validate_json(line.decode("utf-8", "replace"))
    except ValidationError as error:
        torn = any(problem["type"] == "json_invalid" for problem in error.errors())
        code = types.PARSE_ERROR if torn else types.INVALID_REQUEST
        return _refusal(code, "That line is no JSON-RPC message.")


def _refusal(code: int, message: str) -> bytes:
    """Return the line of an error without a request (JSON-RPC 2.0, section 5)."""
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
    return json.dumps(body).encode() + b"\n"
