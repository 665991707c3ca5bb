"""Asks a `manole serve` of its own over HTTP: `asking.py FOLDER QUESTION`, printing the answer.

A program, because it must run in the same network name space as the server (`sealed.py`).
"""

from __future__ import annotations

import re
import subprocess
import sys

import httpx

LONG = 90.0


def main(folder: str, question: str) -> int:
    """The server's exit code."""
    command = [sys.executable, "-m", "manole.cli.app", "serve", folder, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        greeting = server.stdout.readline()
        url = re.search(r"http://127\S+?(?=/ )", greeting)
        assert url, greeting
        with httpx.Client(base_url=url[0], timeout=LONG, trust_env=False) as client:
            assert client.get("/search", params={"q": question}).is_success
            print(client.post("/agentic_search", json={"query": question}).text)
        server.terminate()
        server.communicate(timeout=LONG)
    return server.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
