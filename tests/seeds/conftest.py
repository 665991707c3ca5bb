"""The small folder, indexed once a run, and the program as it is typed over it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import environment, manole, program
from manole.agent.events import EVENTS
from manole.library import Library
from manole.settings import Settings
from serve.running import Running, running

from .fake_endpoint import FakeEndpoint, Reply, call, serving
from .home import fill
from .turns import Turn

__all__ = ["environment", "manole", "program"]
EXAMPLES = Path(__file__).parents[2] / "examples"
TODAY = "2024-12-15"


@pytest.fixture(scope="session")
def session_settings(session_settings: Settings, tmp_path_factory: pytest.TempPathFactory):
    """Indexes in a folder of their own, so that only this library exists."""
    return session_settings.model_copy(update={"data_dir": tmp_path_factory.mktemp("seeds-data")})


@pytest.fixture(scope="session")
def home(session_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder, once it is indexed. Tests must not change it."""
    folder = fill(tmp_path_factory.mktemp("seeds") / "home")

    async def index() -> None:
        async with await Library.open(folder, session_settings) as library:
            await library.sync()

    asyncio.run(index())
    return folder


@pytest.fixture(scope="session")
def endpoint() -> Iterator[FakeEndpoint]:
    """The model of the servers; a test writes its replies."""
    with serving(FakeEndpoint()) as made:
        yield made


@pytest.fixture(scope="session")
def serve(
    home: Path, session_settings: Settings, endpoint: FakeEndpoint
) -> Iterator[Callable[..., Running]]:
    """`serve()` is `manole serve` over the folder, started once.

    With `sight`, pages are looked at by a vision model, which the endpoint is, too.
    """
    with ExitStack() as servers:

        @cache
        def start(*, sight: bool = False) -> Running:
            fake = {"name": "openai:fake", "base_url": endpoint.url}
            moon = {"name": "openai:moon" if sight else "off", "base_url": endpoint.url}
            settings = session_settings.model_copy(
                update={
                    "model": session_settings.model.model_copy(update=fake),
                    "vision": session_settings.vision.model_copy(update=moon),
                }
            )
            return servers.enter_context(running(home, settings, None))

        yield start


@pytest.fixture(scope="session")
def server(serve) -> Running:
    """The server as it is by default."""
    return serve()


@pytest.fixture
def ask(serve, endpoint: FakeEndpoint) -> Callable[..., Turn]:
    """`ask("how many PDFs?", *replies, strategy="simple")` gives the events of a turn over HTTP."""

    def run(
        question: str,
        *decisions: Reply,
        strategy="agent",
        history=(),
        sent=(),
        sees=False,
        **roles: Reply,
    ) -> Turn:
        endpoint.script(*decisions, **roles)
        body = {
            "query": question, "strategy": strategy, "history": list(history), "today": TODAY,
            **dict(sent),
        }  # fmt: skip
        server = serve(sight=True) if sees else serve()
        answer = server.client.post("/agentic_search", json=body)
        assert answer.status_code == 200, answer.text
        lines = answer.text.splitlines()
        return Turn([EVENTS.validate_json(line) for line in lines], endpoint, lines)

    return run


@pytest.fixture
def literal(ask) -> Callable[..., Turn]:
    """The same in the loop in which the model leads."""
    return partial(ask, strategy="literal")


@pytest.fixture
def tool(literal) -> Callable[..., Any]:
    """`tool("count_files", extension="pdf")`: the first result or error of a call by the model."""

    def run(name: str, **params: object) -> Any:
        turn = literal("What of it?", call(name, **params), "Done.")
        return next(e for e in turn.events if e.type in ("result", "error") and e.tool == name)

    return run


@pytest.fixture(scope="session")
def desktop() -> Any:
    """The client of the example for desktop applications."""
    sys.path.insert(0, str(EXAMPLES / "desktop"))
    try:
        import client
    finally:
        sys.path.pop(0)
    return client
