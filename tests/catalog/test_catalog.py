"""The catalog of an open library, whose relations several turns may need at the same time."""

from __future__ import annotations

import asyncio
from datetime import date

import pytest

from manole.agent.plan.open_catalog import catalog_of, filled, with_texts
from manole.library import Library
from manole.settings import Settings
from manole.text.question import Question
from manole.tools.base import TurnState

BILL = "Invoice {n}\n\nDate: {n} May 2024\nTotal amount due: {n}0.00 EUR\nMill Street Plumbing\n"
DIARY = "# 2024-05-0{n}\n\nWalked with Paul to the mill.\n"


@pytest.mark.asyncio
async def test_what_two_turns_need_at_once_is_filled_once(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for n in (1, 2, 3):
        (folder / f"invoice {n}.txt").write_text(BILL.format(n=n))
        (folder / f"2024-05-0{n}.md").write_text(DIARY.format(n=n))
    settings = Settings(data_dir=tmp_path / "data", cache_dir=Settings.load().cache_dir)
    async with await Library.open(folder, settings) as library:
        await library.sync()
        turn = TurnState(Question("what is there?", date(2024, 12, 15)), library, settings)
        catalog = await catalog_of(turn)
        needed = {"papers", "entries"}
        await asyncio.gather(*(filled(turn, needed) for _ in range(3)))
        await asyncio.gather(*(with_texts(turn) for _ in range(3)))
    assert catalog.run("SELECT count(*), sum(total) FROM papers")[1] == [(3, 60)]
    assert catalog.run("SELECT count(*) FROM entries")[1] == [(3,)]
    assert catalog.run("SELECT words FROM files WHERE name = 'invoice 1.txt'")[1] == [(14,)]
