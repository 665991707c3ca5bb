"""Small real HTTP servers on loopback that play an endpoint in trouble."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager


class Request:
    """What a client sent: its headers (names in lower case) and its JSON body."""

    def __init__(self, head: str, body: bytes) -> None:
        self.line, *lines = head.splitlines()
        self.headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines if line)
        }
        self.body = json.loads(body) if body else {}


Reply = Callable[[int, Request], bytes]


def chunk(text: str | None = None, finish: str | None = None, **more: object) -> bytes:
    """One server-sent event of a completion's stream."""
    delta = {} if text is None else {"content": text}
    choice = {"index": 0, "delta": delta | more, "finish_reason": finish}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


def stream(*events: bytes) -> bytes:
    """A good answer: the events, then the end mark."""
    return ok(b"".join(events) + b"data: [DONE]\n\n")


def ok(body: bytes, *, promised: int = 0) -> bytes:
    """HTTP 200 with a body, of which `promised` bytes more are announced than sent."""
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
        + (f"Content-Length: {len(body) + promised}\r\n" if promised >= 0 else "")
        + "\r\n"
    )
    return head.encode() + body


def status(code: int, body: str = "") -> bytes:
    """Another status with a text."""
    return (
        f"HTTP/1.1 {code} Fake\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


@asynccontextmanager
async def fake_endpoint(reply: Reply) -> AsyncIterator[tuple[str, list[Request]]]:
    """Serve `reply(number of the request from 1, request)`; gives base URL and requests seen."""
    seen: list[Request] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next(
                (
                    int(line[15:])
                    for line in head.lower().splitlines()
                    if line[:15] == "content-length:"
                ),
                0,
            )
            seen.append(Request(head, await reader.readexactly(length)))
            writer.write(reply(len(seen), seen[-1]))
            await writer.drain()
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", seen
