"""What many tests share: the example household, indexed once, and the real models, loaded once.

Weights are kept in the user's own cache, so that they are fetched on the first run only. Indexes
lie in a temporary folder. What is shared over the session lives on the session's event loop, and
so do the tests that use it.
"""

from __future__ import annotations

import asyncio
import functools
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import settings
from pytest_asyncio import is_async_test

import shared
import tiers
from manole.agent.answer.confidence import POSSIBLE
from manole.documents import split
from manole.library import Library
from manole.models.catalog.encoders import EncoderSpec
from manole.models.chat.protocol import ChatModel
from manole.models.encode import embedder
from manole.models.load import ChatLoader
from manole.models.weights.cache import Weights
from manole.settings import ModelSettings, Settings

os.environ["LC_ALL"] = "C.UTF-8"  # commands speak English, whoever runs the tests
EXAMPLES = Path(__file__).parents[1] / "examples"
sys.path.insert(0, str(EXAMPLES))
from household_maker.catalogue import set_dates  # noqa: E402  (it lies beside the examples)

TODAY = date(2025, 1, 15)  # two weeks after the household's last change
SHARED = {"household", "small_model", "chat_model"}

_OnnxEmbedder = embedder.OnnxEmbedder

# The same examples on every run, so that a change fails by its own fault; `make fuzz` seeks more.
settings.register_profile("steady", derandomize=True, deadline=None, max_examples=40)
settings.register_profile("fuzz", max_examples=3000, deadline=None)
settings.load_profile("steady")

# A suite started in the background ignores Ctrl-C, and so would the programs that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def _embedder(name: str, files: tuple[tuple[str, Path], ...], spec: EncoderSpec) -> Any:
    return _OnnxEmbedder(name, dict(files), spec)


def pytest_configure(config: pytest.Config) -> None:
    for tier, meaning in tiers.TIERS.items():
        config.addinivalue_line("markers", f"{tier}: {meaning}")
    tiers.watch()


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test with its tier; run those that share a library or model on its loop."""
    marker = pytest.mark.asyncio(loop_scope="session")
    for item in items:
        tier = tiers.tier_of(item)
        if item.get_closest_marker(tier) is None:
            item.add_marker(tier)
        if is_async_test(item) and SHARED & set(getattr(item, "fixturenames", ())):
            item.add_marker(marker, append=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Hold the tests of the pure tier to it, fixtures included."""
    if item.get_closest_marker("pure") is None:
        return (yield)
    with tiers.nothing_but_python():
        return (yield)


@pytest.fixture(scope="session", autouse=True)
def one_of_each() -> Iterator[None]:
    """Load an embedder and its splitter once a process: most tests open a library or two."""
    embedders, splitters = (functools.cache(real) for real in (_embedder, split.Splitter))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            embedder,
            "OnnxEmbedder",
            lambda name, files, spec: embedders(
                name, tuple((file, path.resolve()) for file, path in files.items()), spec
            ),
        )
        patch.setattr(split, "Splitter", lambda path, most: splitters(path.resolve(), most))
        yield


@pytest.fixture(scope="session")
def session_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Defaults, with indexes in a temporary folder and weights in the user's cache."""
    return Settings(data_dir=tmp_path_factory.mktemp("data"), cache_dir=Settings.load().cache_dir)


@pytest.fixture(scope="session")
def household_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of `examples/household` with its dates set. Tests must not change it."""

    def make(folder: Path) -> None:
        shutil.copytree(EXAMPLES / "household", folder)
        set_dates(folder)

    home = shared.run_folder(tmp_path_factory) / "home"
    home.mkdir(exist_ok=True)
    return shared.once(home / "household", make)


@pytest.fixture(scope="session")
def household_index(
    household_folder: Path, session_settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A data folder with nothing but the household's index, made once a run. To be copied."""

    def make(data: Path) -> None:
        async def index() -> None:
            settings = session_settings.model_copy(update={"data_dir": data})
            async with await Library.open(household_folder, settings) as library:
                await library.sync()

        asyncio.run(index())

    return shared.once(shared.run_folder(tmp_path_factory) / "household-data", make)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def household(
    household_folder: Path, household_index: Path, session_settings: Settings
) -> AsyncIterator[Library]:
    """The household's library, indexed. Tests must not change its files."""
    shutil.copytree(household_index, session_settings.data_dir, dirs_exist_ok=True)
    async with await Library.open(household_folder, session_settings) as library:
        yield library


async def _loaded(settings: Settings, name: str) -> AsyncIterator[ChatModel]:
    chosen = ModelSettings(name=name)
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


@pytest.fixture
def a_model_answers(monkeypatch):
    """Sentences that may answer are not told as they stand: a fact is left to the model."""
    name = "manole.agent.answer.own_words.OwnWords._likely"
    monkeypatch.setattr(name, lambda own, question, evidence: None)
    monkeypatch.setattr("manole.agent.answer.compose.CLEAR", POSSIBLE)  # nor declined


@pytest.fixture
def a_model_plans(monkeypatch):
    """The parser reads no plan and is never sure, so that each question is left to the model."""

    async def none(self, question):
        return None

    monkeypatch.setattr("manole.agent.plan.understand.SURE", 2.0)
    monkeypatch.setattr("manole.agent.plan.planner.is_open", lambda question: False)
    monkeypatch.setattr("manole.agent.plan.planner.Planner._parsed", none)
