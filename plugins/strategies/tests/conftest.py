"""The fixtures of `tests`, those of its commands, and a library that a model reads in seconds."""

import sys
from pathlib import Path

import pytest
import pytest_asyncio

TESTS = Path(__file__).parents[3] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "cli"), str(Path(__file__).parent)]
pytest_plugins = ["common_fixtures"]


from agent.turns import chosen, turn  # noqa: E402
from cli.conftest import environment, indexed, manole  # noqa: E402, F401
from manole.library import Library  # noqa: E402


@pytest_asyncio.fixture(loop_scope="session")
async def small_library(tmp_path, session_settings):
    """Two short notes: what a real model can read in seconds."""
    (tmp_path / "boiler.md").write_text(
        "# Boiler\n\nThe boiler was installed in 2019. Its warranty ends in May 2029.\n"
    )
    (tmp_path / "lentils.md").write_text("# Lentils\n\nCook the red lentils for 18 minutes.\n")
    async with await Library.open(tmp_path, session_settings) as library:
        await library.sync()
        yield library


@pytest.fixture
def ask(household, session_settings):
    """`await ask(model, question)` gives the events of a turn by `literal`."""

    async def run(
        model, question="What is our notice period as tenants?", history=(), *, scope=None, **limits
    ):
        settings = chosen(session_settings, "literal", **limits)
        return await turn(household, settings, model, question, history, scope=scope)

    return run
