#!/usr/bin/env python3
"""A fake of a `llama-server` with a graphics processor that has the faults no real one shows here.

    fake_gpu_server.py FAULTS.json ARGUMENTS-OF-LLAMA-SERVER

FAULTS.json says `free` (MiB that the device claims), `fits` (layers that load), `wrong` (it
computes other probabilities), `dies` (the engine crashes in the midst of an answer), `hangs` (it
never answers), `gone` (no device), `rate` (tokens it reads in a second; the CPU reads 40).
Without layers on the device it is without fault. Each start is a line in FAULTS.json.starts.
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


def option(name: str) -> str:
    return sys.argv[sys.argv.index(name) + 1]


if "--list-devices" in sys.argv:
    print("Available devices:")
    if not FAULTS.get("gone"):
        print(
            f"  Vulkan0: Fake Graphics (Mesa) 9 ({FAULTS['free']} MiB, {FAULTS['free']} MiB free)"
        )
    sys.exit()

LAYERS = int(option("--gpu-layers"))
with FILE.with_suffix(".starts").open("a") as log:
    print(LAYERS, file=log)


class FakeGpuServer(BaseHTTPRequestHandler):
    """Answers what the launcher, the check and the client ask."""

    def log_message(self, *_: object) -> None:
        """Be quiet."""

    def do_GET(self) -> None:
        """`/health`, without a key."""
        self.reply({"status": "ok"})

    def do_POST(self) -> None:
        """The check, and a chat."""
        self.rfile.read(int(self.headers["Content-Length"]))
        assert self.headers.get("Authorization") == f"Bearer {KEY}"
        if LAYERS and FAULTS.get("hangs"):
            time.sleep(60)
        if self.path == "/completion":
            self.reply(self.check())
        elif LAYERS and FAULTS.get("dies"):
            os.kill(os.getpid(), signal.SIGSEGV)
        else:
            self.stream(f"{LAYERS} layers")

    def check(self) -> dict[str, object]:
        """Three tokens; a wrong device holds another one to be likely."""
        wrong = LAYERS and FAULTS.get("wrong")
        near = 0.05 if LAYERS else 0.0  # a device adds in another order

        def token(place: int) -> dict[str, object]:
            likely = {"id": 10 + place, "logprob": -0.1 - near}
            other = {"id": 50 + place, "logprob": -3.0 + near}
            if wrong == "nan":
                likely["logprob"] = None
            first, second = (other, likely) if wrong == "other" else (likely, other)
            return {**first, "top_logprobs": [first, second]}

        return {
            "completion_probabilities": [token(place) for place in range(3)],
            "timings": {"prompt_per_second": FAULTS.get("rate", 400.0) if LAYERS else 40.0},
        }

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


if FAULTS.get("fits", 999) < LAYERS:
    sys.exit("ggml_vulkan: Device memory allocation of size 1073741824 failed.")
server = ThreadingHTTPServer(("127.0.0.1", 0), FakeGpuServer)
print(f"I srv  llama_server: listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
