#!/usr/bin/env python3
"""A fake of llama.cpp's server: health, tokens, chat; it logs its key and how it was called.

With weights named `dies` it does so at once.
"""

from __future__ import annotations

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

KEY = os.environ.get("LLAMA_API_KEY", "")
WEIGHTS = sys.argv[sys.argv.index("--model") + 1]


class FakeLlamaServer(BaseHTTPRequestHandler):
    """Answers what the launcher and the client ask."""

    def log_message(self, *_: object) -> None:
        """Be quiet."""

    def do_GET(self) -> None:
        """`/health`, without a key."""
        self.reply(200 if self.path == "/health" else 404, {"status": "ok"})

    def do_POST(self) -> None:
        """The endpoints of a chat, with the key only."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers.get("Authorization") != f"Bearer {KEY}":
            self.reply(401, {"error": "no key"})
        elif self.path == "/tokenize":
            self.reply(200, {"tokens": asked["content"].split()})
        elif self.path == "/v1/chat/completions":
            self.stream(json.dumps({"pid": os.getpid(), "args": sys.argv[1:], "asked": asked}))
        else:
            self.reply(404, {})

    def reply(self, status: int, answer: dict[str, object]) -> None:
        """One JSON object."""
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, text: str) -> None:
        """One chunk, and the end."""
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": "stop"}
        chunk = json.dumps({"choices": [choice]})
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"data: {chunk}\n\ndata: [DONE]\n\n".encode())


if Path(WEIGHTS).stem == "dies":
    sys.exit("error: this processor has no such instruction")
if not KEY or os.environ.get("LLAMA_ARG_HOST"):
    sys.exit("error: the environment is not the one that was meant")
server = ThreadingHTTPServer(("127.0.0.1", 0), FakeLlamaServer)
print(f"I srv  llama_server: listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
