"""A small folder, indexed once, and a server over it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.fake_models import FakeModel
from manole.library import Library
from manole.settings import Settings

from .running import Running, running

EXAMPLES = Path(__file__).parents[2] / "examples" / "household"
SECRET = "the-secret-of-the-test"  # stands in files that nobody may read
ANSWER = "The notice period is three months."


@pytest.fixture(scope="package", autouse=True)
def settings_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A settings file that tests may change, in place of the developer's own."""
    file = tmp_path_factory.mktemp("config") / "manole.toml"
    file.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MANOLE_CONFIG", str(file))
        yield file


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder `papers` with some files, and files beside it that are not part of it."""
    home = tmp_path_factory.mktemp("home")
    papers = home / "papers"
    for name in ("home/rental-contract.pdf", "home/floor-plan.png", "recipes/pancakes.md"):
        (papers / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(EXAMPLES / name, papers / name)
    (papers / "page.html").write_text("<h1>Boiler</h1><script>alert(1)</script>", "utf-8")
    (papers / "bad.pdf").write_bytes(b"%PDF-1.4 broken")
    (papers / "größe 1.txt").write_text("The cellar is 12 square metres.", "utf-8")
    (papers / ".env").write_text(SECRET, "utf-8")
    (papers / "later.txt").write_text("A file that becomes a link.", "utf-8")
    (home / "outside.txt").write_text(SECRET, "utf-8")
    (home / "papers-old").mkdir()
    (home / "papers-old" / "a.txt").write_text(SECRET, "utf-8")
    (papers / "out.txt").symlink_to(home / "outside.txt")
    (papers / "up").symlink_to(home)
    return home


@pytest.fixture(scope="session")
def papers(home: Path) -> Path:
    return home / "papers"


@pytest.fixture(scope="session")
def settings(session_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Indexes in a folder of their own, so that only these libraries exist."""
    return session_settings.model_copy(update={"data_dir": tmp_path_factory.mktemp("serve")})


@pytest.fixture(scope="session")
def indexed(papers: Path, settings: Settings) -> Path:
    """The folder, once it is indexed."""

    async def index() -> None:
        async with await Library.open(papers, settings) as library:
            await library.sync()

    asyncio.run(index())
    (papers / "later.txt").unlink()
    (papers / "later.txt").symlink_to(papers.parent / "outside.txt")
    return papers


@pytest.fixture(scope="session")
def server(indexed: Path, settings: Settings) -> Iterator[Running]:
    """A server that tests share; its model always says `ANSWER`."""
    with running(indexed, settings, FakeModel(ANSWER), openai_api=True) as server:
        yield server
