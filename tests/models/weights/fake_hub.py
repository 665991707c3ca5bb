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


class FakeHub:
    """`content` is its only file. `seen` has (host, headers) of each request, in order."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.linked = True  # whether the hub itself names the file by a tag
        self.store_tag = True  # whether the store does
        self.direct = False  # whether the hub gives the file itself
        self.location: str | None = None  # where it sends on to instead
        self.cuts: list[int] = []  # bytes after which the next answers are cut off
        self.refusals: list[tuple[int, dict[str, str]]] = []  # what the next requests get
        self.headers: dict[str, str] = {}  # of the file, in place of what is right; "": none
        self.hold: threading.Event | None = None  # half of the file waits for it
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.sent = 0
        self.endpoint = ""

    @property
    def tag(self) -> str:
        return f'"{hashlib.sha256(self.content).hexdigest()}"'

    def ranges(self) -> list[str]:
        return [h["range"] for host, h in self.seen if host == "localhost" and "range" in h]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: FakeHub

    def do_HEAD(self) -> None:
        self._head(200, {"Content-Length": "0"})

    def do_GET(self) -> None:
        hub, host = self.hub, self.headers["Host"].partition(":")[0]
        hub.seen.append((host, {name.lower(): value for name, value in self.headers.items()}))
        if hub.refusals:
            status, headers = hub.refusals.pop(0)
            self._head(status, {"Content-Length": "0"} | headers)
        elif self.path == "/store" or (self.path == FILE and hub.direct):
            self._file()
        elif self.path == FILE:
            store = f"http://localhost:{self.server.server_address[1]}/store"
            linked = {"X-Linked-Etag": hub.tag} if hub.linked else {}
            self._head(302, {"Location": hub.location or store, "Content-Length": "0"} | linked)
        else:
            self._head(404, {"Content-Length": "0", "X-Error-Code": "EntryNotFound"})

    def _file(self) -> None:
        hub, data, at = self.hub, self.hub.content, 0
        same = self.headers.get("If-Range") in (None, hub.tag)
        if self.headers.get("Range") and same:
            at = int(self.headers["Range"].removeprefix("bytes=").rstrip("-"))
        headers = {"Content-Type": "application/octet-stream"}
        headers |= {"ETag": hub.tag} if hub.store_tag else {}
        if at >= len(data):
            ranges = {"Content-Range": f"bytes */{len(data)}", "Content-Length": "0"}
            return self._head(416, headers | ranges)
        if at:
            headers["Content-Range"] = f"bytes {at}-{len(data) - 1}/{len(data)}"
        headers |= {"Content-Length": str(len(data) - at)} | hub.headers
        self._head(206 if at else 200, {name: value for name, value in headers.items() if value})
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
        if not headers.get("Content-Length"):
            self.close_connection = True
        return None

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
