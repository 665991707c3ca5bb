"""A model server in a process of its own, that can be killed: real HTTP, an invented model.

Its answers are words that begin with its own name, as slowly as it is told to; its vectors follow
from the text alone, so that every such server gives the same ones.
"""

from __future__ import annotations

import hashlib
import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

LONGEST = 60.0  # seconds to wait for a process on a busy machine
DIMENSIONS = 16


class FakeModelServer:
    """One server. `asked` counts its requests so far; `kill` ends it as a crash would."""

    def __init__(self, name: str, *, words: int = 5, pause: float = 0.0, seed: str = "") -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self._told = [name, str(words), str(pause), seed]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> FakeModelServer:
        """Start it and wait until it answers."""
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__)), str(self.port), *self._told]
        )
        until = time.monotonic() + LONGEST
        while True:
            try:
                self.asked()
                return self
            except OSError:
                assert time.monotonic() < until and self._process.poll() is None
                time.sleep(0.05)

    def asked(self) -> Counter[str]:
        """Requests by path."""
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(f"http://127.0.0.1:{self.port}/asked", timeout=LONGEST) as answer:
            return Counter(json.load(answer))

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait(LONGEST)
            self._process = None


def vector(text: str, seed: str = "") -> list[float]:
    """The vector that every server with this seed gives for a text."""
    digest = hashlib.sha256((seed + text).encode()).digest()
    return [float(byte) - 128 for byte in digest[:DIMENSIONS]]


class Handler(BaseHTTPRequestHandler):
    """What the process answers."""

    protocol_version = "HTTP/1.1"
    told: tuple[str, int, float, str]
    counts: ClassVar[Counter[str]] = Counter()

    def do_GET(self) -> None:
        self._answer(dict(self.counts))

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        what = self.path.split("/")[2]
        self.counts[what] += 1
        name, words, pause, seed = self.told
        if what == "embeddings":
            time.sleep(pause)
            vectors = (vector(text, seed) for text in asked["input"])
            rows = [{"index": at, "embedding": found} for at, found in enumerate(vectors)]
            self._answer({"data": rows, "usage": {"prompt_tokens": len(rows)}})
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for number in range(words):
            self._piece({"delta": {"content": f"{name}{number} "}, "finish_reason": None})
            time.sleep(pause)
        self._piece({"delta": {}, "finish_reason": "stop"})
        self.wfile.write(b"data: [DONE]\n\n")

    def _piece(self, choice: dict[str, object]) -> None:
        self.wfile.write(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())
        self.wfile.flush()

    def _answer(self, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """Takes many askers at once, and minds none that leaves."""

    request_queue_size = 128

    def handle_error(self, *_: object) -> None:
        pass


def main(port: str, name: str, words: str, pause: str, seed: str) -> None:
    """Serve until the process is ended."""
    Handler.told = (name, int(words), float(pause), seed)
    Server(("127.0.0.1", int(port)), Handler).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
