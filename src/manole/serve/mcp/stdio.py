"""MCP over standard input and output: a message a line, and nothing else on standard output."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from io import TextIOWrapper
from typing import TYPE_CHECKING, cast

import anyio
from mcp.server.stdio import stdio_server

from manole.serve.mcp.server import McpServer
from manole.serve.stdout import protocol_stdout

if TYPE_CHECKING:
    from typing import Self

_IN = 0
_CHUNK = 1 << 16


async def serve_stdio(server: McpServer) -> None:
    """Answer one client until its input ends."""
    with protocol_stdout() as out:
        output = anyio.wrap_file(TextIOWrapper(out, encoding="utf-8", newline="\n"))
        lines = cast("anyio.AsyncFile[str]", InputLines())  # of a file, only iteration is used
        try:
            async with stdio_server(lines, output) as (incoming, outgoing):
                options = server.create_initialization_options()
                await server.run(incoming, outgoing, options)
        except* BrokenPipeError:  # the client has gone
            pass


class InputLines:
    """Standard input by lines. Waiting for one can be cancelled, so that Ctrl-C ends at once.

    A thread reads the descriptor itself: one that waits inside a buffered file would hold its lock
    while the interpreter shuts down.
    """

    def __init__(self, descriptor: int = _IN) -> None:
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(descriptor,), daemon=True).start()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        line = await self._queue.get()
        if line is None:
            raise StopAsyncIteration
        return line

    def _read(self, descriptor: int) -> None:
        rest = b""
        with contextlib.suppress(OSError, RuntimeError):  # the loop has ended meanwhile
            while chunk := os.read(descriptor, _CHUNK):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    self._put(line.decode("utf-8", "replace"))
        with contextlib.suppress(RuntimeError):
            self._put(None)

    def _put(self, line: str | None) -> None:
        self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
