"""A turn over the household, and a short way to run a tool in it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from manole.library import Library
from manole.settings import Settings
from manole.text.question import Question
from manole.tools.base import Error, Result, TurnState
from manole.tools.registry import Registry

Run = Callable[..., Awaitable[Result | Error]]


@pytest.fixture
def state(household: Library, session_settings: Settings) -> TurnState:
    return TurnState(
        question=Question("?", date(2025, 1, 15)), library=household, settings=session_settings
    )


@pytest.fixture
def run(state: TurnState) -> Run:
    """`await run("count_files", extension="pdf")` gives the tool's one outcome."""
    registry = Registry()

    async def call(name: str, /, **arguments: Any) -> Result | Error:
        tool = registry[name]
        outcomes = [o async for o in tool(state, tool.inputs(**arguments))]
        assert len(outcomes) == 1
        return outcomes[0]

    return call


@pytest.fixture(scope="session")
def on_disk(household_folder: Path) -> dict[str, Path]:
    """Every file of the household as it lies on the disk, by its path in the library."""
    return {
        path.relative_to(household_folder).as_posix(): path
        for path in household_folder.rglob("*")
        if path.is_file()
    }
