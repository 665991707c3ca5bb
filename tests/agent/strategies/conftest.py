"""What the strategies' tests share: a library that a real model reads in seconds."""

import pytest_asyncio

from manole.library import Library


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
