"""A hub on loopback that answers like the real one, and the store that it sends on to.

The hub is 127.0.0.1 and the store is localhost: two hosts of one server.
"""

from __future__ import annotations

import hashlib
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FILE = "/someone/tiny/resolve/main/tiny.gguf"
COMMIT = "a" * 40


class FakeHub:
    """`content` is its only file. `seen` has (method, host, headers) of each request, in order."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.direct = False  # whether the hub gives the file itself
        self.location: str | None = None  # where it sends on to instead
        self.signs_in: bytes = b""  # a web page in place of everything
        self.ranges_work = True
        self.cuts: list[int] = []  # bytes after which the next answers are cut off
        self.refusals: list[tuple[int, dict[str, str]]] = []  # what the next requests get
        self.announced: int | None = None  # the bytes that the hub says the file has
        self.hold: threading.Event | None = None  # half of the file waits for it
        self.seen: list[tuple[str, str, dict[str, str]]] = []
        self.sent = 0
        self.endpoint = ""

    @property
    def tag(self) -> str:
        return f'"{hashlib.sha256(self.content).hexdigest()}"'

    def ranges(self) -> list[str]:
        return [h["range"] for _, host, h in self.seen if host == "localhost" and "range" in h]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: FakeHub

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        hub, host = self.hub, self.headers["Host"].partition(":")[0]
        if self.path == "/":  # somebody asks whether there is a hub
            self._head(200, {"Content-Length": "0"})
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        hub.seen.append((self.command, host, headers))
        if hub.refusals:
            status, more = hub.refusals.pop(0)
            self._head(status, {"Content-Length": "0"} | more)
        elif hub.signs_in:
            self._head(200, {"Content-Type": "text/html", "Content-Length": str(len(hub.signs_in))})
            if self.command == "GET":
                self._send(hub.signs_in)
        elif self.path == "/store" or (self.path == FILE and hub.direct):
            self._file()
        elif self.path == FILE:
            store = f"http://localhost:{self.server.server_address[1]}/store"
            linked = {"X-Linked-Etag": hub.tag, "X-Linked-Size": self._size()}
            on = {"Location": hub.location or store, "Content-Length": "0", "X-Repo-Commit": COMMIT}
            self._head(302, on | linked)
        else:
            self._head(404, {"Content-Length": "0", "X-Error-Code": "EntryNotFound"})

    def _size(self) -> str:
        return str(len(self.hub.content) if self.hub.announced is None else self.hub.announced)

    def _file(self) -> None:
        hub, data, at = self.hub, self.hub.content, 0
        if self.headers.get("Range") and hub.ranges_work:
            at = int(self.headers["Range"].removeprefix("bytes=").rstrip("-"))
        headers = {"ETag": hub.tag, "Content-Length": str(len(data) - at), "X-Repo-Commit": COMMIT}
        if at:
            headers["Content-Range"] = f"bytes {at}-{len(data) - 1}/{len(data)}"
        if self.command == "HEAD":
            headers["Content-Length"] = self._size()
        self._head(206 if at else 200, headers)
        if self.command == "HEAD":
            return
        body = data[at:]
        if hub.cuts:
            body = body[: hub.cuts.pop(0)]
            self.close_connection = True
        with suppress(OSError):  # whoever has enough goes
            if hub.hold is not None:
                self._send(body[: len(body) // 2])
                hub.hold.wait(60)
                body = body[len(body) // 2 :]
            self._send(body)

    def _send(self, data: bytes) -> None:
        for start in range(0, len(data), 1 << 16):
            self.wfile.write(data[start : start + (1 << 16)])
            self.hub.sent += len(data[start : start + (1 << 16)])
        self.wfile.flush()

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # whoever has enough goes
            super().handle_error(request, client_address)


@contextmanager
def fake_hub(content: bytes) -> Iterator[FakeHub]:
    hub = FakeHub(content)
    server = Server(("127.0.0.1", 0), type("Bound", (Handler,), {"hub": hub}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        if hub.hold is not None:
            hub.hold.set()
        server.shutdown()
        thread.join()
        server.socket.close()
