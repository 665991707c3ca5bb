"""`manole serve` processes that are asked again and again."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

from seaweed import free_ports, program

WAIT_S = 120.0
PATIENCE_S = 600.0  # of a question: the model shares two cores with all the rest


class Server:
    """One stateless server. Use it as a context manager."""

    def __init__(self, address: str, folder: Path, *options: str) -> None:
        self.port = free_ports(1)[0]
        self._address = address
        self._folder = folder
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Server:
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "serve.log").open("ab") as log:
            self._process = subprocess.Popen(
                [program("manole"), "serve", "--library", self._address, "--port", str(self.port),
                 *self._options],
                stdout=log, stderr=log, env=os.environ | {"MANOLE_DATA_DIR": str(self._folder)},
            )  # fmt: skip
        until = time.monotonic() + WAIT_S
        while True:
            try:
                self.get("/health")
            except OSError:
                if time.monotonic() > until or self._process.poll() is not None:
                    self.__exit__()
                    said = (self._folder / "serve.log").read_text(errors="replace")
                    raise RuntimeError(f"manole serve did not start: {said[-2000:]}") from None
                time.sleep(0.2)
            else:
                return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    def get(self, path: str) -> dict[str, object]:
        """An answer as JSON."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=120) as answer:
            return dict(json.load(answer))

    def search(self, words: str, limit: int = 5) -> list[dict[str, object]]:
        """The passages found."""
        query = urllib.parse.urlencode({"q": words, "limit": limit})
        return self.get(f"/search?{query}")["results"]  # type: ignore[return-value]

    def ask(self, question: str) -> dict[str, Any]:
        """The `complete` event of an answer. Raises `OSError` where it broke off."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/agentic_search",
            json.dumps({"query": question}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            events = [json.loads(line) for line in answer.read().splitlines()]
        for event in events:
            if event["type"] == "error" and not event["recoverable"]:
                raise OSError(f"{event['message']} {event['suggestion']}")
        if not events or events[-1]["type"] != "complete" or not events[-1]["answer"]:
            raise OSError(f"the answer to {question} broke off after {len(events)} events")
        return dict(events[-1])


class Asking:
    """Has servers asked in turn until it is left; `answered` and `failed` count.

    `ask` gets the server and the number of the request; what it returns is kept in `found`, and
    `OSError` is a failure. `pause` is in seconds, after each request.
    """

    def __init__(
        self, servers: list[Server], ask: Callable[[Server, int], Any], pause: float = 0.1
    ) -> None:
        self._servers = servers
        self._ask = ask
        self._pause = pause
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self.run, daemon=True)
        self.answered = [0] * len(servers)
        self.failed: list[str] = []
        self.seconds: list[float] = []
        self.found: list[Any] = []

    def __enter__(self) -> Asking:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def run(self, most: float = inf) -> None:
        """Ask `most` times, or until this is left."""
        number = 0
        while number < most and not self._stop.is_set():
            at = number % len(self._servers)
            began = time.perf_counter()
            try:
                found = self._ask(self._servers[at], number)
            except urllib.error.HTTPError as error:
                self.failed.append(f"{error.code} {error.read().decode()[:300]}")
            except OSError as error:
                self.failed.append(str(error))
            else:
                self.seconds.append(time.perf_counter() - began)
                self.answered[at] += 1
                self.found.append(found)
            number += 1
            self._stop.wait(self._pause)
