#!/usr/bin/env python3
"""A fake of a `llama-server` with a graphics processor that has the faults no real one shows here.

    fake_gpu_server.py FAULTS.json ARGUMENTS-OF-LLAMA-SERVER

FAULTS.json says `refuses` (nothing loads on the device), `breaks` (the engine crashes at the first
answer), `dies` (in the midst of a later one), `hangs` (it never answers), `gone` (no device),
`junk` (it loads nowhere). Each start is a line in FAULTS.json.starts.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FILE = Path(sys.argv[1])
FAULTS = json.loads(FILE.read_text())
KEY = os.environ.get("LLAMA_API_KEY", "")

if "--list-devices" in sys.argv:
    print("Available devices:")
    if "gone" not in FAULTS:
        print("  Vulkan0: Fake Graphics (Mesa) 9 (8192 MiB, 8192 MiB free)")
    sys.exit()

WHERE = "CPU" if "none" in sys.argv else "GPU"
with FILE.with_suffix(".starts").open("a") as log:
    print(WHERE, file=log)


class FakeGpuServer(BaseHTTPRequestHandler):
    """Answers what the launcher and the client ask."""

    def log_message(self, *_: object) -> None:
        """Be quiet."""

    def do_GET(self) -> None:
        """`/health`, without a key."""
        self.reply({"status": "ok"})

    def do_POST(self) -> None:
        """The first answer, and a chat."""
        self.rfile.read(int(self.headers["Content-Length"]))
        assert self.headers.get("Authorization") == f"Bearer {KEY}"
        first = self.path == "/completion"
        if WHERE == "GPU" and "hangs" in FAULTS:
            time.sleep(60)
        if WHERE == "GPU" and ("breaks" if first else "dies") in FAULTS:
            os.kill(os.getpid(), signal.SIGSEGV)
            time.sleep(60)  # no answer leaves before the signal is there
        if first:
            self.reply({"content": "and"})
        else:
            self.stream(f"the {WHERE}")

    def reply(self, answer: dict[str, object]) -> None:
        """One JSON object."""
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, text: str) -> None:
        """One chunk, and the end."""
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": "stop"}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"data: {json.dumps({'choices': [choice]})}\n\ndata: [DONE]\n\n".encode())


if "junk" in FAULTS or (WHERE == "GPU" and "refuses" in FAULTS):
    sys.exit("ggml_vulkan: Device memory allocation of size 1073741824 failed.")
server = ThreadingHTTPServer(("127.0.0.1", 0), FakeGpuServer)
print(f"I srv  llama_server: listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
