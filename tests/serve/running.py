"""A real server on a free loopback port, in a thread with an event loop of its own."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from manole.models.chat.protocol import Completion, Delta, Usage
from manole.models.weights.cache import Weights
from manole.serve.connections import USUAL, Limits
from manole.serve.http.app import create_app, serve
from manole.serve.http.page import WEB
from manole.serve.server import address, listen
from manole.serve.service import Service
from manole.settings import Settings

LONG = 60.0  # seconds until a test that hangs is given up


class FakeWaitingModel:
    """A model that says one word and then waits to be stopped, or for `go`.

    It must live on the server's loop; the events are for other threads.
    """

    name = "fake"

    def __init__(self) -> None:
        self.began = threading.Semaphore(0)
        self.stopped = threading.Semaphore(0)
        self.go = threading.Event()
        self.calls = 0

    async def get(self) -> FakeWaitingModel:
        return self

    async def stream(self, messages: Any, **options: Any):
        self.calls += 1
        yield Delta("The")
        self.began.release()
        try:
            while not self.go.is_set():
                await asyncio.sleep(0.01)
        except (asyncio.CancelledError, GeneratorExit):
            self.stopped.release()
            raise
        yield Delta(" end.")
        yield Completion("The end.", Usage())

    async def complete(self, messages: Any, **options: Any) -> Completion:
        return [item async for item in self.stream(messages)][-1]

    async def count_tokens(self, text: str) -> int:
        return len(text) // 4


class Running:
    """A server that runs: `client` is ready to ask it."""

    def __init__(self, url: str, service: Service, loop: Any, server: uvicorn.Server) -> None:
        self.url = url
        self.service = service
        self.name = service.default.name if service.default else ""
        self.client = httpx.Client(base_url=url, timeout=LONG)
        self._loop = loop
        self._server = server

    def call(self, work: Any) -> Any:
        """Run a coroutine on the server's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(LONG)

    def stop(self) -> None:
        """What a signal does."""
        self._server.handle_exit(15, None)

    @property
    def library(self) -> str:
        """The path of the default library's routes."""
        return f"/libraries/{self.name}"


def until(server: Running, **queue: int) -> None:
    """Wait until the queue is as it is told to be."""
    end = time.monotonic() + LONG
    while not queue.items() <= server.client.get("/health").json()["queue"].items():
        assert time.monotonic() < end, server.client.get("/health").json()
        time.sleep(0.02)


@contextmanager
def running(
    folder: Path | list[Path] | None,
    settings: Settings,
    model: Any,
    *,
    weights: Weights | None = None,
    flags: dict[str, Any] | None = None,
    openai_api: bool = False,
    web: Path = WEB,
    limits: Limits = USUAL,
    **serving: Any,
) -> Iterator[Running]:
    """Serve `folder` as it is indexed; `serving` are settings of `serve`."""
    chosen = settings.serve.model_copy(update={"port": 0, **serving})
    settings = settings.model_copy(update={"serve": chosen})
    ready: list[Running] = []
    up = threading.Event()
    failed: list[BaseException] = []

    async def main() -> None:
        async with Service(settings, model=model, weights=weights, flags=flags) as service:
            if folder is not None:
                await service.open(folder)
            app = create_app(service, openai_api=openai_api, web=web)
            sock = listen(chosen.model_copy(update={"host": "127.0.0.1"}))
            url = address(sock)

            def note(server: uvicorn.Server) -> None:
                loop = asyncio.get_running_loop()
                ready.append(Running(url, service, loop, server))
                up.set()

            await serve(app, sock, note, limits)

    def work() -> None:
        try:
            asyncio.run(main())
        except BaseException as error:
            failed.append(error)
            up.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert up.wait(LONG)
    if failed:
        raise failed[0]
    (server,) = ready
    try:
        with server.client:
            yield server
    finally:
        server.stop()
        thread.join(LONG)
        assert not thread.is_alive()
        if failed:
            raise failed[0]
