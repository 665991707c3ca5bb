"""A store in a temporary folder, and events to put into it."""

from __future__ import annotations

import pytest

from manole.agent.conversations import Conversations
from manole.settings import Settings


@pytest.fixture
def settings(tmp_path):
    return Settings(data_dir=tmp_path / "data")


@pytest.fixture
def store(settings):
    """The conversations of a library called `papers`."""
    store = Conversations.of(settings, "papers")
    yield store
    store.close()
