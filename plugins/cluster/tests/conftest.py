"""Object storage and a Ray cluster, started once; a bucket of its own for each test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from rays import RayCluster
from seaweed import SeaweedFS, make_bucket

from manole.library import Library
from manole.settings import Settings
from manole_cluster.address import Address
from manole_cluster.bucket import Bucket

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="session")
def seaweed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeaweedFS]:
    """Object storage on three volume servers."""
    with SeaweedFS(tmp_path_factory.mktemp("seaweed")) as server:
        yield server


@pytest.fixture(scope="session")
def cache() -> Path:
    """The user's own cache, for weights."""
    return Settings.load().cache_dir


@pytest.fixture(scope="session")
def environment(
    seaweed: SeaweedFS, cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """What every process of these tests sees."""
    return seaweed.environment | {
        "MANOLE_CACHE_DIR": str(cache),
        "MANOLE_DATA_DIR": str(tmp_path_factory.mktemp("data")),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_DISABLE_IMPORT_WARNING": "1",
    }


@pytest.fixture(scope="session")
def ray_cluster(environment: dict[str, str]) -> Iterator[RayCluster]:
    """Two nodes of one core."""
    hooks = str(Path(__file__).with_name("deadly"))
    path = os.pathsep.join(filter(None, (hooks, os.environ.get("PYTHONPATH"))))
    with RayCluster(environment | {"PYTHONPATH": path}) as cluster:
        yield cluster


@pytest.fixture
def settings(environment: dict[str, str], tmp_path: Path) -> Settings:
    """Indexes of this test alone, weights of the user."""
    return Settings(
        data_dir=tmp_path / "data",
        cache_dir=Path(environment["MANOLE_CACHE_DIR"]),
    )


@pytest.fixture(scope="session")
def household(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example household with its dates set."""
    folder = tmp_path_factory.mktemp("home") / "household"
    shutil.copytree(EXAMPLES / "household", folder)
    script = EXAMPLES / "make_household.py"
    subprocess.run([sys.executable, str(script), "--into", str(folder), "--dates-only"], check=True)
    return folder


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def at_home(
    household: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Library]:
    """The household indexed on this machine, to compare with."""
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("local"), cache_dir=Path(environment["MANOLE_CACHE_DIR"])
    )
    async with await Library.open(household, settings) as library:
        await library.sync()
        yield library


_places = iter(range(1_000_000))


@pytest.fixture(scope="session")
def one_bucket(environment: dict[str, str]) -> str:
    """A bucket. SeaweedFS reserves volumes for each, so that there is one only."""
    make_bucket("tests", environment)
    return "tests"


@pytest.fixture
def documents(
    one_bucket: str, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> Address:
    """An address that nothing else uses; this process and its children can reach it."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return Address(one_bucket, f"{next(_places)}/documents")


@pytest.fixture
def bucket(documents: Address) -> Bucket:
    """The documents there."""
    return Bucket(documents)
