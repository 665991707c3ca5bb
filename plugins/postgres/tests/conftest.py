"""A real PostgreSQL server for the session, and a database of its own for each test."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

HERE = Path(__file__).parent
sys.path[:0] = [
    str(HERE),
    str(HERE.parents[2] / "tests"),
]  # the server, the contract

pytest.register_assert_rewrite("agent.conversations.contract")
hypothesis_settings.register_profile("steady", derandomize=True, deadline=None)
hypothesis_settings.load_profile("steady")

from manole.agent.conversations import Conversations  # noqa: E402
from manole.settings import ConversationsSettings, Settings  # noqa: E402

_NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def postgres():
    """The session's server; whoever kills it starts it again."""
    from postgres_server import Postgres  # its programs come in a wheel that few have

    server = Postgres()
    try:
        server.start()
        yield server
    finally:
        server.close()


@pytest.fixture
def database(postgres):
    """The address of an empty database."""
    name = f"d{next(_NUMBERS)}"
    postgres.sql(f"CREATE DATABASE {name}")
    return postgres.url(name)


@pytest.fixture
def settings(tmp_path, database):
    return Settings(
        data_dir=tmp_path / "data", conversations=ConversationsSettings(database=database)
    )


@pytest.fixture
def environment(settings):
    """For programs that use the same settings."""
    return {
        "MANOLE_DATA_DIR": str(settings.data_dir),
        "MANOLE_CONVERSATIONS__DATABASE": settings.conversations.database,
    }


@pytest.fixture
def store(settings):
    """The conversations of a library called `papers`."""
    store = Conversations.of(settings, "papers")
    yield store
    store.close()


@pytest.fixture
def again(settings):
    """`again()`: the same conversations, on connections that nobody has used yet."""
    opened = []

    def one():
        opened.append(Conversations.of(settings, "papers"))
        opened[-1].close()
        return opened[-1]

    yield one
    for store in opened:
        store.close()


@pytest.fixture(scope="session")
def fresh(postgres):
    """`fresh()`: the conversations of a new library, all of them in one database."""
    postgres.sql("CREATE DATABASE fresh")
    shared = ConversationsSettings(database=postgres.url("fresh"))
    kept = Settings(conversations=shared)
    return lambda: Conversations.of(kept, f"library-{next(_NUMBERS)}")
