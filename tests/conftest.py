"""What many tests share: the example household, indexed once, and the real models, loaded once.

Weights are kept in the user's own cache, so that they are fetched on the first run only. Indexes
lie in a temporary folder. What is shared over the session lives on the session's event loop, and
so do the tests that use it.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import settings
from pytest_asyncio import is_async_test

from manole.library import Library
from manole.models.chat import ChatModel
from manole.models.load import ChatLoader
from manole.models.weights import Weights
from manole.settings import ModelSettings, Settings

EXAMPLES = Path(__file__).parents[1] / "examples"
TODAY = date(2025, 1, 15)  # two weeks after the household's last change
SHARED = {"household", "small_model", "chat_model"}

# The same examples on every run, so that a change fails by its own fault; `make fuzz` seeks more.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("fuzz", max_examples=3000, deadline=None)
settings.load_profile("steady")

# A suite started in the background ignores Ctrl-C, and so would the programs that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests that use a shared library or model on the loop that it was made on."""
    marker = pytest.mark.asyncio(loop_scope="session")
    for item in items:
        if is_async_test(item) and SHARED & set(getattr(item, "fixturenames", ())):
            item.add_marker(marker, append=False)


@pytest.fixture(scope="session")
def session_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Defaults, with indexes in a temporary folder and weights in the user's cache."""
    return Settings(data_dir=tmp_path_factory.mktemp("data"), cache_dir=Settings.load().cache_dir)


@pytest.fixture(scope="session")
def household_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of `examples/household` with its dates set."""
    folder = tmp_path_factory.mktemp("home") / "household"
    shutil.copytree(EXAMPLES / "household", folder)
    script = EXAMPLES / "make_household.py"
    subprocess.run([sys.executable, str(script), "--into", str(folder), "--dates-only"], check=True)
    return folder


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def household(household_folder: Path, session_settings: Settings) -> AsyncIterator[Library]:
    """The household's library, indexed. Tests must not change its files."""
    async with await Library.open(household_folder, session_settings) as library:
        await library.sync()
        yield library


async def _loaded(settings: Settings, name: str) -> AsyncIterator[ChatModel]:
    chosen = ModelSettings(name=name, context=4096)
    loader = ChatLoader(
        settings.model_copy(update={"model": chosen}), Weights(settings.weights_dir)
    )
    try:
        yield await loader.get()
    finally:
        await loader.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def small_model(session_settings: Settings) -> AsyncIterator[ChatModel]:
    """The smallest real model: quick, and without much sense."""
    async for model in _loaded(session_settings, "smollm2-135m-instruct"):
        yield model


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chat_model(session_settings: Settings) -> AsyncIterator[ChatModel]:
    """The real chat model. A call takes seconds: only for tests that need its sense."""
    async for model in _loaded(session_settings, "qwen2.5-coder-1.5b-instruct"):
        yield model
