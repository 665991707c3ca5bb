"""A store in a temporary folder, and what the contract asks for."""

from __future__ import annotations

import pytest

from manole.agent.conversations import Conversations
from manole.settings import Settings

pytest.register_assert_rewrite("agent.conversations.contract")


@pytest.fixture
def settings(tmp_path):
    return Settings(data_dir=tmp_path / "data")


@pytest.fixture
def environment(settings):
    """For programs that use the same settings."""
    return {"MANOLE_DATA_DIR": str(settings.data_dir)}


@pytest.fixture
def store(settings):
    """The conversations of a library called `papers`."""
    store = Conversations.of(settings, "papers")
    yield store
    store.close()


@pytest.fixture
def again(settings):
    """`again()`: the same conversations, as another process would open them."""
    opened = []

    def one():
        opened.append(Conversations.of(settings, "papers"))
        return opened[-1]

    yield one
    for store in opened:
        store.close()


@pytest.fixture(scope="session")
def fresh(tmp_path_factory):
    """`fresh()`: the conversations of a new library."""
    return lambda: Conversations.in_file(tmp_path_factory.mktemp("fresh") / "any.sqlite")
