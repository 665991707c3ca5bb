"""The diary as a library."""

import pytest_asyncio

from agent.journal.diary import ENTRIES
from manole.library import Library


@pytest_asyncio.fixture
async def journal(tmp_path, session_settings):
    """A journal of five days."""
    folder = tmp_path / "diary"
    folder.mkdir()
    for day, text in ENTRIES.items():
        (folder / f"{day}.md").write_text(f"{text}\n")
    async with await Library.open(folder, session_settings) as library:
        await library.sync()
        yield library
